"""Operations that combine elements: reductions, windows, and matrices in the last two axes."""

from __future__ import annotations

from treadle_ir.core.families import LinearAlgebra, Reducing
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.primitives.reduce import ArgReduction, Reduction
from treadle_ir.primitives.window import ReduceWindowFamily
from treadle_ir.sharding.rules import ArrayTypes, ResultDims, ShardedTypes, sharding_rule
from treadle_ir.sharding.sharded_type import merged, refuse


@sharding_rule(Reducing)
def reducing_shardings(
    primitive: Reducing, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the sharding of the axes that remain."""
    if isinstance(primitive, ArgReduction):
        gone: tuple[int, ...] = (primitive.axis,)
    else:
        assert isinstance(primitive, Reduction)
        gone = primitive.axes
    dims = operands[0].dims
    return [tuple([names for axis, names in enumerate(dims) if axis not in gone])] * len(results)


@sharding_rule(ReduceWindowFamily)
def window_shardings(
    primitive: ReduceWindowFamily,
    operands: ShardedTypes,
    results: ArrayTypes,
    mesh: AbstractMesh,
    /,
) -> ResultDims:
    """Require axes along which windows have more than one element to be replicated."""
    x = operands[0]
    for axis, names in enumerate(x.dims):
        if names and (
            primitive.window_dimensions[axis] != 1 or x.type.shape[axis] != results[0].shape[axis]
        ):
            raise refuse(
                primitive,
                operands,
                f"windows reach along axis {axis}, which is divided",
                "reshard it first, so that the axis is not divided: `reshard(x, P(...))`",
            )
    return [x.dims] * len(results)


@sharding_rule(LinearAlgebra)
def matrix_shardings(
    primitive: LinearAlgebra, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the sharding of the batch; matrices have to be replicated."""
    depth = max([each.type.ndim for each in operands]) - 2
    for each in operands:
        if any(each.dims[depth:]):
            raise refuse(
                primitive,
                operands,
                "matrices, the last two axes, must not be divided",
                "reshard them first: `reshard(x, P(...))`",
            )
    batch = tuple(
        [
            merged(primitive, operands, [each.dims[axis] for each in operands], f"axis {axis}")
            for axis in range(depth)
        ]
    )
    return [(*batch, *((),) * (type.ndim - depth)) for type in results]
