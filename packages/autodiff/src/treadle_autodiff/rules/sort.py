"""Derivatives of sorting: the tangents move as the elements do.

Where the elements go is found by sorting positions along with them; the tangents are then taken from there,
which is a gather and so has a transpose of its own.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_autodiff.registry import Duals, jvp_rule
from treadle_autodiff.tangents import Tangent, Tangents, Zero
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.core import dtypes
from treadle_ir.primitives.sort import Sort, TopK

_F32: Final = np.dtype(np.float32)


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
def sort_jvp(primitive: Sort, primals: Operands, tangents: Tangents) -> Duals:
    """Sort positions along with the operands, and take the tangents from there."""
    shape, axis = type_of(primals[0]).shape, primitive.dimension
    positions = positions_along(shape, axis)
    if len(primals) == 1 and dtypes.is_floating(type_of(primals[0]).dtype):
        _, order = bind(primitive, _total_order(primals[0]), positions)
        results = bind(primitive, primals[0])
    else:
        *results, order = bind(primitive, *primals, positions)
    moved: list[Tangent] = [
        dx if isinstance(dx, Zero) or 0 in shape else take_along(dx, order, axis, unique=True)
        for dx in tangents
    ]
    return results, moved


def _total_order(x: Operand) -> Operand:
    """Integers in the order in which floats are sorted alone: -0.0 before 0.0, every NaN last.

    With positions as further operands the floats would leave zeros in their order, so that values with and
    without a derivative would differ in the sign of zeros.
    """
    x = ops.stop_gradient(x)
    dtype = type_of(x).dtype
    if dtype.itemsize < 4:
        x, dtype = ops.convert(x, dtype=_F32), _F32
    number = ops.compare(x, x, direction="eq")
    plain = ops.select(number, x, dtype.type(np.nan))
    integer = np.dtype(f"i{dtype.itemsize}")
    bits = ops.bitcast_convert(plain, dtype=integer)
    magnitude = integer.type(np.iinfo(integer).max)  # floats below zero descend with their bits
    negative = ops.compare(bits, integer.type(0), direction="lt")
    return ops.select(negative, ops.xor(bits, magnitude), bits)


@jvp_rule(TopK)
def top_k_jvp(primitive: TopK, primals: Operands, tangents: Tangents) -> Duals:
    """Take the tangents from the positions that were chosen."""
    values, order = bind(primitive, *primals)
    (dx,) = tangents
    type = type_of(values)
    if isinstance(dx, Zero) or type.size == 0:
        moved: Tangent = Zero(type.tangent())
    else:
        moved = take_along(dx, order, type.ndim - 1, unique=True)
    return [values, order], [moved, Zero(type_of(order).tangent())]
