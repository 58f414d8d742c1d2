"""Elementwise arithmetic: operands of one shape, or scalars that are broadcast over it; that shape out.

All operands have one element type; no promotion happens here. The result is weak when all operands are.
Names are StableHLO's (CHLO's where StableHLO has none), in full where those are abbreviated.

Long because there is a class and a function for each of some sixty operations, all of one form.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np

from treadle_ir import dtypes
from treadle_ir.array import Array, Operand
from treadle_ir.dtypes import DType
from treadle_ir.errors import DTypeError, ShapeError
from treadle_ir.families import Elementwise
from treadle_ir.frozen import frozen
from treadle_ir.primitive import Attributeless
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType, Type

_KINDS: Final = {
    "b": ("boolean", dtypes.is_bool),
    "i": ("signed integer", dtypes.is_signed),
    "u": ("unsigned integer", dtypes.is_unsigned),
    "f": ("floating", dtypes.is_floating),
    "c": ("complex", dtypes.is_complex),
    "k": ("random keys", dtypes.is_key),
}


def check_kind(name: str, kinds: str, dtype: DType) -> None:
    """Refuse element types of other kinds than these (letters of `biufck`).

    Raises:
        DTypeError: it is of another kind.
    """
    if not any(_KINDS[kind][1](dtype) for kind in kinds):
        wanted = ", ".join(_KINDS[kind][0] for kind in kinds)
        raise DTypeError(
            f"{name}: operands are {dtypes.dtype_name(dtype)}, but it takes {wanted}",
            fix="convert the operand first (`.astype(...)`)",
        )


def common_type(name: str, operands: tuple[Type, ...]) -> ArrayType:
    """The type that elementwise operands share.

    Constraints:
        (C1) all shapes that are not () are equal
        (C2) all element types are equal

    Raises:
        ShapeError: C1.
        DTypeError: C2, or an operand is not an array.
    """
    shape: tuple[int, ...] = ()
    weak = True
    first = operands[0]
    assert isinstance(first, ArrayType)
    for operand in operands:
        if not isinstance(operand, ArrayType):
            raise DTypeError(f"{name}: an operand is a {operand}, not an array")
        if operand.shape != shape and operand.shape != ():  # C1
            if shape != ():
                listed = " and ".join(map(str, operands))
                raise ShapeError(
                    f"{name}: operands have types {listed}, whose shapes must be equal",
                    fix="broadcast first with ops.broadcast_in_dim, or use the function of treadle.numpy",
                )
            shape = operand.shape
        if operand.dtype is not first.dtype and operand.dtype != first.dtype:  # C2
            listed = " and ".join(map(str, operands))
            raise DTypeError(
                f"{name}: operands have types {listed}, whose element types must be equal",
                fix="convert first with ops.convert, or use the function of treadle.numpy, which promotes",
            )
        weak = weak and operand.weak
    return ArrayType(shape, first.dtype, weak)


class Unary(Elementwise):
    """Family: one operand; the result has its type."""

    __slots__ = ()
    kinds: ClassVar[str]  # the element types it takes, letters of `biufc`

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        return (x,)


class RealPart(Unary):
    """Family: one operand; the result has the type of a complex number's parts."""

    __slots__ = ()

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type, real."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        return (ArrayType(x.shape, dtypes.real_part(x.dtype), x.weak),)


