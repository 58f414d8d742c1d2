"""Written by scripts/stubs.py from the rows of operations in this folder: change nothing by hand."""

from collections.abc import Mapping
from typing import Final, final

from treadle_ir.core.families import Elementwise
from treadle_ir.core.primitive import Attributeless
from treadle_ir.primitives.elementwise.arithmetic import (
    IntegerPower as IntegerPower,
    integer_power as integer_power,
)
from treadle_ir.primitives.elementwise.families import (
    Binary as Binary,
    OfParts as OfParts,
    Predicate as Predicate,
    RealPart as RealPart,
    Several as Several,
    Unary as Unary,
    check_kind as check_kind,
    common_type as common_type,
)
from treadle_ir.primitives.elementwise.operations import Op as Op
from treadle_ir.primitives.elementwise.special import (
    WITH_FORMULA as WITH_FORMULA,
    FormulaDerivative as FormulaDerivative,
    formula_derivative as formula_derivative,
)
from treadle_ir.tracing.array import Array, Operand

OPERATIONS: Final[Mapping[type[Elementwise], Op]]

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "and_",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i0e",
    "bessel_i1e",
    "cbrt",
    "ceil",
    "complex",
    "conjugate",
    "cosh",
    "cosine",
    "cosine_integral",
    "count_leading_zeros",
    "dawson",
    "digamma",
    "divide",
    "erf",
    "erf_inv",
    "erfc",
    "erfc_inv",
    "erfcx",
    "expi",
    "expn",
    "exponential",
    "exponential2",
    "exponential_minus_one",
    "floor",
    "formula_derivative",
    "fresnel_cosine",
    "fresnel_sine",
    "greatest_common_divisor",
    "hyp1f1",
    "hyp2f1",
    "igamma",
    "igamma_grad_a",
    "igammac",
    "imag",
    "integer_power",
    "is_finite",
    "lgamma",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "next_after",
    "not_",
    "or_",
    "owens_t",
    "polygamma",
    "popcnt",
    "power",
    "random_gamma_grad",
    "real",
    "regularized_incomplete_beta",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sine_integral",
    "sinh",
    "spence",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "xor",
    "zeta",
]

@final
class Abs(Attributeless, RealPart):
    """`|x|`; the modulus of a complex number, which is real."""

@final
class Acos(Attributeless, Unary):
    """Inverse cosine."""

@final
class Acosh(Attributeless, Unary):
    """Inverse hyperbolic cosine."""

@final
class Add(Attributeless, Binary):
    """`x + y`; of booleans, `x or y`."""

@final
class And(Attributeless, Binary):
    """Each bit of `x` and `y`."""

@final
class Asin(Attributeless, Unary):
    """Inverse sine."""

@final
class Asinh(Attributeless, Unary):
    """Inverse hyperbolic sine."""

@final
class Atan(Attributeless, Unary):
    """Inverse tangent."""

@final
class Atan2(Attributeless, Binary):
    """The angle of the point (y, x): `atan2(y, x)` in (-pi, pi]."""

@final
class Atanh(Attributeless, Unary):
    """Inverse hyperbolic tangent."""

@final
class BesselI0e(Attributeless, Unary):
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 0."""

@final
class BesselI1e(Attributeless, Unary):
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 1."""

@final
class Cbrt(Attributeless, Unary):
    """Cube root."""

@final
class Ceil(Attributeless, Unary):
    """The least integer that is not below `x`."""

@final
class Complex(Attributeless, OfParts):
    """The complex number with these real and imaginary parts."""

@final
class Conjugate(Attributeless, Unary):
    """The complex conjugate."""

@final
class Cosh(Attributeless, Unary):
    """Hyperbolic cosine."""

@final
class Cosine(Attributeless, Unary):
    """Cosine of an angle in radians."""

@final
class CosineIntegral(Attributeless, Unary):
    """`gamma + log(x)` and the integral of `(cos(t) - 1) / t` from 0 to `x`."""

