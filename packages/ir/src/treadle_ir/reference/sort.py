"""NumPy kernels of sorting: elements become integers in the same order, and NumPy sorts those."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.primitives.sort import Sort, TopK
from treadle_ir.reference.reduce import accumulator
from treadle_ir.reference.registry import Elements, eval_rule

_ORDERED: Final = frozenset("bBhHiIlLqQefd")
"""Types whose order NumPy knows. The kind does not tell: f8e5m2 says `f` too, and its NaNs stand anywhere."""


def order_keys(x: Elements) -> list[Elements]:
    """Return integers in the order of the elements, most significant first: two for complex numbers, else one.

    A float's bits, read as a signed integer, ascend for positive floats and descend for negative ones, whose
    magnitude bits are therefore inverted. Zeros become +0.0 first, and NaNs the positive NaN, which is above inf.
    """
    if dtypes.is_complex(x.dtype):
        return [*order_keys(x.real), *order_keys(x.imag)]
    wide = x.astype(accumulator(x.dtype), copy=False)
    if not dtypes.is_floating(x.dtype):
        return [wide]
    plain = np.where(wide != wide, np.asarray(np.nan, wide.dtype), wide + np.asarray(0, wide.dtype))
    return [_signed(plain)]


def _signed(floats: Elements) -> Elements:
    integer = np.dtype(f"i{floats.dtype.itemsize}")
    bits = floats.view(integer)
    magnitude = np.asarray(np.iinfo(integer).max, integer)
    return np.where(bits < 0, bits ^ magnitude, bits)


def sorted_alone(x: Elements, axis: int) -> Elements:
    """One operand, sorted as integers where its elements have signs of zero or NaNs."""
    if x.dtype.char in "fd" and np.count_nonzero(x) == x.size:
        plain = np.array(x)
        plain.sort(axis=axis)
        # NumPy's order is ours where there are no zeros, whose signs it does not look at, and no NaNs, which come last.
        last = plain[-1:] if plain.ndim == 1 else plain
        if (last == last).all():
            return plain
    if not dtypes.is_floating(x.dtype):
        wide = x.astype(
            accumulator(x.dtype), copy=False
        )  # 4-bit integers have no sort of their own
        return np.sort(wide, axis=axis).astype(x.dtype, copy=False)
    wide = x.astype(accumulator(x.dtype), copy=False)
    plain = np.where(wide != wide, np.asarray(np.nan, wide.dtype), wide)
    keys = np.sort(_signed(plain), axis=axis)
    magnitude = np.asarray(np.iinfo(keys.dtype).max, keys.dtype)
    return np.where(keys < 0, keys ^ magnitude, keys).view(wide.dtype).astype(x.dtype, copy=False)


@eval_rule(Sort)
def sort_eval(primitive: Sort, *operands: Elements) -> list[Elements]:
    """One operand is sorted as integers; several are taken in the order of their keys, always stably."""
    axis = primitive.dimension
    if len(operands) == 1 and not dtypes.is_complex(operands[0].dtype):
        return [sorted_alone(operands[0], axis)]
    first = operands[0]
    if primitive.num_keys == 1 and first.ndim == 1 and dtypes.letter(first.dtype) in _ORDERED:
        # NumPy's stable order is the order of the keys: zeros are equal, and so are NaNs, which come last.
        order = first.argsort(kind="stable")
        return [operand[order] for operand in operands]
    if first.ndim == 1 and all(
        [dtypes.letter(x.dtype) in _ORDERED for x in operands[: primitive.num_keys]]
    ):
        order = np.lexsort(operands[primitive.num_keys - 1 :: -1])
        return [operand[order] for operand in operands]
    keys = [key for operand in operands[: primitive.num_keys] for key in order_keys(operand)]
    if len(keys) == 1:
        order = np.argsort(keys[0], axis=axis, kind="stable")
    else:
        order = np.lexsort(tuple(reversed(keys)), axis=axis)
    return [np.take_along_axis(operand, order, axis) for operand in operands]


@eval_rule(TopK)
def top_k_eval(primitive: TopK, x: Elements) -> list[Elements]:
    """Return the first k in the order of the inverted keys, found stably."""
    if x.ndim == 1 and x.size and x.dtype.char in "fd":
        backwards = np.negative(x)
        order = backwards.argsort(kind="stable")
        if not np.isnan(backwards[order[-1]]):  # NaNs, which are greatest here, come last there
            order = order[: primitive.k]
            return [x[order], order.astype(np.int32)]
    if dtypes.is_bool(x.dtype):
        x_keys = x.astype(np.int8)
    else:
        (x_keys,) = order_keys(x)
    order = np.argsort(~x_keys, axis=-1, kind="stable")[..., : primitive.k]
    return [np.take_along_axis(x, order, -1), order.astype(np.int32)]
