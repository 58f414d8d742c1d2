"""Elementwise instructions on one operand: exponentials, trigonometry, bits, rounding, parts of complex numbers."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final, Protocol

from treadle_ir import Array, DTypeError, Operand, bind, ops
from treadle_ir.core.dtypes import is_complex, is_floating, is_unsigned, user_name
from treadle_ir.errors import refused
from treadle_ir.primitives import elementwise as e
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.scalars import zero_like
from treadle_numpy.operands.shapes import as_index

__all__ = [
    "RoundingMethod",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bitwise_not",
    "cbrt",
    "ceil",
    "clz",
    "conj",
    "cos",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "imag",
    "integer_pow",
    "is_finite",
    "lgamma",
    "log",
    "log1p",
    "logistic",
    "neg",
    "population_count",
    "real",
    "reciprocal",
    "round",
    "rsqrt",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
]


class UnaryFunction(Protocol):
    """A function of one operand, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(self, x: ArrayLike, *, accuracy: object = None) -> Array:
        """Return the result; `accuracy` is accepted and changes nothing."""
        ...


_OTHERS: Final = {
    "biu": "neither boolean nor integers",
    "c": "not complex",
    "f": "not floating",
    "fc": "neither floating nor complex",
    "iu": "not integers",
    "ifc": "boolean or unsigned integers",
    "iufc": "boolean",
}
"""What operands of other element types are, by the letters of those that a function takes."""