@final
class CountLeadingZeros(Attributeless, Unary):
    """The number of zero bits above the highest one bit."""

@final
class Dawson(Attributeless, Unary):
    """`exp(-x^2)` times the integral of `exp(t^2)` from 0 to `x`."""

@final
class Digamma(Attributeless, Unary):
    """The derivative of `lgamma`.

    It is -inf at 0 of either sign, and NaN at negative whole numbers.
    """

@final
class Divide(Attributeless, Binary):
    """`x / y`; of integers, the quotient rounded toward zero."""

@final
class Erf(Attributeless, Unary):
    """The error function."""

@final
class ErfInv(Attributeless, Unary):
    """The inverse of `erf`."""

@final
class Erfc(Attributeless, Unary):
    """`1 - erf(x)`, without the cancellation."""

@final
class ErfcInv(Attributeless, Unary):
    """The inverse of `erfc`."""

@final
class Erfcx(Attributeless, Unary):
    """`exp(x^2) erfc(x)`."""

@final
class Expi(Attributeless, Unary):
    """The principal value of the integral of `exp(t) / t` up to `x`."""

@final
class Expn(Attributeless, Binary):
    """The integral of `exp(-x t) / t^n` for `t` from 1, for whole `n >= 0`."""

@final
class Exponential(Attributeless, Unary):
    """`e ** x`."""

@final
class Exponential2(Attributeless, Unary):
    """`2 ** x`."""

@final
class ExponentialMinusOne(Attributeless, Unary):
    """`e ** x - 1`, without the cancellation near 0."""

@final
class Floor(Attributeless, Unary):
    """The greatest integer that is not above `x`."""

@final
class FresnelCosine(Attributeless, Unary):
    """The integral of `cos(pi t^2 / 2)` from 0 to `x`."""

@final
class FresnelSine(Attributeless, Unary):
    """The integral of `sin(pi t^2 / 2)` from 0 to `x`."""

@final
class GreatestCommonDivisor(Attributeless, Binary):
    """The greatest number that divides `x` and `y`; of 0 and `y` it is `abs(y)`.

    It is not negative, unless the type lacks the absolute value: for the least integer and itself or 0.
    """

@final
class Hyp1f1(Attributeless, Several):
    """Kummer's hypergeometric function of `x`, with parameters `a` and `b`."""

@final
class Hyp2f1(Attributeless, Several):
    """Gauss' hypergeometric function of `x <= 1`, with parameters `a`, `b` and `c`."""

@final
class Igamma(Attributeless, Binary):
    """The regularised lower incomplete gamma function of `a` and `x`."""

@final
class IgammaGradA(Attributeless, Binary):
    """The derivative of `igamma` by `a`."""

@final
class Igammac(Attributeless, Binary):
    """The regularised upper incomplete gamma function of `a` and `x`: `1 - igamma(a, x)`, without the cancellation."""

@final
class Imag(Attributeless, RealPart):
    """The imaginary part, which is real."""

@final
class IsFinite(Attributeless, Predicate):
    """True where `x` is neither infinite nor NaN."""

@final
class Lgamma(Attributeless, Unary):
    """The logarithm of the gamma function's absolute value."""

@final
class Log(Attributeless, Unary):
    """Natural logarithm."""

@final
class LogPlusOne(Attributeless, Unary):
    """`log(1 + x)`, without the cancellation near 0."""

@final
class Logistic(Attributeless, Unary):
    """`1 / (1 + e ** -x)`."""

@final
class Maximum(Attributeless, Binary):
    """The greater of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN."""

@final
class Minimum(Attributeless, Binary):
    """The lesser of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN."""

@final
class Multiply(Attributeless, Binary):
    """`x * y`; of booleans, `x and y`."""

@final
class Negate(Attributeless, Unary):
    """`-x`; unsigned integers wrap around."""

