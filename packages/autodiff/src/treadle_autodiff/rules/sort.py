"""Derivatives of sorting: the tangents move as the elements do.

Where the elements go is found by sorting positions along with them; the tangents are then taken from there,
which is a gather and so has a transpose of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_autodiff.registry import jvp_rule
from treadle_autodiff.tangents import Tangent, Zero
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.primitives.sort import Sort, TopK


def take_along(x: Operand, positions: Operand, axis: int, *, unique: bool) -> Operand:
    """`x[..., positions[..., k, ...], ...]`: elements along an axis, chosen for each place of the other axes.

    The positions are in range; `unique` promises that those along the axis differ, which makes the transpose a
    permutation.
    """
    rank = type_of(x).ndim
    others = tuple([i for i in range(rank) if i != axis])
    return ops.gather(
        x,
        ops.reshape(positions, shape=(*type_of(positions).shape, 1)),
        offset_dims=(),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        slice_sizes=(1,) * rank,
        operand_batching_dims=others,
        start_indices_batching_dims=others,
        mode="promise_in_bounds",
        unique_indices=unique,
    )


def positions_along(shape: tuple[int, ...], axis: int) -> Operand:
    """0, 1, 2, ... along an axis."""
    return ops.iota(shape=shape, dimension=axis, dtype=np.dtype(np.int32))


@jvp_rule(Sort)
def sort_jvp(
    primitive: Sort, primals: Operands, tangents: Sequence[Tangent]
) -> tuple[Operands, list[Tangent]]:
    """Sort positions along with the operands, and take the tangents from there."""
    shape, axis = type_of(primals[0]).shape, primitive.dimension
    *results, order = bind(primitive, *primals, positions_along(shape, axis))
    moved: list[Tangent] = [
        dx if isinstance(dx, Zero) or 0 in shape else take_along(dx, order, axis, unique=True)
        for dx in tangents
    ]
    return results, moved


@jvp_rule(TopK)
def top_k_jvp(
    primitive: TopK, primals: Operands, tangents: Sequence[Tangent]
) -> tuple[Operands, list[Tangent]]:
    """Take the tangents from the positions that were chosen."""
    values, order = bind(primitive, *primals)
    (dx,) = tangents
    type = type_of(values)
    if isinstance(dx, Zero) or type.size == 0:
        moved: Tangent = Zero(type.tangent())
    else:
        moved = take_along(dx, order, type.ndim - 1, unique=True)
    return [values, order], [moved, Zero(type_of(order).tangent())]
