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


def _check_constraint(x: Operand, sharding: Sharding) -> None:
    """Check that the type of `x` has `sharding` if all axes of the mesh in force are explicit.

    A constraint over explicit axes changes nothing; it only asserts the sharding of an array.

    Raises:
        ShardingTypeError: the array has a different sharding.
    """
    mesh = explicit_mesh()
    if mesh is None or mesh.auto_axes or not isinstance(sharding, NamedSharding):
        return
    shown = sharding_of(x, mesh)
    dims = None if shown is None else shown.dims
    if dims is not None and dims != sharding.layout(len(dims)):
        raise ShardingTypeError(
            f"with_sharding_constraint: the array is sharded as {spec_of(dims)}, not as {sharding.spec}; "
            "over explicit axes a constraint moves nothing",
            fix="reshard it with reshard(x, P(...))",
        )


def with_sharding_constraint(x: T, shardings: Any) -> T:
    """Return the arrays of the tree `x`, sharded as specified.

    Within a jitted function it tells the compiler the sharding of an intermediate array, which may then have shards of
    unequal size; otherwise the array is put there. Derivatives have the same sharding.

    Args:
        x: a tree of arrays.
        shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `x`; None leaves an array as it is.

    Raises:
        ShardingError: an array cannot be sharded like this.
        ShardingTypeError: all axes of the mesh in force are explicit, and an array has a different sharding.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf of `shardings` is not a sharding, or a leaf of `x` is not an array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import NamedSharding, PartitionSpec as P
        >>> sharding = NamedSharding(treadle.make_mesh((1,), ("x",)), P("x"))
        >>> treadle.jit(lambda x: treadle.lax.with_sharding_constraint(x * 2, sharding))(tnp.ones(2))
        Array([2., 2.], dtype=float32)
    """
    return _sharded("with_sharding_constraint", "shardings", x, shardings, checked=True)


def _sharded(function: str, argument: str, x: T, shardings: Any, checked: bool) -> T:
    asked = parse_shardings(function, argument, shardings)
    if asked is None:
        return x
    leaves, structure = tree_flatten(x)
    wanted = asked.over(function, x)
    found = []
    for leaf, sharding in zip(leaves, wanted, strict=True):
        operand = as_operand(leaf)
        if checked and sharding is not None:
            _check_constraint(operand, sharding)
        if sharding is None:
            found.append(leaf)
        elif isinstance(operand, Tracer) or not isinstance(current_trace(), EvalTrace):
            found.append(constrained(operand, sharding, even=not checked))
        else:
            found.append(device_put(leaf, sharding))
    sharded: T = structure.unflatten(found)
    return sharded


def reshard(xs: T, out_shardings: Any) -> T:
    """Return the arrays of the tree `xs`, resharded over a mesh; their types show it if the axes are explicit.

    Args:
        xs: a tree of arrays.
        out_shardings: a tree of `NamedSharding`, or of `PartitionSpec` over the mesh in force (`set_mesh`), that is a
            prefix of `xs`.

    Raises:
        ShardingError: an array cannot be sharded like this.
        PlacementError: there is a specification, and no mesh in force.
        ArgumentError: a leaf of `out_shardings` is not a sharding, or a leaf of `xs` is not an array.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import PartitionSpec as P
        >>> with treadle.set_mesh(treadle.make_mesh((1,), ("x",))):
        ...     treadle.typeof(treadle.reshard(tnp.ones((4, 2)), P("x")))
        ShapedArray(float32[4@x,2])
    """
    return _sharded("reshard", "out_shardings", xs, out_shardings, checked=False)