class Binary(Elementwise):
    """Family: two operands of one element type; the result has their type."""

    __slots__ = ()
    kinds: ClassVar[str]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The type that the operands share."""
        x, y = operands
        type = common_type(self.name, (x, y))
        check_kind(self.name, self.kinds, type.dtype)
        return (type,)


@register
@final
class Abs(Attributeless, RealPart):
    """`|x|`; the modulus of a complex number, which is real."""

    __slots__ = ()
    name: ClassVar[str] = "abs"
    kinds: ClassVar[str] = "iufc"


@register
@final
class Acos(Attributeless, Unary):
    """Inverse cosine."""

    __slots__ = ()
    name: ClassVar[str] = "acos"
    kinds: ClassVar[str] = "fc"


@register
@final
class Acosh(Attributeless, Unary):
    """Inverse hyperbolic cosine."""

    __slots__ = ()
    name: ClassVar[str] = "acosh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Asin(Attributeless, Unary):
    """Inverse sine."""

    __slots__ = ()
    name: ClassVar[str] = "asin"
    kinds: ClassVar[str] = "fc"


@register
@final
class Asinh(Attributeless, Unary):
    """Inverse hyperbolic sine."""

    __slots__ = ()
    name: ClassVar[str] = "asinh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Atan(Attributeless, Unary):
    """Inverse tangent."""

    __slots__ = ()
    name: ClassVar[str] = "atan"
    kinds: ClassVar[str] = "fc"


@register
@final
class Atanh(Attributeless, Unary):
    """Inverse hyperbolic tangent."""

    __slots__ = ()
    name: ClassVar[str] = "atanh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Cbrt(Attributeless, Unary):
    """Cube root."""

    __slots__ = ()
    name: ClassVar[str] = "cbrt"
    kinds: ClassVar[str] = "f"


@register
@final
class Ceil(Attributeless, Unary):
    """The least integer that is not below `x`."""

    __slots__ = ()
    name: ClassVar[str] = "ceil"
    kinds: ClassVar[str] = "f"


@register
@final
class Conjugate(Attributeless, Unary):
    """The complex conjugate."""

    __slots__ = ()
    name: ClassVar[str] = "conjugate"
    kinds: ClassVar[str] = "c"


@register
@final
class Cosh(Attributeless, Unary):
    """Hyperbolic cosine."""

    __slots__ = ()
    name: ClassVar[str] = "cosh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Cosine(Attributeless, Unary):
    """Cosine of an angle in radians."""

    __slots__ = ()
    name: ClassVar[str] = "cosine"
    kinds: ClassVar[str] = "fc"


@register
@final
class CountLeadingZeros(Attributeless, Unary):
    """The number of zero bits above the highest one bit."""

    __slots__ = ()
    name: ClassVar[str] = "count_leading_zeros"
    kinds: ClassVar[str] = "iu"


@register
@final
class Digamma(Attributeless, Unary):
    """The derivative of `lgamma`."""

    __slots__ = ()
    name: ClassVar[str] = "digamma"
    kinds: ClassVar[str] = "f"


@register
@final
class Erf(Attributeless, Unary):
    """The error function."""

    __slots__ = ()
    name: ClassVar[str] = "erf"
    kinds: ClassVar[str] = "f"


@register
@final
class ErfInv(Attributeless, Unary):
    """The inverse of `erf`."""

    __slots__ = ()
    name: ClassVar[str] = "erf_inv"
    kinds: ClassVar[str] = "f"


@register
@final
class Erfc(Attributeless, Unary):
    """`1 - erf(x)`, without the cancellation."""

    __slots__ = ()
    name: ClassVar[str] = "erfc"
    kinds: ClassVar[str] = "f"


@register
@final
class Exponential(Attributeless, Unary):
    """`e ** x`."""

    __slots__ = ()
    name: ClassVar[str] = "exponential"
    kinds: ClassVar[str] = "fc"


@register
@final
class Exponential2(Attributeless, Unary):
    """`2 ** x`."""

    __slots__ = ()
    name: ClassVar[str] = "exponential2"
    kinds: ClassVar[str] = "fc"


@register
@final
class ExponentialMinusOne(Attributeless, Unary):
    """`e ** x - 1`, without the cancellation near 0."""

    __slots__ = ()
    name: ClassVar[str] = "exponential_minus_one"
    kinds: ClassVar[str] = "fc"


@register
@final
class Floor(Attributeless, Unary):
    """The greatest integer that is not above `x`."""

    __slots__ = ()
    name: ClassVar[str] = "floor"
    kinds: ClassVar[str] = "f"


@register
@final
class Imag(Attributeless, RealPart):
    """The imaginary part, which is real."""

    __slots__ = ()
    name: ClassVar[str] = "imag"
    kinds: ClassVar[str] = "c"


@register
@final
class IsFinite(Attributeless, Unary):
    """Whether it is neither infinite nor NaN, as a boolean."""

    __slots__ = ()
    name: ClassVar[str] = "is_finite"
    kinds: ClassVar[str] = "f"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """A boolean of the operand's shape."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        return (ArrayType(x.shape, np.dtype(np.bool_)),)


