"""Bits."""

from __future__ import annotations

from typing import Final

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_unsigned
from treadle_ir.errors import alias
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.numpy.ufuncs.making import binary, integers, unary_same
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.numpy.ufuncs.universal import universal
from treadle_numpy.operands.arrays import bind
from treadle_numpy.operands.coerce import ArrayLike

__all__ = [
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "invert",
    "left_shift",
    "right_shift",
]

bitwise_and = universal(
    binary(
        "bitwise_and", primitives.And(), "Each bit of both.", "print(bitwise_and(6, 3))\n        2"
    ),
    identity=-1,
)
bitwise_or = universal(
    binary(
        "bitwise_or", primitives.Or(), "Each bit of either.", "print(bitwise_or(6, 3))\n        7"
    ),
    identity=0,
)
bitwise_xor = universal(
    binary(
        "bitwise_xor",
        primitives.Xor(),
        "Each bit of one but not both.",
        "print(bitwise_xor(6, 3))\n        5",
    ),
    identity=0,
)
invert = unary_same(
    "invert",
    primitives.Not(),
    "Each bit flipped: `-x - 1` of a signed integer; of booleans, whether it is false. Floats are a DTypeError.",
    "print(invert(5))\n        -6",
)
bitwise_not = alias(invert, "bitwise_not")
bitwise_invert = alias(invert, "bitwise_invert")


@composed
def bitwise_count(x: ArrayLike, /) -> Array:
    """Return the number of bits that are set in the absolute value, as u8.

    Example:
        >>> print(bitwise_count(-3))
        2
    """
    size = abs(x)
    if is_bool(size.dtype):
        return ops.convert(size, dtype=_UINT8)
    return ops.convert(ops.popcnt(size), dtype=_UINT8)


_UINT8: Final = BY_NAME["u8"]
_SHIFT_LEFT: Final = primitives.ShiftLeft()


@composed
def left_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Return the bits moved up.

    Example:
        >>> print(left_shift(1, 3))
        8
    """
    return bind(_SHIFT_LEFT, *integers("left_shift", x, y))


@composed
def right_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Return the bits moved down, filling with the sign bit of signed integers.

    Example:
        >>> print(right_shift(-8, 1))
        -4
    """
    a, b = integers("right_shift", x, y)
    if is_unsigned(a.dtype):
        return ops.shift_right_logical(a, b)
    return ops.shift_right_arithmetic(a, b)


bitwise_left_shift = alias(left_shift, "bitwise_left_shift")
bitwise_right_shift = alias(right_shift, "bitwise_right_shift")
