"""`with_sharding_constraint`, `reshard`: arrays with another sharding, also within a traced function."""

from __future__ import annotations

from typing import Any, TypeVar

from treadle_ir import Operand
from treadle_ir.calling import as_operand
from treadle_ir.core import spec_of
from treadle_ir.errors import ShardingTypeError
from treadle_ir.sharding import sharding_of
from treadle_ir.tracing import EvalTrace, Tracer, current_trace, explicit_mesh
from treadle_ir.tree import tree_flatten
from treadle_runtime.placement.named import NamedSharding, constrained
from treadle_runtime.placement.requested import parse_shardings
from treadle_runtime.placement.sharding import Sharding
from treadle_runtime.transfer.device_put import device_put

T = TypeVar("T")


def _check_lies_so(x: Operand, sharding: Sharding) -> None:
    """Where all axes of the mesh in force are explicit, a constraint changes nothing: it says how an array lies.

    Raises:
        ShardingTypeError: the array lies otherwise.
    """
    mesh = explicit_mesh()
    if mesh is None or mesh.auto_axes or not isinstance(sharding, NamedSharding):
        return
    shown = sharding_of(x, mesh)
    lies = None if shown is None else shown.dims
    if lies is not None and lies != sharding.layout(len(lies)):
        raise ShardingTypeError(
            f"with_sharding_constraint: the array lies as {spec_of(lies)}, not as {sharding.spec}; "
            "over explicit axes a constraint moves nothing",
            fix="lay it anew with reshard(x, P(...))",
        )


def with_sharding_constraint(x: T, shardings: Any) -> T:
    """The arrays of a tree, laid over a mesh as said.

    Within a jitted function it tells the compiler how an intermediate array lies, which may then be in parts of unequal
    size; otherwise the array is brought there. Derivatives lie in the same way.

    Args:
        x: a tree of arrays.
        shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `x`; None leaves an array as it is.

    Raises:
        ShardingError: an array cannot be laid out so.
        ShardingTypeError: all axes of the mesh in force are explicit, and an array lies otherwise.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf is no sharding, or no array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> lies = NamedSharding(treadle.make_mesh((1,), ("x",)), P("x"))
        >>> treadle.jit(lambda x: treadle.lax.with_sharding_constraint(x * 2, lies))(tnp.ones(2))
        Array([2., 2.], dtype=float32)
    """
    return _laid("with_sharding_constraint", "shardings", x, shardings, checked=True)


def _laid(function: str, argument: str, x: T, shardings: Any, checked: bool) -> T:
    asked = parse_shardings(function, argument, shardings)
    if asked is None:
        return x
    leaves, structure = tree_flatten(x)
    wanted = asked.over(function, x)
    found = []
    for leaf, sharding in zip(leaves, wanted, strict=True):
        operand = as_operand(leaf)
        if checked and sharding is not None:
            _check_lies_so(operand, sharding)
        if sharding is None:
            found.append(leaf)
        elif isinstance(operand, Tracer) or not isinstance(current_trace(), EvalTrace):
            found.append(constrained(operand, sharding, even=not checked))
        else:
            found.append(device_put(leaf, sharding))
    laid: T = structure.unflatten(found)
    return laid


def reshard(xs: T, out_shardings: Any) -> T:
    """The arrays of a tree, laid over a mesh anew; their types show it where the axes are explicit.

    Args:
        xs: a tree of arrays.
        out_shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `xs`.

    Raises:
        ShardingError: an array cannot be laid out so.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf is no sharding, or no array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import PartitionSpec as P
        >>> with treadle.set_mesh(treadle.make_mesh((1,), ("x",))):
        ...     treadle.typeof(treadle.reshard(tnp.ones((4, 2)), P("x")))
        ShapedArray(float32[4@x,2])
    """
    return _laid("reshard", "out_shardings", xs, out_shardings, checked=False)