@final
class NextAfter(Attributeless, Binary):
    """The next number after `x` in the direction of `y`."""

@final
class Not(Attributeless, Unary):
    """Each bit inverted; of a boolean, its opposite."""

@final
class Or(Attributeless, Binary):
    """Each bit of `x` or `y`."""

@final
class OwensT(Attributeless, Binary):
    """The probability that X > h and 0 < Y < a X, for independent normal X and Y."""

@final
class Polygamma(Attributeless, Binary):
    """The derivative of whole order `n` of `digamma`, at `x`."""

@final
class Popcnt(Attributeless, Unary):
    """The number of one bits."""

@final
class Power(Attributeless, Binary):
    """`x ** y`."""

@final
class RandomGammaGrad(Attributeless, Binary):
    """The derivative of a sample `x` of the gamma distribution of shape `a` with respect to `a`."""

@final
class Real(Attributeless, RealPart):
    """The real part, which is real."""

@final
class RegularizedIncompleteBeta(Attributeless, Several):
    """The regularised incomplete beta function of `a`, `b` and `x`."""

@final
class Remainder(Attributeless, Binary):
    """The remainder of `x / y` with the quotient rounded toward zero; it has the sign of `x`."""

@final
class RoundNearestAfz(Attributeless, Unary):
    """The nearest integer, halves away from zero."""

@final
class RoundNearestEven(Attributeless, Unary):
    """The nearest integer, halves to the even one."""

@final
class Rsqrt(Attributeless, Unary):
    """`1 / sqrt(x)`."""

@final
class ShiftLeft(Attributeless, Binary):
    """`x << y`; 0 when `y` is not below the number of bits."""

@final
class ShiftRightArithmetic(Attributeless, Binary):
    """`x >> y`, filling with the sign bit."""

@final
class ShiftRightLogical(Attributeless, Binary):
    """`x >> y`, filling with zeros."""

@final
class Sign(Attributeless, Unary):
    """-1, 0 or 1 (NaN stays NaN); of a complex number, `x / |x|`."""

@final
class Sine(Attributeless, Unary):
    """Sine of an angle in radians."""

@final
class SineIntegral(Attributeless, Unary):
    """The integral of `sin(t) / t` from 0 to `x`."""

@final
class Sinh(Attributeless, Unary):
    """Hyperbolic sine."""

@final
class Spence(Attributeless, Unary):
    """The dilogarithm of `1 - x`."""

@final
class Sqrt(Attributeless, Unary):
    """Square root."""

@final
class Square(Attributeless, Unary):
    """`x * x`."""

@final
class Subtract(Attributeless, Binary):
    """`x - y`."""

@final
class Tan(Attributeless, Unary):
    """Tangent of an angle in radians."""

@final
class Tanh(Attributeless, Unary):
    """Hyperbolic tangent."""

@final
class Xor(Attributeless, Binary):
    """Each bit of `x` or `y` but not of both."""

@final
class Zeta(Attributeless, Binary):
    """The Hurwitz zeta function: the sum of `(q + k) ** -s` over whole `k >= 0`."""

def abs(x: Operand) -> Array:
    """`|x|`; the modulus of a complex number, which is real."""

def acos(x: Operand) -> Array:
    """Inverse cosine."""

def acosh(x: Operand) -> Array:
    """Inverse hyperbolic cosine."""

def add(x: Operand, y: Operand) -> Array:
    """`x + y`; of booleans, `x or y`."""

def and_(x: Operand, y: Operand) -> Array:
    """Each bit of `x` and `y`."""

def asin(x: Operand) -> Array:
    """Inverse sine."""

def asinh(x: Operand) -> Array:
    """Inverse hyperbolic sine."""

def atan(x: Operand) -> Array:
    """Inverse tangent."""

def atan2(y: Operand, x: Operand) -> Array:
    """The angle of the point (y, x): `atan2(y, x)` in (-pi, pi]."""

