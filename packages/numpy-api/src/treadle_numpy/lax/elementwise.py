"""Elementwise instructions on operands of one element type: arithmetic, exponentials, trigonometry, bits, rounding."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Protocol

from treadle_ir import Array, DTypeError, Operand, ops, refused
from treadle_ir.dtypes import is_complex, is_floating, is_inexact, is_integer
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.promote import with_dtype
from treadle_numpy.operands.shapes import as_index

__all__ = [
    "RoundingMethod",
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clz",
    "complex",
    "conj",
    "cos",
    "cosh",
    "digamma",
    "div",
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
    "max",
    "min",
    "mul",
    "neg",
    "nextafter",
    "population_count",
    "pow",
    "real",
    "reciprocal",
    "rem",
    "round",
    "rsqrt",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "tan",
    "tanh",
]


class UnaryFunction(Protocol):
    """A function of one operand, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(self, x: ArrayLike, *, accuracy: object = None) -> Array:
        """The result; `accuracy` is taken for JAX's sake, and changes nothing."""
        ...


class BinaryFunction(Protocol):
    """A function of two operands of one element type."""

    __name__: str

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """The result."""
        ...


def _unary(name: str, instruction: Callable[[Operand], Array], doc: str) -> UnaryFunction:
    def function(x: ArrayLike, *, accuracy: object = None) -> Array:
        return instruction(coerce(name, 0, x))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _binary(
    name: str, instruction: Callable[[Operand, Operand], Array], doc: str
) -> BinaryFunction:
    def function(x: ArrayLike, y: ArrayLike) -> Array:
        return instruction(*strict(name, x, y))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


class RoundingMethod(enum.IntEnum):
    """Where halves are rounded to."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


abs = _unary("abs", ops.abs, "The absolute value.")
acos = _unary("acos", ops.acos, "The inverse cosine.")
acosh = _unary("acosh", ops.acosh, "The inverse hyperbolic cosine.")
asin = _unary("asin", ops.asin, "The inverse sine.")
asinh = _unary("asinh", ops.asinh, "The inverse hyperbolic sine.")
atan = _unary("atan", ops.atan, "The inverse tangent.")
atanh = _unary("atanh", ops.atanh, "The inverse hyperbolic tangent.")
bitwise_not = _unary("bitwise_not", ops.not_, "Each bit flipped.")
cbrt = _unary("cbrt", ops.cbrt, "The cube root.")
ceil = _unary("ceil", ops.ceil, "Rounded up.")
clz = _unary("clz", ops.count_leading_zeros, "The number of leading zero bits.")
cos = _unary("cos", ops.cosine, "The cosine.")
cosh = _unary("cosh", ops.cosh, "The hyperbolic cosine.")
digamma = _unary("digamma", ops.digamma, "The derivative of lgamma.")
erf = _unary("erf", ops.erf, "The error function.")
erf_inv = _unary("erf_inv", ops.erf_inv, "The inverse of erf.")
erfc = _unary("erfc", ops.erfc, "1 - erf(x).")
exp = _unary("exp", ops.exponential, "e ** x.")
exp2 = _unary("exp2", ops.exponential2, "2 ** x.")
expm1 = _unary("expm1", ops.exponential_minus_one, "e ** x - 1.")
floor = _unary("floor", ops.floor, "Rounded down.")
imag = _unary("imag", ops.imag, "The imaginary part.")
is_finite = _unary("is_finite", ops.is_finite, "Whether it is neither infinite nor NaN.")
lgamma = _unary("lgamma", ops.lgamma, "The logarithm of the gamma function's absolute value.")
log = _unary("log", ops.log, "The natural logarithm.")
log1p = _unary("log1p", ops.log_plus_one, "log(1 + x).")
logistic = _unary("logistic", ops.logistic, "1 / (1 + exp(-x)).")
neg = _unary("neg", ops.negate, "The opposite number.")
population_count = _unary("population_count", ops.popcnt, "The number of bits that are set.")
real = _unary("real", ops.real, "The real part.")
rsqrt = _unary("rsqrt", ops.rsqrt, "1 / sqrt(x).")
sign = _unary("sign", ops.sign, "The sign.")
sin = _unary("sin", ops.sine, "The sine.")
sinh = _unary("sinh", ops.sinh, "The hyperbolic sine.")
sqrt = _unary("sqrt", ops.sqrt, "The square root.")
square = _unary("square", ops.square, "x * x.")
tan = _unary("tan", ops.tan, "The tangent.")
tanh = _unary("tanh", ops.tanh, "The hyperbolic tangent.")
add = _binary("add", ops.add, "The sum.")
atan2 = _binary("atan2", ops.atan2, "The angle of the point (y, x).")
bitwise_and = _binary("bitwise_and", ops.and_, "Each bit of both.")
bitwise_or = _binary("bitwise_or", ops.or_, "Each bit of either.")
bitwise_xor = _binary("bitwise_xor", ops.xor, "Each bit of one but not both.")
complex = _binary("complex", ops.complex, "The complex number with these parts.")
div = _binary("div", ops.divide, "The quotient; of integers, rounded toward zero.")
max = _binary("max", ops.maximum, "The greater of two.")
min = _binary("min", ops.minimum, "The lesser of two.")
mul = _binary("mul", ops.multiply, "The product.")
nextafter = _binary("nextafter", ops.next_after, "The next number after x towards y.")
rem = _binary("rem", ops.remainder, "What division rounded toward zero leaves.")
shift_left = _binary("shift_left", ops.shift_left, "The bits moved up.")
shift_right_arithmetic = _binary(
    "shift_right_arithmetic", ops.shift_right_arithmetic, "The bits moved down, with sign."
)
shift_right_logical = _binary(
    "shift_right_logical", ops.shift_right_logical, "The bits moved down, with zeros."
)
sub = _binary("sub", ops.subtract, "The difference.")


def conj(x: ArrayLike) -> Array:
    """The complex conjugate; real numbers become complex."""
    operand = coerce("conj", 0, x)
    if is_complex(operand.dtype):
        return ops.conjugate(operand)
    if not is_floating(operand.dtype):
        raise DTypeError(f"conj: needs floating or complex numbers, got {operand_type(operand)}")
    return ops.complex(operand, operand.dtype.type(0))


def reciprocal(x: ArrayLike) -> Array:
    """`1 / x`."""
    return ops.integer_power(coerce("reciprocal", 0, x), exponent=-1)


def integer_pow(x: ArrayLike, y: int) -> Array:
    """`x ** y` for an integer that Python knows."""
    return ops.integer_power(coerce("integer_pow", 0, x), exponent=as_index("integer_pow", "y", y))


def pow(x: ArrayLike, y: ArrayLike) -> Array:
    """`x ** y`; an integer exponent beside a float is allowed."""
    base, exponent = coerce("pow", 0, x), coerce("pow", 1, y)
    types = operand_type(base), operand_type(exponent)
    if is_inexact(types[0].dtype) and is_integer(types[1].dtype):
        exponent = with_dtype(exponent, types[1], types[0].dtype, False)
        return ops.power(base, exponent)
    return ops.power(*strict("pow", base, exponent))


def round(x: ArrayLike, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Array:
    """The nearest integer; halves away from zero, or to even."""
    operand = coerce("round", 0, x)
    if rounding_method.__class__ not in (RoundingMethod, int) or rounding_method not in (0, 1):
        raise refused("round", "rounding_method", "a RoundingMethod", rounding_method)
    even = RoundingMethod(rounding_method) is RoundingMethod.TO_NEAREST_EVEN
    return ops.round_nearest_even(operand) if even else ops.round_nearest_afz(operand)
