"""Apply `in_shardings` and `out_shardings` of a jitted function to one call."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import ArgumentError, Operand
from treadle_ir.errors import ShardingError, TreeError
from treadle_ir.tracing import Arguments
from treadle_ir.tree import PyTreeDef
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.placement.named import constrained
from treadle_runtime.placement.requested import RequestedShardings
from treadle_runtime.placement.sharding import Sharding
from treadle_runtime.transfer.device_put import device_put


def inputs_of(asked: RequestedShardings, arguments: Arguments, name: str) -> list[Sharding | None]:
    """Return the sharding of each leaf of the arguments; None for unspecified ones.

    Raises:
        ArgumentError: there are keyword arguments that are not static, which cannot have in_shardings.
        TreeError: the shardings are not a tree prefix of the positional arguments that are not static.
        PlacementError: there is a partition spec, but no current mesh.
    """
    tree = arguments.structure.unflatten(arguments.leaves)
    positional, keywords = (tree, {}) if arguments.statics is None else tree
    if keywords:
        raise ArgumentError(
            f"jit: in_shardings is about positional arguments, but {name} is called with {', '.join(keywords)} "
            "by keyword",
            fix="pass every argument by position",
        )
    try:
        found: list[Sharding | None] = asked.over("jit", positional)
    except TreeError as error:
        error.add_note(f"  while: matching in_shardings of {name} with its arguments")
        raise
    return found


def outputs_of(asked: RequestedShardings, structure: PyTreeDef, name: str) -> list[Sharding | None]:
    """Return the sharding of each leaf of the results; None for unspecified ones.

    Raises:
        TreeError: the shardings are not a tree prefix of the results.
        PlacementError: there is a partition spec, but no current mesh.
    """
    try:
        return asked.over("jit", structure.unflatten(range(structure.num_leaves)))
    except TreeError as error:
        error.add_note(f"  while: matching out_shardings of {name} with its results")
        raise


def placed_inputs(
    asked: RequestedShardings, arguments: Arguments, leaves: Sequence[DeviceArray], name: str
) -> list[DeviceArray]:
    """Return the leaves of a call with the `in_shardings`; committed arrays must have them already.

    Raises:
        ShardingError: a committed array has a different sharding.
    """
    wanted = inputs_of(asked, arguments, name)
    return _put(leaves, wanted, arguments, f"{name}: in_shardings has")


def put_as_compiled(
    leaves: Sequence[DeviceArray], wanted: Sequence[Sharding], arguments: Arguments, name: str
) -> list[DeviceArray]:
    """Return the leaves of a call with the shardings of a compiled program; committed arrays must have them already.

    Raises:
        ShardingError: a committed array has a different sharding.
    """
    return _put(leaves, wanted, arguments, f"{name} was compiled for")


def _put(
    leaves: Sequence[DeviceArray],
    wanted: Sequence[Sharding | None],
    arguments: Arguments,
    what: str,
) -> list[DeviceArray]:
    found = []
    for number, (leaf, sharding) in enumerate(zip(leaves, wanted, strict=True)):
        if sharding is None or leaf.sharding is sharding:
            found.append(leaf)
        elif not leaf.committed:
            found.append(device_put(leaf, sharding))
        elif leaf.sharding.is_equivalent_to(sharding, leaf.type.ndim):
            found.append(leaf)
        else:
            raise ShardingError(
                f"{what} {sharding} for {arguments.paths()[number]}, of type {leaf.type}, "
                f"but the array is committed to {leaf.sharding}",
                fix="put the array there first with device_put(x, sharding), or leave the choice to its place",
            )
    return found


def constrained_all(
    operands: Sequence[Operand], shardings: Sequence[Sharding | None]
) -> list[Operand]:
    """Return traced arrays with the requested sharding constraints."""
    return [
        x if sharding is None else constrained(x, sharding)
        for x, sharding in zip(operands, shardings, strict=True)
    ]