def atanh(x: Operand) -> Array:
    """Inverse hyperbolic tangent."""

def bessel_i0e(x: Operand) -> Array:
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 0."""

def bessel_i1e(x: Operand) -> Array:
    """`exp(-|x|)` times the modified Bessel function of the first kind and order 1."""

def cbrt(x: Operand) -> Array:
    """Cube root."""

def ceil(x: Operand) -> Array:
    """The least integer that is not below `x`."""

def complex(x: Operand, y: Operand) -> Array:
    """The complex number with these real and imaginary parts."""

def conjugate(x: Operand) -> Array:
    """The complex conjugate."""

def cosh(x: Operand) -> Array:
    """Hyperbolic cosine."""

def cosine(x: Operand) -> Array:
    """Cosine of an angle in radians."""

def cosine_integral(x: Operand) -> Array:
    """`gamma + log(x)` and the integral of `(cos(t) - 1) / t` from 0 to `x`."""

def count_leading_zeros(x: Operand) -> Array:
    """The number of zero bits above the highest one bit."""

def dawson(x: Operand) -> Array:
    """`exp(-x^2)` times the integral of `exp(t^2)` from 0 to `x`."""

def digamma(x: Operand) -> Array:
    """The derivative of `lgamma`.

    It is -inf at 0 of either sign, and NaN at negative whole numbers.
    """

def divide(x: Operand, y: Operand) -> Array:
    """`x / y`; of integers, the quotient rounded toward zero."""

def erf(x: Operand) -> Array:
    """The error function."""

def erf_inv(x: Operand) -> Array:
    """The inverse of `erf`."""

def erfc(x: Operand) -> Array:
    """`1 - erf(x)`, without the cancellation."""

def erfc_inv(x: Operand) -> Array:
    """The inverse of `erfc`."""

def erfcx(x: Operand) -> Array:
    """`exp(x^2) erfc(x)`."""

def expi(x: Operand) -> Array:
    """The principal value of the integral of `exp(t) / t` up to `x`."""

def expn(n: Operand, x: Operand) -> Array:
    """The integral of `exp(-x t) / t^n` for `t` from 1, for whole `n >= 0`."""

def exponential(x: Operand) -> Array:
    """`e ** x`."""

def exponential2(x: Operand) -> Array:
    """`2 ** x`."""

def exponential_minus_one(x: Operand) -> Array:
    """`e ** x - 1`, without the cancellation near 0."""

def floor(x: Operand) -> Array:
    """The greatest integer that is not above `x`."""

def fresnel_cosine(x: Operand) -> Array:
    """The integral of `cos(pi t^2 / 2)` from 0 to `x`."""

def fresnel_sine(x: Operand) -> Array:
    """The integral of `sin(pi t^2 / 2)` from 0 to `x`."""

def greatest_common_divisor(x: Operand, y: Operand) -> Array:
    """The greatest number that divides `x` and `y`; of 0 and `y` it is `abs(y)`.

    It is not negative, unless the type lacks the absolute value: for the least integer and itself or 0.
    """

def hyp1f1(a: Operand, b: Operand, x: Operand) -> Array:
    """Kummer's hypergeometric function of `x`, with parameters `a` and `b`."""

def hyp2f1(a: Operand, b: Operand, c: Operand, x: Operand) -> Array:
    """Gauss' hypergeometric function of `x <= 1`, with parameters `a`, `b` and `c`."""

def igamma(a: Operand, x: Operand) -> Array:
    """The regularised lower incomplete gamma function of `a` and `x`."""

def igamma_grad_a(a: Operand, x: Operand) -> Array:
    """The derivative of `igamma` by `a`."""

def igammac(a: Operand, x: Operand) -> Array:
    """The regularised upper incomplete gamma function of `a` and `x`: `1 - igamma(a, x)`, without the cancellation."""

def imag(x: Operand) -> Array:
    """The imaginary part, which is real."""