@register
@final
class Lgamma(Attributeless, Unary):
    """The logarithm of the gamma function's absolute value."""

    __slots__ = ()
    name: ClassVar[str] = "lgamma"
    kinds: ClassVar[str] = "f"


@register
@final
class Log(Attributeless, Unary):
    """Natural logarithm."""

    __slots__ = ()
    name: ClassVar[str] = "log"
    kinds: ClassVar[str] = "fc"


@register
@final
class LogPlusOne(Attributeless, Unary):
    """`log(1 + x)`, without the cancellation near 0."""

    __slots__ = ()
    name: ClassVar[str] = "log_plus_one"
    kinds: ClassVar[str] = "fc"


@register
@final
class Logistic(Attributeless, Unary):
    """`1 / (1 + e ** -x)`."""

    __slots__ = ()
    name: ClassVar[str] = "logistic"
    kinds: ClassVar[str] = "fc"


@register
@final
class Negate(Attributeless, Unary):
    """`-x`; unsigned integers wrap around."""

    __slots__ = ()
    name: ClassVar[str] = "negate"
    kinds: ClassVar[str] = "iufc"


@register
@final
class Not(Attributeless, Unary):
    """Each bit inverted; of a boolean, its opposite."""

    __slots__ = ()
    name: ClassVar[str] = "not"
    kinds: ClassVar[str] = "biu"


@register
@final
class Popcnt(Attributeless, Unary):
    """The number of one bits."""

    __slots__ = ()
    name: ClassVar[str] = "popcnt"
    kinds: ClassVar[str] = "iu"


@register
@final
class Real(Attributeless, RealPart):
    """The real part, which is real."""

    __slots__ = ()
    name: ClassVar[str] = "real"
    kinds: ClassVar[str] = "c"


@register
@final
class RoundNearestAfz(Attributeless, Unary):
    """The nearest integer, halves away from zero."""

    __slots__ = ()
    name: ClassVar[str] = "round_nearest_afz"
    kinds: ClassVar[str] = "f"


@register
@final
class RoundNearestEven(Attributeless, Unary):
    """The nearest integer, halves to the even one."""

    __slots__ = ()
    name: ClassVar[str] = "round_nearest_even"
    kinds: ClassVar[str] = "f"


@register
@final
class Rsqrt(Attributeless, Unary):
    """`1 / sqrt(x)`."""

    __slots__ = ()
    name: ClassVar[str] = "rsqrt"
    kinds: ClassVar[str] = "fc"


@register
@final
class Sign(Attributeless, Unary):
    """-1, 0 or 1 (NaN stays NaN); of a complex number, `x / |x|`."""

    __slots__ = ()
    name: ClassVar[str] = "sign"
    kinds: ClassVar[str] = "ifc"


@register
@final
class Sine(Attributeless, Unary):
    """Sine of an angle in radians."""

    __slots__ = ()
    name: ClassVar[str] = "sine"
    kinds: ClassVar[str] = "fc"


@register
@final
class Sinh(Attributeless, Unary):
    """Hyperbolic sine."""

    __slots__ = ()
    name: ClassVar[str] = "sinh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Sqrt(Attributeless, Unary):
    """Square root."""

    __slots__ = ()
    name: ClassVar[str] = "sqrt"
    kinds: ClassVar[str] = "fc"


@register
@final
class Square(Attributeless, Unary):
    """`x * x`."""

    __slots__ = ()
    name: ClassVar[str] = "square"
    kinds: ClassVar[str] = "iufc"


