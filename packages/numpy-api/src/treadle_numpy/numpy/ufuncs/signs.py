"""Absolute values and signs."""

from __future__ import annotations

from typing import Final

from treadle_ir import Array, DTypeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_complex, is_float0, is_integer, is_unsigned
from treadle_ir.errors import alias
from treadle_ir.primitives import elementwise as primitives
from treadle_numpy.numpy.ufuncs.making import binary
from treadle_numpy.operands.arrays import bind
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.promote import converted, inexact_operand, without_weak_arrays
from treadle_numpy.operands.scalars import number, zero_like

__all__ = ["abs", "absolute", "copysign", "fabs", "heaviside", "nextafter", "sign", "signbit"]


def fabs(x: ArrayLike, /) -> Array:
    """Return the absolute value as a float; not for complex numbers.

    Raises:
        DTypeError: the operand is complex.

    Example:
        >>> print(fabs(-2))
        2.0
    """
    operand = inexact_operand("fabs", x)
    if is_complex(operand.dtype):
        raise DTypeError("fabs does not support complex dtypes", fix="use abs")
    return ops.abs(operand)


def abs(x: ArrayLike, /) -> Array:
    """Return the absolute value; the modulus of complex numbers. Its derivative at 0 is 0.

    Example:
        >>> print(abs(-3))
        3
    """
    operand = coerce("abs", 0, x)
    if is_bool(operand.dtype):
        return coerce_array("abs", 0, operand)
    return bind(_ABS, operand)


_ABS: Final = primitives.Abs()
absolute = alias(abs, "absolute")


def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 by the sign of a real number; `x / abs(x)` of a complex one.

    Example:
        >>> print(sign(-2.5))
        -1.0
    """
    operand = coerce("sign", 0, x)
    if is_unsigned(operand.dtype):
        return ops.minimum(operand, number(1, operand))
    return bind(_SIGN, operand)


_SIGN: Final = primitives.Sign()


@composed
def signbit(x: ArrayLike, /) -> Array:
    """Return whether the sign bit is set: of negative numbers, and of -0.0.

    Example:
        >>> print(signbit(-0.0))
        True
    """
    operand = coerce("signbit", 0, x)
    type = operand_type(operand)
    dtype = type.dtype
    if is_bool(dtype) or is_unsigned(dtype) or is_integer(dtype):
        return ops.compare(operand, dtype.type(0), direction="lt")
    if is_float0(dtype):
        raise DTypeError("signbit: float0 has one value and no sign")
    if is_complex(dtype):
        raise DTypeError(
            "signbit is not defined for complex numbers", fix="ask for the real or imaginary part"
        )
    bits = BY_NAME[f"i{dtype.itemsize * 8}"]
    return ops.compare(ops.bitcast_convert(operand, dtype=bits), bits.type(0), direction="lt")


@composed
def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Return the magnitude of `x1` with the sign of `x2`.

    Raises:
        DTypeError: an operand is complex.

    Example:
        >>> print(copysign(3.0, -0.0))
        -3.0
    """
    x, y = promote_shapes("copysign", x1, x2, inexact=True)
    if is_complex(x.dtype):
        raise DTypeError("copysign does not support complex-valued inputs", fix="use abs and angle")
    if operand_type(x).weak and not operand_type(y).weak:
        x = converted(x, x.dtype)
    # Not by the magnitude, which has no derivative at 0: the derivative of copysign(x, x), which is x, is 1 there.
    return ops.select(ops.xor(signbit(x), signbit(y)), ops.negate(x), x)


@composed
def heaviside(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """0 below 0, 1 above, `x2` at 0.

    Example:
        >>> import numpy as np
        >>> print(heaviside(np.array([-1.0, 0.0, 2.0]), 0.5))
        [0.  0.5 1. ]
    """
    x, y = promote_shapes("heaviside", x1, x2, inexact=True)
    x = without_weak_arrays(x)
    zero, one = zero_like(x), number(1, x)
    above = ops.select(ops.compare(x, zero, direction="gt"), one, x)
    inner = ops.select(ops.compare(x, zero, direction="lt"), zero, above)
    return ops.select(ops.compare(x, zero, direction="eq"), y, inner)


nextafter = binary(
    "nextafter",
    primitives.NextAfter(),
    "The next number after x towards y.",
    "print(nextafter(1.0, 2.0))\n        1.0000001",
    inexact=True,
)