def is_finite(x: Operand) -> Array:
    """True where `x` is neither infinite nor NaN."""

def lgamma(x: Operand) -> Array:
    """The logarithm of the gamma function's absolute value."""

def log(x: Operand) -> Array:
    """Natural logarithm."""

def log_plus_one(x: Operand) -> Array:
    """`log(1 + x)`, without the cancellation near 0."""

def logistic(x: Operand) -> Array:
    """`1 / (1 + e ** -x)`."""

def maximum(x: Operand, y: Operand) -> Array:
    """The greater of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN."""

def minimum(x: Operand, y: Operand) -> Array:
    """The lesser of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN."""

def multiply(x: Operand, y: Operand) -> Array:
    """`x * y`; of booleans, `x and y`."""

def negate(x: Operand) -> Array:
    """`-x`; unsigned integers wrap around."""

def next_after(x: Operand, y: Operand) -> Array:
    """The next number after `x` in the direction of `y`."""

def not_(x: Operand) -> Array:
    """Each bit inverted; of a boolean, its opposite."""

def or_(x: Operand, y: Operand) -> Array:
    """Each bit of `x` or `y`."""

def owens_t(h: Operand, a: Operand) -> Array:
    """The probability that X > h and 0 < Y < a X, for independent normal X and Y."""

def polygamma(n: Operand, x: Operand) -> Array:
    """The derivative of whole order `n` of `digamma`, at `x`."""

def popcnt(x: Operand) -> Array:
    """The number of one bits."""

def power(x: Operand, y: Operand) -> Array:
    """`x ** y`."""

def random_gamma_grad(a: Operand, x: Operand) -> Array:
    """The derivative of a sample `x` of the gamma distribution of shape `a` with respect to `a`."""

def real(x: Operand) -> Array:
    """The real part, which is real."""

def regularized_incomplete_beta(a: Operand, b: Operand, x: Operand) -> Array:
    """The regularised incomplete beta function of `a`, `b` and `x`."""

def remainder(x: Operand, y: Operand) -> Array:
    """The remainder of `x / y` with the quotient rounded toward zero; it has the sign of `x`."""

def round_nearest_afz(x: Operand) -> Array:
    """The nearest integer, halves away from zero."""

def round_nearest_even(x: Operand) -> Array:
    """The nearest integer, halves to the even one."""

def rsqrt(x: Operand) -> Array:
    """`1 / sqrt(x)`."""

def shift_left(x: Operand, y: Operand) -> Array:
    """`x << y`; 0 when `y` is not below the number of bits."""

def shift_right_arithmetic(x: Operand, y: Operand) -> Array:
    """`x >> y`, filling with the sign bit."""

def shift_right_logical(x: Operand, y: Operand) -> Array:
    """`x >> y`, filling with zeros."""

def sign(x: Operand) -> Array:
    """-1, 0 or 1 (NaN stays NaN); of a complex number, `x / |x|`."""

def sine(x: Operand) -> Array:
    """Sine of an angle in radians."""

def sine_integral(x: Operand) -> Array:
    """The integral of `sin(t) / t` from 0 to `x`."""

def sinh(x: Operand) -> Array:
    """Hyperbolic sine."""

def spence(x: Operand) -> Array:
    """The dilogarithm of `1 - x`."""

def sqrt(x: Operand) -> Array:
    """Square root."""

def square(x: Operand) -> Array:
    """`x * x`."""

def subtract(x: Operand, y: Operand) -> Array:
    """`x - y`."""

def tan(x: Operand) -> Array:
    """Tangent of an angle in radians."""

def tanh(x: Operand) -> Array:
    """Hyperbolic tangent."""

def xor(x: Operand, y: Operand) -> Array:
    """Each bit of `x` or `y` but not of both."""

def zeta(s: Operand, q: Operand) -> Array:
    """The Hurwitz zeta function: the sum of `(q + k) ** -s` over whole `k >= 0`."""
