"""Products of matrices and convolutions."""

from __future__ import annotations

from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.primitives.contract import Convolution, DotGeneral, free_axes
from treadle_ir.sharding.rules import ArrayTypes, ResultDims, ShardedTypes, sharding_rule
from treadle_ir.sharding.sharded_type import checked, merged, refuse


@sharding_rule(DotGeneral)
def dot_general_shardings(
    primitive: DotGeneral, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Return the dims of the free axes; a sum over an axis that is sharded in both operands is ambiguous."""
    x, y = operands
    for left, right in zip(*primitive.contracting, strict=True):
        one, two = x.dims[left], y.dims[right]
        if one and two and one == two:
            raise refuse(
                primitive,
                operands,
                f"both are divided by {one[0]!r} along the axes that are summed over "
                f"({left} and {right}), so that the sharding of the result is ambiguous",
            )
        merged(primitive, operands, (one, two), f"the axis that is summed over ({left}, {right})")
    batch = [
        merged(
            primitive,
            operands,
            (x.dims[left], y.dims[right]),
            f"the batching axis ({left}, {right})",
        )
        for left, right in zip(*primitive.batching, strict=True)
    ]
    free = [
        each.dims[axis]
        for number, each in enumerate((x, y))
        for axis in free_axes(
            each.type.ndim, primitive.batching[number], primitive.contracting[number]
        )
    ]
    return [checked(primitive, operands, (*batch, *free))]


@sharding_rule(Convolution)
def convolution_shardings(
    primitive: Convolution, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh, /
) -> ResultDims:
    """Require all axes but the batch to be replicated."""
    x, kernel = operands
    batch = primitive.lhs_spec[0]
    others = [names for axis, names in enumerate(x.dims) if axis != batch]
    if any(others) or any(kernel.dims) or primitive.batch_group_count != 1:
        raise refuse(primitive, operands, "only the batch may be divided")
    dims: list[tuple[str, ...]] = [()] * results[0].ndim
    dims[primitive.out_spec[0]] = x.dims[batch]
    return [tuple(dims)]