def _function(
    name: str, instruction: Callable[[Operand], Array], kinds: str, doc: str, call: str, shown: str
) -> UnaryFunction:
    def function(x: ArrayLike, *, accuracy: object = None) -> Array:
        return instruction(coerce(name, 0, x))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    `accuracy` is accepted and changes nothing.

    Raises:
        DTypeError: the elements are {_OTHERS[kinds]}.

    Example:
        >>> print({call})
        {shown}
    """
    return function


def _unary(name: str, primitive: e.Unary, doc: str, call: str, shown: str) -> UnaryFunction:
    """Make a function of a single instruction, for the element types that the instruction takes."""

    def instruction(x: Operand) -> Array:
        return bind(primitive, x)[0]

    return _function(name, instruction, primitive.kinds, doc, call, shown)


def _sign(x: Operand) -> Array:
    """`sign`; of unsigned integers, which its instruction does not take, whether they are above 0."""
    return ops.minimum(x, x.dtype.type(1)) if is_unsigned(x.dtype) else ops.sign(x)


def _abs(x: Operand) -> Array:
    """Apply `abs`, but refuse unsigned integers, which its instruction takes."""
    if is_unsigned(x.dtype):
        raise DTypeError(
            f"abs: operands are {user_name(x.dtype)}, but it takes signed integers, floating and complex numbers",
            fix="leave it out: unsigned integers are their own absolute values",
        )
    return ops.abs(x)


class RoundingMethod(enum.IntEnum):
    """Where `round` takes halves: away from zero, or to the even neighbour.

    Example:
        >>> print(round(2.5, RoundingMethod.AWAY_FROM_ZERO), round(2.5, RoundingMethod.TO_NEAREST_EVEN))
        3.0 2.0
    """

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


abs = _function(
    "abs",
    _abs,
    "ifc",
    "The absolute value; of a complex number, its modulus, which is real.",
    "abs(3 + 4j)",
    "5.0",
)
acos = _unary(
    "acos",
    e.Acos(),
    "The angle in radians with this cosine; NaN for a real number outside of [-1, 1].",
    "acos(0.5).round(4)",
    "1.0472",
)
acosh = _unary(
    "acosh",
    e.Acosh(),
    "The number of at least 0 with this hyperbolic cosine; NaN for a real number below 1.",
    "acosh(2.0).round(4)",
    "1.317",
)
asin = _unary(
    "asin",
    e.Asin(),
    "The angle in radians with this sine; NaN for a real number outside of [-1, 1].",
    "asin(0.5).round(4)",
    "0.5236",
)
asinh = _unary(
    "asinh",
    e.Asinh(),
    "The number with this hyperbolic sine.",
    "asinh(1.0).round(4)",
    "0.8814",
)
atan = _unary(
    "atan",
    e.Atan(),
    "The angle in radians with this tangent.",
    "atan(1.0).round(4)",
    "0.7854",
)
atanh = _unary(
    "atanh",
    e.Atanh(),
    "The number with this hyperbolic tangent; NaN for a real number outside of [-1, 1].",
    "atanh(0.5).round(4)",
    "0.5493",
)
bitwise_not = _unary(
    "bitwise_not",
    e.Not(),
    "Each bit flipped; of booleans, whether it is false.",
    "bitwise_not(5)",
    "-6",
)
cbrt = _unary(
    "cbrt",
    e.Cbrt(),
    "The real cube root, also of negative numbers.",
    "cbrt(-8.0).round(4)",
    "-2.0",
)
ceil = _unary(
    "ceil",
    e.Ceil(),
    "The least whole number that is not below it, in the same element type.",
    "ceil(1.2)",
    "2.0",
)
clz = _unary(
    "clz",
    e.CountLeadingZeros(),
    "The number of zero bits above the highest set one, in the same element type; for 0, all bits.",
    "clz(5)",
    "29",
)
cos = _unary("cos", e.Cosine(), "The cosine of an angle in radians.", "cos(0.5).round(4)", "0.8776")
cosh = _unary("cosh", e.Cosh(), "The hyperbolic cosine.", "cosh(1.0).round(4)", "1.5431")
digamma = _unary(
    "digamma",
    e.Digamma(),
    "The derivative of `lgamma`; -inf at 0, and NaN at negative whole numbers.",
    "digamma(1.0).round(4)",
    "-0.5772",
)
erf = _unary("erf", e.Erf(), "The error function.", "erf(0.5).round(4)", "0.5205")
erf_inv = _unary(
    "erf_inv",
    e.ErfInv(),
    "The inverse of `erf`; NaN outside of [-1, 1].",
    "erf_inv(0.5).round(4)",
    "0.4769",
)
erfc = _unary(
    "erfc",
    e.Erfc(),
    "`1 - erf(x)`, exact where that is near 0.",
    "erfc(2.0).round(4)",
    "0.0047",
)
exp = _unary("exp", e.Exponential(), "`e ** x`.", "exp(1.0).round(4)", "2.7183")
exp2 = _unary("exp2", e.Exponential2(), "`2 ** x`.", "exp2(3.0).round(4)", "8.0")
expm1 = _unary(
    "expm1",
    e.ExponentialMinusOne(),
    "`e ** x - 1`, exact near 0.",
    "expm1(0.5).round(4)",
    "0.6487",
)
floor = _unary(
    "floor",
    e.Floor(),
    "The greatest whole number that is not above it, in the same element type.",
    "floor(-1.2)",
    "-2.0",
)
imag = _unary(
    "imag", e.Imag(), "The imaginary part, a float of half the width.", "imag(1 + 2j)", "2.0"
)
is_finite = _unary(
    "is_finite",
    e.IsFinite(),
    "Whether it is neither infinite nor NaN, as a boolean.",
    'is_finite(float("inf"))',
    "False",
)
lgamma = _unary(
    "lgamma",
    e.Lgamma(),
    "The logarithm of the gamma function's absolute value; infinite at 0 and at negative whole numbers.",
    "lgamma(5.0).round(4)",
    "3.1781",
)
log = _unary(
    "log",
    e.Log(),
    "The natural logarithm; of real numbers, -inf at 0 and NaN below.",
    "log(2.0).round(4)",
    "0.6931",
)
log1p = _unary(
    "log1p", e.LogPlusOne(), "`log(1 + x)`, exact near 0.", "log1p(1.0).round(4)", "0.6931"
)
logistic = _unary(
    "logistic", e.Logistic(), "`1 / (1 + exp(-x))`.", "logistic(1.0).round(4)", "0.7311"
)
neg = _unary(
    "neg",
    e.Negate(),
    "The opposite number; of unsigned integers, modulo the number of their values.",
    "neg(2.5)",
    "-2.5",
)
population_count = _unary(
    "population_count",
    e.Popcnt(),
    "The number of bits that are set, in the same element type.",
    "population_count(7)",
    "3",
)
real = _unary("real", e.Real(), "The real part, a float of half the width.", "real(1 + 2j)", "1.0")
rsqrt = _unary("rsqrt", e.Rsqrt(), "`1 / sqrt(x)`.", "rsqrt(4.0)", "0.5")
sign = _function(
    "sign",
    _sign,
    "iufc",
    "-1, 0 or 1; of a complex number, the number of modulus 1 with its direction.",
    "sign(-2.5)",
    "-1.0",
)
sin = _unary("sin", e.Sine(), "The sine of an angle in radians.", "sin(0.5).round(4)", "0.4794")
sinh = _unary("sinh", e.Sinh(), "The hyperbolic sine.", "sinh(1.0).round(4)", "1.1752")
sqrt = _unary(
    "sqrt", e.Sqrt(), "The square root; NaN for a negative real number.", "sqrt(2.25)", "1.5"
)
square = _unary("square", e.Square(), "`x * x`.", "square(3)", "9")
tan = _unary("tan", e.Tan(), "The tangent of an angle in radians.", "tan(0.5).round(4)", "0.5463")
tanh = _unary("tanh", e.Tanh(), "The hyperbolic tangent.", "tanh(0.5).round(4)", "0.4621")


def conj(x: ArrayLike) -> Array:
    """Return the complex conjugate; f32 and f64 become complex.

    Raises:
        DTypeError: the elements are neither complex nor f32 or f64.

    Example:
        >>> print(conj(1 + 2j))
        (1-2j)
    """
    operand = coerce("conj", 0, x)
    if is_complex(operand.dtype):
        return ops.conjugate(operand)
    if not is_floating(operand.dtype):
        raise DTypeError(f"conj: needs floating or complex numbers, got {operand_type(operand)}")
    return ops.complex(operand, zero_like(operand))


def reciprocal(x: ArrayLike) -> Array:
    """Compute `1 / x`.

    Raises:
        DTypeError: the elements are neither floating nor complex.

    Example:
        >>> print(reciprocal(4.0))
        0.25
    """
    return ops.integer_power(coerce("reciprocal", 0, x), exponent=-1)


def integer_pow(x: ArrayLike, y: int) -> Array:
    """Compute `x ** y` for an integer that Python knows.

    Raises:
        ArgumentError: `y` is not a Python integer.
        DTypeError: the elements are boolean, or integers with a negative `y`.

    Example:
        >>> print(integer_pow(2.0, -2))
        0.25
    """
    return ops.integer_power(coerce("integer_pow", 0, x), exponent=as_index("integer_pow", "y", y))


def round(x: ArrayLike, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Array:
    """Return the nearest whole number, in the same element type; halves away from zero, or to the even neighbour.

    Raises:
        ArgumentError: there is no such rounding method.
        DTypeError: the elements are not floating.

    Example:
        >>> print(round(2.5), round(2.5, RoundingMethod.TO_NEAREST_EVEN))
        3.0 2.0
    """
    operand = coerce("round", 0, x)
    if rounding_method.__class__ not in (RoundingMethod, int) or rounding_method not in (0, 1):
        raise refused("round", "rounding_method", "a RoundingMethod", rounding_method)
    even = RoundingMethod(rounding_method) is RoundingMethod.TO_NEAREST_EVEN
    return ops.round_nearest_even(operand) if even else ops.round_nearest_afz(operand)
