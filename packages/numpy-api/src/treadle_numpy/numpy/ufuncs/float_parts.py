"""Floats decomposed: mantissas and exponents, whole and fractional parts, the distance to the next float.

Exponents are read from the bits and powers of two are made as bits, so that results are exact. Types of 16 bits and
fewer are computed in float32, which holds all of their values and those between them that matter.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import ml_dtypes
import numpy as np

from treadle_ir import Array, DType, DTypeError, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype, inexact_dtype
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_complex, is_integer
from treadle_numpy.numpy import in_numpy
from treadle_numpy.numpy.ufuncs.signs import signbit
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.dtypes import F32, F64, FORMATS
from treadle_numpy.operands.promote import converted, inexact_operand
from treadle_numpy.operands.scalars import zero_like

__all__ = ["frexp", "ldexp", "modf", "spacing"]


def _real(function: str, x: ArrayLike) -> tuple[Array, DType]:
    """Return a real operand in a wide type, float32 or float64, and the type of the result."""
    operand = inexact_operand(function, x)
    dtype = operand.dtype
    if is_complex(dtype):
        raise DTypeError(
            f"{function} does not support complex-valued inputs",
            fix="take the real and imaginary parts apart",
        )
    wide = dtype if dtype in FORMATS else F32
    return array_of(converted(operand, wide)), dtype


def _power_of_two(exponents: Operand, dtype: DType) -> Array:
    """Return two to exponents that normal numbers of a type have, exactly."""
    form = FORMATS[dtype]
    field = ops.add(ops.convert(exponents, dtype=form.bits), form.bits.type(form.bias))
    shifted = ops.shift_left(field, form.bits.type(form.stored))
    return ops.bitcast_convert(shifted, dtype=dtype)


def _scaled(x: Array, exponents: Operand) -> Array:
    """Multiply `x`, in float64, by powers of two of any size.

    A result may be subnormal and is rounded once: down steps are so short that what is rounded by one of them is
    rounded to nothing by the next (the scheme of musl's scalbn).
    """
    form = FORMATS[F64]
    top, bottom = form.bias, 1 - form.bias
    down = bottom + form.stored + 1
    whole = exponents.dtype
    # beyond these, the results of all numbers are infinite or zero
    most = min(3 * top, int(np.iinfo(whole).max))
    least = max(bottom + 2 * down, int(np.iinfo(whole).min))
    left: Operand = ops.clamp(whole.type(least), exponents, whole.type(most))
    for _ in range(2):
        up = ops.compare(left, whole.type(top), direction="gt")
        under = ops.compare(left, whole.type(bottom), direction="lt")
        step = ops.select(up, whole.type(top), ops.select(under, whole.type(down), whole.type(0)))
        x = ops.multiply(x, _power_of_two(step, F64))
        left = ops.subtract(left, step)
    left = ops.clamp(whole.type(bottom), left, whole.type(top))
    return ops.multiply(x, _power_of_two(left, F64))


_MOST: Final = (
    512  # a number of float32 times two to this or more is infinite, or zero times the inverse
)


def _scaled_narrow(x: Array, exponents: Operand) -> Array:
    """The same of float32, in float64: its powers of two take one step, and what is subnormal is rounded at the end."""
    whole = exponents.dtype.type
    limited = ops.clamp(whole(-_MOST), exponents, whole(_MOST))
    wide = ops.multiply(ops.convert(x, dtype=F64), _power_of_two(limited, F64))
    return ops.convert(wide, dtype=F32)


def _field(x: Array) -> Array:
    """Return the bits of the exponent, as they are stored."""
    form = FORMATS[x.dtype]
    bits = ops.bitcast_convert(x, dtype=form.bits)
    above = ops.shift_right_arithmetic(bits, form.bits.type(form.stored))
    return ops.and_(above, form.bits.type(2 * form.bias + 1))


def _lifted(x: Array) -> tuple[Array, Array, Array]:
    """Return the numbers, small ones times two to some power; the e for which |that| is in [2**(e-1), 2**e); the power.

    Of finite numbers that are not 0. A quarter of what is returned is a normal number.
    """
    form = FORMATS[x.dtype]
    power = (form.bias + 1) // 2
    small = ops.compare(ops.abs(x), x.dtype.type(2.0**-power), direction="lt")
    lifted = ops.select(small, ops.multiply(x, x.dtype.type(2.0**power)), x)
    field = ops.convert(_field(lifted), dtype=BY_NAME["i32"])
    above = ops.subtract(field, np.int32(form.bias - 1))
    return lifted, above, ops.select(small, np.int32(power), np.int32(0))


@composed(host=in_numpy.frexp)
def frexp(x: ArrayLike, /) -> tuple[Array, Array]:
    """Mantissa and exponent: `x == mantissa * 2**exponent`, the mantissa from 1/2 up to 1, with the sign of x.

    Zeros, infinities and NaN are their own mantissas, with the exponent 0. Mantissas have the type of x, exponents
    are 32-bit integers. The derivative of a mantissa is `2**-exponent`.

    Raises:
        DTypeError: the operand is complex.

    Example:
        >>> print(*frexp(np.array([1.0, -6.0, 0.0], np.float32)))
        [ 0.5  -0.75  0.  ] [1 3 0]
    """
    wide, dtype = _real("frexp", x)
    apart = ops.and_(ops.is_finite(wide), ops.compare(wide, wide.dtype.type(0), direction="ne"))
    lifted, above, power = _lifted(wide)
    above = ops.select(apart, above, power)
    quarter = ops.multiply(
        lifted, wide.dtype.type(0.25)
    )  # two to the power of -above itself may be subnormal
    scaled = ops.multiply(quarter, _power_of_two(ops.subtract(np.int32(2), above), wide.dtype))
    mantissa = ops.select(apart, scaled, wide)
    return converted(mantissa, dtype), ops.subtract(above, power)


@composed
def ldexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Compute `x1 * 2**x2`, rounded once: also where `2**x2` itself is not a float.

    Raises:
        DTypeError: `x1` is complex, or `x2` not of integer type.
        ShapeError: the operands have no common shape.

    Example:
        >>> print(ldexp(np.array([1.0, 3.0], np.float32), np.array([4, -1])))
        [16.   1.5]
    """
    exponents = coerce("ldexp", 1, x2)
    if not (is_integer(exponents.dtype) or is_bool(exponents.dtype)):
        raise DTypeError(
            f"ldexp: the exponents must be integers, got {operand_type(exponents)}",
            fix="use `x * exp2(y)` for powers that are not integers",
        )
    wide, dtype = _real("ldexp", x1)
    # unsigned and narrow exponents are read in the default type, which holds all that make a difference
    exponents = converted(exponents, default_dtype(int))
    shape = common_shape("ldexp", [wide.shape, exponents.shape])
    x, by = broadcast_to_shape(wide, shape), broadcast_to_shape(exponents, shape)
    return converted(_scaled(x, by) if dtype == F64 else _scaled_narrow(x, by), dtype)


@composed(host=in_numpy.modf)
def modf(x: ArrayLike, /, out: None = None) -> tuple[Array, Array]:
    """Return the fractional part and the whole part, both with the sign of x; the fraction of an infinity is 0.

    Raises:
        DTypeError: the operand is complex.
        UnsupportedError: `out` is given.

    Example:
        >>> print(*modf(np.array([1.5, -2.25], np.float32)))
        [ 0.5  -0.25] [ 1. -2.]
    """
    named_only("modf", out=out)
    operand = inexact_operand("modf", x)
    if is_complex(operand.dtype):
        raise DTypeError(
            "modf does not support complex-valued inputs",
            fix="take the real and imaginary parts apart",
        )
    value = array_of(operand)
    negative = signbit(value)
    size = ops.select(negative, ops.negate(value), value)
    whole = ops.floor(size)
    infinite = ops.compare(size, value.dtype.type(np.inf), direction="eq")
    part = ops.select(infinite, zero_like(value), ops.subtract(size, whole))
    return (
        ops.select(negative, ops.negate(part), part),
        ops.select(negative, ops.negate(whole), whole),
    )


@composed(host=in_numpy.spacing)
def spacing(x: ArrayLike, /) -> Array:
    """Return the distance from x to the next float away from 0, with the sign of x; NaN for infinities and NaN.

    Raises:
        DTypeError: the operand is complex.

    Example:
        >>> print(spacing(np.array([1.0, 1024.0], np.float32)))
        [1.1920929e-07 1.2207031e-04]
    """
    operand = inexact_operand("spacing", x)
    dtype = inexact_dtype(operand.dtype)
    wide, _ = _real("spacing", operand)
    limits = _limits(dtype)
    form = FORMATS[wide.dtype]
    whole = form.bits.type
    # the exponent's field of the result, 1 and more for normal numbers; zeros and subnormal ones have the least
    field = ops.add(_field(wide), whole(1 - limits.digits))
    field = ops.maximum(field, whole(limits.lowest + form.bias))
    normal = ops.shift_left(field, whole(form.stored))
    subnormal = ops.shift_left(whole(1), ops.add(field, whole(form.stored - 1)))
    size = ops.select(ops.compare(field, whole(0), direction="gt"), normal, subnormal)
    negative = ops.compare(wide, zero_like(wide), direction="lt")
    signed = ops.select(negative, ops.or_(size, whole(np.iinfo(form.bits).min)), size)
    distance = ops.bitcast_convert(signed, dtype=wide.dtype)
    nothing = ops.select(ops.is_finite(wide), distance, wide.dtype.type(np.nan))
    return converted(nothing, dtype)


class _Limits(NamedTuple):
    """How finely a type counts: the digits of a mantissa, and the exponent of its least number."""

    digits: int
    lowest: int


def _limits(dtype: DType) -> _Limits:
    info = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    return _Limits(info.nmant + 1, int(info.minexp) - info.nmant)
