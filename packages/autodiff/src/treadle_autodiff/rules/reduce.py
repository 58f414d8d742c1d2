"""Derivatives of reductions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_autodiff.registry import (
    Duals,
    Flat,
    jvp_rule,
    linear,
    locally_constant,
    unary_transpose_rule,
)
from treadle_autodiff.tangents import Tangents, Zero, materialise
from treadle_ir import ArrayType, Operand, Operands, bind, ops, type_of
from treadle_ir.core import dtypes
from treadle_ir.primitives.compare import Direction
from treadle_ir.primitives.reduce import (
    Argmax,
    Argmin,
    ReduceAdd,
    ReduceAnd,
    ReduceMaximum,
    ReduceMinimum,
    ReduceMultiply,
    ReduceOr,
    ReduceXor,
)

linear(ReduceAdd)
locally_constant(Argmax, Flat.POSITION)
locally_constant(Argmin, Flat.POSITION)
locally_constant(ReduceAnd, Flat.INTEGER)
locally_constant(ReduceOr, Flat.INTEGER)
locally_constant(ReduceXor, Flat.INTEGER)


def broadcast_back(y: Operand, shape: Sequence[int], axes: Sequence[int]) -> Operand:
    """The result of a reduction repeated along the axes that were reduced."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    return ops.broadcast_in_dim(y, shape=shape, dimensions=kept)


@unary_transpose_rule(ReduceAdd)
def reduce_add_transpose(primitive: ReduceAdd, ct: Operand, type: ArrayType, /) -> Operand:
    """Each summand gets the cotangent of the sum."""
    return broadcast_back(ct, type.shape, primitive.axes)


# d(prod x_i) = sum_i (prod_{j != i} x_j) dx_i. The product of the others is the product of those before times the
# product of those after, which takes no division and so holds for zeros.
@jvp_rule(ReduceMultiply)
def reduce_multiply_jvp(primitive: ReduceMultiply, primals: Operands, tangents: Tangents) -> Duals:
    """The product rule, with the product of the other factors made of cumulative products."""
    (x,) = primals
    dx = materialise(tangents[0])
    others = _product_of_others(x, primitive.axes)
    return (
        bind(primitive, x),
        [ops.reduce_add(ops.multiply(others, dx), axes=primitive.axes)],
    )


def _product_of_others(x: Operand, axes: tuple[int, ...]) -> Operand:
    """For each element the product of all others that it is multiplied with."""
    type = type_of(x)
    order = [axis for axis in range(type.ndim) if axis not in axes] + list(axes)
    moved = ops.transpose(x, permutation=order)
    kept = [n for axis, n in enumerate(type.shape) if axis not in axes]
    count = 1
    for axis in axes:
        count *= type.shape[axis]
    rows = ops.reshape(moved, shape=[*kept, count])
    last = len(kept)
    before = shift(ops.cumulative_multiply(rows, axis=last), 1, last, 1)
    after = shift(ops.cumulative_multiply(rows, axis=last, reverse=True), -1, last, 1)
    others = ops.reshape(ops.multiply(before, after), shape=type_of(moved).shape)
    inverse = [0] * len(order)
    for place, axis in enumerate(order):
        inverse[axis] = place
    return ops.transpose(others, permutation=inverse)


def shift(x: Operand, distance: int, axis: int, fill: float) -> Operand:
    """Each element `distance` places further along an axis, `fill` where none comes from."""
    type = type_of(x)
    low = [distance if i == axis else 0 for i in range(type.ndim)]
    return ops.pad(x, np.asarray(fill).astype(type.dtype)[()], low=low, high=[-n for n in low])


def extreme_jvp(
    primitive: ReduceMaximum | ReduceMinimum, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The mean of the tangents of the elements that attain the maximum, or the minimum."""
    (x,), dx = primals, materialise(tangents[0])
    # `short` holds for elements that fall short of the extreme. Where that is NaN no element is comparable with
    # it: none falls short, and the derivative is NaN with respect to all of them, forward and in reverse.
    results = bind(primitive, x)
    y, type = results[0], type_of(x)
    if type.size == 0:  # what there is of results are identities, which no element moves
        return results, [Zero(type_of(y).tangent())]
    short: Direction = "lt" if isinstance(primitive, ReduceMaximum) else "gt"
    others = _fall_short(x, broadcast_back(y, type.shape, primitive.axes), short)
    # counted in a type that holds every count exactly where the element type does not
    wide = np.dtype(np.float32) if type.dtype.itemsize < 4 else type.dtype
    chosen = ops.convert(ops.not_(others), dtype=wide)
    count = ops.convert(ops.reduce_add(chosen, axes=primitive.axes), dtype=type.dtype)
    number = ops.compare(y, y, direction="eq")
    divisor = ops.select(number, count, type.dtype.type(np.nan))
    total = ops.reduce_add(ops.select(others, type.dtype.type(0), dx), axes=primitive.axes)
    return results, [ops.divide(total, divisor)]


jvp_rule(ReduceMaximum)(extreme_jvp)
jvp_rule(ReduceMinimum)(extreme_jvp)


def _fall_short(x: Operand, extreme: Operand, short: Direction) -> Operand:
    """Return where elements are not the extreme; nowhere if the extreme is NaN."""
    if not dtypes.is_complex(type_of(x).dtype):
        return ops.compare(x, extreme, direction=short)
    return ops.and_(
        ops.compare(x, extreme, direction="ne"), ops.compare(extreme, extreme, direction="eq")
    )