@register
@final
class Tan(Attributeless, Unary):
    """Tangent of an angle in radians."""

    __slots__ = ()
    name: ClassVar[str] = "tan"
    kinds: ClassVar[str] = "fc"


@register
@final
class Tanh(Attributeless, Unary):
    """Hyperbolic tangent."""

    __slots__ = ()
    name: ClassVar[str] = "tanh"
    kinds: ClassVar[str] = "fc"


@register
@final
class Add(Attributeless, Binary):
    """`x + y`; of booleans, `x or y`."""

    __slots__ = ()
    name: ClassVar[str] = "add"
    kinds: ClassVar[str] = "biufc"


@register
@final
class And(Attributeless, Binary):
    """Each bit of `x` and `y`."""

    __slots__ = ()
    name: ClassVar[str] = "and"
    kinds: ClassVar[str] = "biu"


@register
@final
class Atan2(Attributeless, Binary):
    """The angle of the point (y, x): `atan2(y, x)` in (-pi, pi]."""

    __slots__ = ()
    name: ClassVar[str] = "atan2"
    kinds: ClassVar[str] = "f"


@register
@final
class Divide(Attributeless, Binary):
    """`x / y`; of integers, the quotient rounded toward zero."""

    __slots__ = ()
    name: ClassVar[str] = "divide"
    kinds: ClassVar[str] = "iufc"


@register
@final
class Maximum(Attributeless, Binary):
    """The greater of the two; NaN if one is NaN."""

    __slots__ = ()
    name: ClassVar[str] = "maximum"
    kinds: ClassVar[str] = "biuf"


@register
@final
class Minimum(Attributeless, Binary):
    """The lesser of the two; NaN if one is NaN."""

    __slots__ = ()
    name: ClassVar[str] = "minimum"
    kinds: ClassVar[str] = "biuf"


@register
@final
class Multiply(Attributeless, Binary):
    """`x * y`; of booleans, `x and y`."""

    __slots__ = ()
    name: ClassVar[str] = "multiply"
    kinds: ClassVar[str] = "biufc"


@register
@final
class NextAfter(Attributeless, Binary):
    """The next number after `x` in the direction of `y`."""

    __slots__ = ()
    name: ClassVar[str] = "next_after"
    kinds: ClassVar[str] = "f"


@register
@final
class Or(Attributeless, Binary):
    """Each bit of `x` or `y`."""

    __slots__ = ()
    name: ClassVar[str] = "or"
    kinds: ClassVar[str] = "biu"


@register
@final
class Power(Attributeless, Binary):
    """`x ** y`."""

    __slots__ = ()
    name: ClassVar[str] = "power"
    kinds: ClassVar[str] = "iufc"


@register
@final
class Remainder(Attributeless, Binary):
    """What is left of `x` after division by `y` rounded toward zero; it has the sign of `x`."""

    __slots__ = ()
    name: ClassVar[str] = "remainder"
    kinds: ClassVar[str] = "iuf"


@register
@final
class ShiftLeft(Attributeless, Binary):
    """`x << y`; 0 when `y` is not below the number of bits."""

    __slots__ = ()
    name: ClassVar[str] = "shift_left"
    kinds: ClassVar[str] = "iu"


@register
@final
class ShiftRightArithmetic(Attributeless, Binary):
    """`x >> y`, filling with the sign bit."""

    __slots__ = ()
    name: ClassVar[str] = "shift_right_arithmetic"
    kinds: ClassVar[str] = "iu"


@register
@final
class ShiftRightLogical(Attributeless, Binary):
    """`x >> y`, filling with zeros."""

    __slots__ = ()
    name: ClassVar[str] = "shift_right_logical"
    kinds: ClassVar[str] = "iu"


@register
@final
class Subtract(Attributeless, Binary):
    """`x - y`."""

    __slots__ = ()
    name: ClassVar[str] = "subtract"
    kinds: ClassVar[str] = "iufc"


@register
@final
class Xor(Attributeless, Binary):
    """Each bit of `x` or `y` but not of both."""

    __slots__ = ()
    name: ClassVar[str] = "xor"
    kinds: ClassVar[str] = "biu"


