"""Operations whose results have the shape of their operands, element for element."""

from __future__ import annotations

from treadle_ir.core.families import Accumulating, Elementwise
from treadle_ir.core.mesh import AbstractMesh, ClosedDimShardings
from treadle_ir.core.primitive import Primitive
from treadle_ir.primitives.call import OptimizationBarrier
from treadle_ir.primitives.cumulative import Cumulative
from treadle_ir.primitives.fourier import Fft
from treadle_ir.primitives.memory import LayoutConstraint
from treadle_ir.primitives.sort import Sort, TopK
from treadle_ir.sharding.rules import ArrayTypes, ResultDims, ShardedTypes, sharding_rule
from treadle_ir.sharding.sharded_type import checked, merged, refuse


def joined(primitive: Primitive, operands: ShardedTypes) -> ClosedDimShardings:
    """Return the dims of the result of operands of one shape, or scalars: for each axis, a sharded operand wins.

    Raises:
        ShardingTypeError: an axis is divided differently, or two would be divided by one axis of the mesh.
    """
    arrays = [each for each in operands if each.type.ndim]
    if not arrays:
        return ()
    columns = zip(*[each.dims for each in arrays], strict=True)
    dims = tuple(
        [merged(primitive, arrays, axes, f"axis {number}") for number, axes in enumerate(columns)]
    )
    return checked(primitive, arrays, dims)


def elementwise_shardings(
    primitive: Primitive, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Join the operands axis by axis."""
    return [joined(primitive, operands)] * len(results)


sharding_rule(Elementwise)(elementwise_shardings)
sharding_rule(LayoutConstraint)(elementwise_shardings)


def unless_divided(primitive: Primitive, operands: ShardedTypes, axis: int) -> ClosedDimShardings:
    """Return the dims of operands of one shape; the operation needs all elements along `axis`.

    Raises:
        ShardingTypeError: the axis is divided.
    """
    dims = joined(primitive, operands)
    if dims[axis]:
        raise refuse(
            primitive,
            operands,
            f"it goes along axis {axis}, which is divided",
            "reshard it first, so that the axis is not divided: `reshard(x, P(...))`",
        )
    return dims


@sharding_rule(Accumulating)
def accumulating_shardings(
    primitive: Accumulating, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Require the axis to be replicated."""
    assert isinstance(primitive, Cumulative)
    return [unless_divided(primitive, operands, primitive.axis)] * len(results)


@sharding_rule(Sort)
def sort_shardings(
    primitive: Sort, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Require the axis to be replicated."""
    return [unless_divided(primitive, operands, primitive.dimension)] * len(results)


@sharding_rule(TopK)
def top_k_shardings(
    primitive: TopK, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Require the last axis to be replicated."""
    last = operands[0].type.ndim - 1
    return [unless_divided(primitive, operands, last)] * len(results)


@sharding_rule(Fft)
def fft_shardings(
    primitive: Fft, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims of the operand; an axis whose size changes has to be replicated."""
    ((type, dims),) = operands
    for axis, names in enumerate(dims):
        if names and type.shape[axis] != results[0].shape[axis]:
            unless_divided(primitive, operands, axis)
    return [dims]


@sharding_rule(OptimizationBarrier)
def barrier_shardings(
    primitive: OptimizationBarrier,
    operands: ShardedTypes,
    results: ArrayTypes,
    mesh: AbstractMesh,
    /,
) -> ResultDims:
    """Return the dims of each operand."""
    return [each.dims for each in operands]
