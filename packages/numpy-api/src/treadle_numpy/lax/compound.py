"""Elementwise functions of lax that are several instructions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_ir import Array, DType, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import bit_width, is_inexact, is_integer, is_signed, user_name
from treadle_ir.errors import integer_or_none, sequence
from treadle_numpy.lax.logarithms import logarithm
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast, broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.scalars import number

__all__ = ["log2", "mulhi", "one_minus_square", "polynomial"]


def log2(x: ArrayLike, *, accuracy: object = None) -> Array:
    """Return the logarithm to base 2 of floats or complex numbers; `accuracy` is accepted and changes
    nothing.

    Raises:
        DTypeError: the operand is neither floating nor complex.

    Example:
        >>> print(log2(8.0))
        3.0
    """
    operand = coerce("log2", 0, x)
    if not is_inexact(operand.dtype):
        raise DTypeError(
            f"log2: needs floating or complex numbers, got {user_name(operand.dtype)}",
            fix="convert with treadle.lax.convert_element_type, or use treadle.numpy.log2",
        )
    result = logarithm(2, operand)
    weak = operand_type(operand).weak
    return ops.convert(result, dtype=result.dtype, weak=True) if weak else result


def one_minus_square(x: ArrayLike) -> Array:
    """1 - x**2, computed as (1 - x)(1 + x), which keeps its digits where x is near 1.

    Example:
        >>> print(one_minus_square(0.5))
        0.75
    """
    operand = coerce("one_minus_square", 0, x)
    one = number(1, operand)
    return ops.multiply(ops.subtract(one, operand), ops.add(one, operand))


def polynomial(
    x: ArrayLike, coeffs: Sequence[ArrayLike] | Operand, *, unroll: int | None = None
) -> Array:
    """Return the value of a polynomial by Horner's rule, the coefficient of the lowest power first; 0 without
    coefficients.

    Coefficients are numbers, or arrays of the shape and element type of x. `unroll` changes nothing: there is no loop.

    Raises:
        ShapeError, DTypeError: a coefficient is an array of another shape or element type.

    Example:
        >>> print(polynomial(2.0, [1.0, 0.0, 3.0]))
        13.0
    """
    integer_or_none("polynomial", "unroll", unroll)
    operand = coerce("polynomial", 0, x)
    terms = sequence("polynomial", "coeffs", coeffs)
    if not terms:
        return ops.multiply(operand, number(0, operand))
    result: Operand = operand
    for position, each in enumerate(reversed(terms)):
        point, term = broadcast("polynomial", strict("polynomial", operand, each))
        result = term if position == 0 else ops.add(ops.multiply(result, point), term)
    return array_of(broadcast_to_shape(result, operand.shape if not result.shape else result.shape))


@composed
def mulhi(x: ArrayLike, y: ArrayLike, /) -> Array:
    """Return the upper half of the bits of the product of two integers: of i32, the upper 32 of 64 bits.

    Raises:
        DTypeError: the operands are not integers, or of different types.
        ShapeError: they have different shapes, and neither is a scalar.

    Example:
        >>> import numpy as np
        >>> print(mulhi(np.int32(1 << 30), np.int32(12)))
        3
    """
    left, right = strict("mulhi", x, y)
    dtype = left.dtype
    if not is_integer(dtype) or right.dtype != dtype:
        raise DTypeError(
            f"mulhi: needs two integers of one type, got {user_name(dtype)} and {user_name(right.dtype)}"
        )
    left, right = broadcast("mulhi", [left, right])
    bits = bit_width(dtype)
    if bits == 64:
        return _upper_of_64(left, right, dtype)
    wide = np.dtype(f"{'i' if is_signed(dtype) else 'u'}{8 if bits == 32 else 4}")
    product = ops.multiply(ops.convert(left, dtype=wide), ops.convert(right, dtype=wide))
    shift = ops.shift_right_arithmetic if is_signed(dtype) else ops.shift_right_logical
    return ops.convert(shift(product, wide.type(bits)), dtype=dtype)


def _upper_of_64(x: Operand, y: Operand, dtype: DType) -> Array:
    """From the four products of halves; a negative factor, read as unsigned, is 2**64 too great.

    Source: Warren, "Hacker's Delight", 2nd edition, section 8-2.
    """
    unsigned = np.dtype(np.uint64)
    a, b = [ops.bitcast_convert(p, dtype=unsigned) if is_signed(dtype) else p for p in (x, y)]
    mask, half = unsigned.type(0xFFFFFFFF), unsigned.type(32)
    low_a, high_a = ops.and_(a, mask), ops.shift_right_logical(a, half)
    low_b, high_b = ops.and_(b, mask), ops.shift_right_logical(b, half)
    carry = ops.shift_right_logical(ops.multiply(low_a, low_b), half)
    middle = ops.add(ops.multiply(high_a, low_b), carry)
    other = ops.add(ops.multiply(low_a, high_b), ops.and_(middle, mask))
    upper = ops.add(
        ops.multiply(high_a, high_b),
        ops.add(ops.shift_right_logical(middle, half), ops.shift_right_logical(other, half)),
    )
    if not is_signed(dtype):
        return upper
    zero = dtype.type(0)
    upper = ops.bitcast_convert(upper, dtype=dtype)
    for factor, sign in ((y, x), (x, y)):
        negative = ops.compare(sign, zero, direction="lt")
        upper = ops.subtract(upper, ops.select(negative, factor, zero))
    return upper