@register
@final
class Complex(Attributeless, Binary):
    """The complex number with these real and imaginary parts."""

    __slots__ = ()
    name: ClassVar[str] = "complex"
    kinds: ClassVar[str] = "f"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The complex type of the parts' type, which is f32 or f64."""
        type = common_type(self.name, operands)
        if type.dtype not in (np.float32, np.float64):
            raise DTypeError(
                f"complex: parts are {dtypes.dtype_name(type.dtype)}, but must be f32 or f64"
            )
        return (ArrayType(type.shape, dtypes.complex_of(type.dtype), type.weak),)


@register
@final
@frozen
class IntegerPower(Unary):
    """`x ** exponent` for a fixed integer: by repeated squaring, exact for integers."""

    name: ClassVar[str] = "integer_power"
    kinds: ClassVar[str] = "iufc"
    exponent: int

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type; a negative exponent needs a floating or complex one."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds if self.exponent >= 0 else "fc", x.dtype)
        return (x,)


def complex(x: Operand, y: Operand) -> Array:
    """The complex number with these real and imaginary parts."""
    return bind(Complex(), x, y)[0]


def integer_power(x: Operand, *, exponent: int) -> Array:
    """`x ** exponent` for a fixed integer: by repeated squaring, exact for integers."""
    return bind(IntegerPower(exponent), x)[0]


_ABS: Final = Abs()


def abs(x: Operand) -> Array:
    """`|x|`; the modulus of a complex number, which is real."""
    return bind(_ABS, x)[0]


_ACOS: Final = Acos()


def acos(x: Operand) -> Array:
    """Inverse cosine."""
    return bind(_ACOS, x)[0]


_ACOSH: Final = Acosh()


def acosh(x: Operand) -> Array:
    """Inverse hyperbolic cosine."""
    return bind(_ACOSH, x)[0]


_ASIN: Final = Asin()


def asin(x: Operand) -> Array:
    """Inverse sine."""
    return bind(_ASIN, x)[0]


_ASINH: Final = Asinh()


def asinh(x: Operand) -> Array:
    """Inverse hyperbolic sine."""
    return bind(_ASINH, x)[0]


_ATAN: Final = Atan()


def atan(x: Operand) -> Array:
    """Inverse tangent."""
    return bind(_ATAN, x)[0]


_ATANH: Final = Atanh()


def atanh(x: Operand) -> Array:
    """Inverse hyperbolic tangent."""
    return bind(_ATANH, x)[0]


_CBRT: Final = Cbrt()


def cbrt(x: Operand) -> Array:
    """Cube root."""
    return bind(_CBRT, x)[0]


_CEIL: Final = Ceil()


def ceil(x: Operand) -> Array:
    """The least integer that is not below `x`."""
    return bind(_CEIL, x)[0]


_CONJUGATE: Final = Conjugate()


def conjugate(x: Operand) -> Array:
    """The complex conjugate."""
    return bind(_CONJUGATE, x)[0]


_COSH: Final = Cosh()


def cosh(x: Operand) -> Array:
    """Hyperbolic cosine."""
    return bind(_COSH, x)[0]


_COSINE: Final = Cosine()


def cosine(x: Operand) -> Array:
    """Cosine of an angle in radians."""
    return bind(_COSINE, x)[0]


_COUNT_LEADING_ZEROS: Final = CountLeadingZeros()


def count_leading_zeros(x: Operand) -> Array:
    """The number of zero bits above the highest one bit."""
    return bind(_COUNT_LEADING_ZEROS, x)[0]


_DIGAMMA: Final = Digamma()


def digamma(x: Operand) -> Array:
    """The derivative of `lgamma`."""
    return bind(_DIGAMMA, x)[0]


_ERF: Final = Erf()


def erf(x: Operand) -> Array:
    """The error function."""
    return bind(_ERF, x)[0]


_ERF_INV: Final = ErfInv()


def erf_inv(x: Operand) -> Array:
    """The inverse of `erf`."""
    return bind(_ERF_INV, x)[0]


_ERFC: Final = Erfc()


def erfc(x: Operand) -> Array:
    """`1 - erf(x)`, without the cancellation."""
    return bind(_ERFC, x)[0]


_EXPONENTIAL: Final = Exponential()


def exponential(x: Operand) -> Array:
    """`e ** x`."""
    return bind(_EXPONENTIAL, x)[0]


_EXPONENTIAL2: Final = Exponential2()


def exponential2(x: Operand) -> Array:
    """`2 ** x`."""
    return bind(_EXPONENTIAL2, x)[0]


_EXPONENTIAL_MINUS_ONE: Final = ExponentialMinusOne()


def exponential_minus_one(x: Operand) -> Array:
    """`e ** x - 1`, without the cancellation near 0."""
    return bind(_EXPONENTIAL_MINUS_ONE, x)[0]


_FLOOR: Final = Floor()


def floor(x: Operand) -> Array:
    """The greatest integer that is not above `x`."""
    return bind(_FLOOR, x)[0]


_IMAG: Final = Imag()


def imag(x: Operand) -> Array:
    """The imaginary part, which is real."""
    return bind(_IMAG, x)[0]


_IS_FINITE: Final = IsFinite()


def is_finite(x: Operand) -> Array:
    """Whether it is neither infinite nor NaN, as a boolean."""
    return bind(_IS_FINITE, x)[0]


_LGAMMA: Final = Lgamma()


def lgamma(x: Operand) -> Array:
    """The logarithm of the gamma function's absolute value."""
    return bind(_LGAMMA, x)[0]


_LOG: Final = Log()


def log(x: Operand) -> Array:
    """Natural logarithm."""
    return bind(_LOG, x)[0]


_LOG_PLUS_ONE: Final = LogPlusOne()


def log_plus_one(x: Operand) -> Array:
    """`log(1 + x)`, without the cancellation near 0."""
    return bind(_LOG_PLUS_ONE, x)[0]


_LOGISTIC: Final = Logistic()


def logistic(x: Operand) -> Array:
    """`1 / (1 + e ** -x)`."""
    return bind(_LOGISTIC, x)[0]


_NEGATE: Final = Negate()


def negate(x: Operand) -> Array:
    """`-x`; unsigned integers wrap around."""
    return bind(_NEGATE, x)[0]


_NOT: Final = Not()


def not_(x: Operand) -> Array:
    """Each bit inverted; of a boolean, its opposite."""
    return bind(_NOT, x)[0]


_POPCNT: Final = Popcnt()


def popcnt(x: Operand) -> Array:
    """The number of one bits."""
    return bind(_POPCNT, x)[0]


_REAL: Final = Real()


def real(x: Operand) -> Array:
    """The real part, which is real."""
    return bind(_REAL, x)[0]


_ROUND_NEAREST_AFZ: Final = RoundNearestAfz()


def round_nearest_afz(x: Operand) -> Array:
    """The nearest integer, halves away from zero."""
    return bind(_ROUND_NEAREST_AFZ, x)[0]


_ROUND_NEAREST_EVEN: Final = RoundNearestEven()


def round_nearest_even(x: Operand) -> Array:
    """The nearest integer, halves to the even one."""
    return bind(_ROUND_NEAREST_EVEN, x)[0]


_RSQRT: Final = Rsqrt()


def rsqrt(x: Operand) -> Array:
    """`1 / sqrt(x)`."""
    return bind(_RSQRT, x)[0]


_SIGN: Final = Sign()


def sign(x: Operand) -> Array:
    """-1, 0 or 1 (NaN stays NaN); of a complex number, `x / |x|`."""
    return bind(_SIGN, x)[0]


_SINE: Final = Sine()


def sine(x: Operand) -> Array:
    """Sine of an angle in radians."""
    return bind(_SINE, x)[0]


_SINH: Final = Sinh()


def sinh(x: Operand) -> Array:
    """Hyperbolic sine."""
    return bind(_SINH, x)[0]


_SQRT: Final = Sqrt()


def sqrt(x: Operand) -> Array:
    """Square root."""
    return bind(_SQRT, x)[0]


_SQUARE: Final = Square()


def square(x: Operand) -> Array:
    """`x * x`."""
    return bind(_SQUARE, x)[0]


_TAN: Final = Tan()


def tan(x: Operand) -> Array:
    """Tangent of an angle in radians."""
    return bind(_TAN, x)[0]


_TANH: Final = Tanh()


def tanh(x: Operand) -> Array:
    """Hyperbolic tangent."""
    return bind(_TANH, x)[0]


_ADD: Final = Add()


def add(x: Operand, y: Operand) -> Array:
    """`x + y`; of booleans, `x or y`."""
    return bind(_ADD, x, y)[0]


_AND: Final = And()


def and_(x: Operand, y: Operand) -> Array:
    """Each bit of `x` and `y`."""
    return bind(_AND, x, y)[0]


_ATAN2: Final = Atan2()


def atan2(y: Operand, x: Operand) -> Array:
    """The angle of the point (y, x): `atan2(y, x)` in (-pi, pi]."""
    return bind(_ATAN2, y, x)[0]


_DIVIDE: Final = Divide()


def divide(x: Operand, y: Operand) -> Array:
    """`x / y`; of integers, the quotient rounded toward zero."""
    return bind(_DIVIDE, x, y)[0]


_MAXIMUM: Final = Maximum()


def maximum(x: Operand, y: Operand) -> Array:
    """The greater of the two; NaN if one is NaN."""
    return bind(_MAXIMUM, x, y)[0]


_MINIMUM: Final = Minimum()


def minimum(x: Operand, y: Operand) -> Array:
    """The lesser of the two; NaN if one is NaN."""
    return bind(_MINIMUM, x, y)[0]


_MULTIPLY: Final = Multiply()


def multiply(x: Operand, y: Operand) -> Array:
    """`x * y`; of booleans, `x and y`."""
    return bind(_MULTIPLY, x, y)[0]


_NEXT_AFTER: Final = NextAfter()


def next_after(x: Operand, y: Operand) -> Array:
    """The next number after `x` in the direction of `y`."""
    return bind(_NEXT_AFTER, x, y)[0]


_OR: Final = Or()


def or_(x: Operand, y: Operand) -> Array:
    """Each bit of `x` or `y`."""
    return bind(_OR, x, y)[0]


_POWER: Final = Power()


def power(x: Operand, y: Operand) -> Array:
    """`x ** y`."""
    return bind(_POWER, x, y)[0]


_REMAINDER: Final = Remainder()


def remainder(x: Operand, y: Operand) -> Array:
    """What is left of `x` after division by `y` rounded toward zero; it has the sign of `x`."""
    return bind(_REMAINDER, x, y)[0]


_SHIFT_LEFT: Final = ShiftLeft()


def shift_left(x: Operand, y: Operand) -> Array:
    """`x << y`; 0 when `y` is not below the number of bits."""
    return bind(_SHIFT_LEFT, x, y)[0]


_SHIFT_RIGHT_ARITHMETIC: Final = ShiftRightArithmetic()


def shift_right_arithmetic(x: Operand, y: Operand) -> Array:
    """`x >> y`, filling with the sign bit."""
    return bind(_SHIFT_RIGHT_ARITHMETIC, x, y)[0]


_SHIFT_RIGHT_LOGICAL: Final = ShiftRightLogical()


def shift_right_logical(x: Operand, y: Operand) -> Array:
    """`x >> y`, filling with zeros."""
    return bind(_SHIFT_RIGHT_LOGICAL, x, y)[0]


_SUBTRACT: Final = Subtract()


def subtract(x: Operand, y: Operand) -> Array:
    """`x - y`."""
    return bind(_SUBTRACT, x, y)[0]


_XOR: Final = Xor()


def xor(x: Operand, y: Operand) -> Array:
    """Each bit of `x` or `y` but not of both."""
    return bind(_XOR, x, y)[0]
