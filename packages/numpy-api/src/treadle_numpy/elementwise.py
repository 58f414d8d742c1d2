"""Elementwise functions: arithmetic, rounding, exponentials, trigonometry, bits.

Most are one primitive on promoted operands, and are made by `unary` and `binary` from a table-like list below.
`x + y` on two arrays of one type, and on an array and a Python number, must cost little more than the bind:
`BinaryFunction` has a short way for those, which the operators of arrays share.

Long because it is NumPy's list of ufuncs; a name, a primitive and an example each.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias, cast

import numpy as np

from treadle_ir import (
    Array,
    ArrayType,
    DTypeError,
    Literal,
    Primitive,
    current_trace,
    default_dtype,
    inexact_dtype,
    promoted,
)
from treadle_ir.dtypes import (
    BY_NAME,
    is_bool,
    is_complex,
    is_inexact,
    is_integer,
    is_signed,
    is_unsigned,
)
from treadle_ir.primitives import compare as compare_primitives, elementwise as primitives
from treadle_numpy.coercion import (
    ArrayLike,
    array_of,
    bind,
    broadcast,
    coerce,
    converted,
    filled,
    named_only,
    operand_type,
    ops,
    promote_shapes,
    spread_pair,
    with_dtype,
)

UnaryFunction: TypeAlias = "Callable[[ArrayLike], Array]"


class BinaryFunction(Protocol):
    """A function of two operands, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(self, x: ArrayLike, y: ArrayLike, /) -> Array:
        """The result."""
        ...


_INEXACT: Final = frozenset(
    [BY_NAME[name] for name in ("f8e4m3fn", "f8e5m2", "bf16", "f16", "f32", "f64", "c64", "c128")]
)
_FLOATS: Final = frozenset([BY_NAME[name] for name in ("bf16", "f16", "f32", "f64")])


def _named(function: Any, name: str, doc: str, example: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}\n\n    Example:\n        >>> {example}\n" if example else doc
    return function


def unary(name: str, primitive: Primitive, doc: str, example: str = "") -> UnaryFunction:
    """A function of one operand, which integers enter as floats of default width."""

    def function(x: ArrayLike, /) -> Array:
        try:
            direct = x.type.dtype in _INEXACT  # type: ignore[union-attr]  # NumPy's arrays take the long way
        except AttributeError:
            direct = False
        if direct:
            return cast("Array", current_trace().process(primitive, (x,))[0])  # type: ignore[arg-type]
        return bind(primitive, inexact_operand(name, x))

    return cast("UnaryFunction", _named(function, name, doc, example))


def unary_same(name: str, primitive: Primitive, doc: str, example: str = "") -> UnaryFunction:
    """A function of one operand that keeps its element type, whatever that is."""

    def function(x: ArrayLike, /) -> Array:
        return bind(primitive, coerce(name, 0, x))

    return cast("UnaryFunction", _named(function, name, doc, example))


def rounding(name: str, primitive: Primitive, doc: str, example: str = "") -> UnaryFunction:
    """A function of one real operand that keeps its element type and leaves integers alone."""

    inexact = unary(name, primitive, doc)

    def function(x: ArrayLike, /) -> Array:
        if getattr(x, "dtype", None) in _INEXACT:
            return inexact(x)
        operand = coerce(name, 0, x)
        if not is_inexact(operand_type(operand).dtype):
            return array_of(operand)
        return bind(primitive, operand)

    return cast("UnaryFunction", _named(function, name, doc, example))


def inexact_operand(function: str, x: object) -> Any:
    """One operand, as a float if it is an integer or a boolean."""
    operand = coerce(function, 0, x)
    type = operand_type(operand)
    if is_inexact(type.dtype):
        return operand
    return with_dtype(operand, type, inexact_dtype(type.dtype), type.weak)


def scalar_beside(value: Any, type: ArrayType) -> Any:
    """A Python number as a scalar of an array's element type; None if promotion has to decide.

    Floats beside floating arrays and ints beside integer and floating arrays take the array's element type.
    """
    dtype = type.dtype
    kind = value.__class__
    if type.weak:
        return None
    if kind is float:
        return dtype.type(value) if dtype in _FLOATS else None
    if kind is int:
        if dtype in _FLOATS:
            return dtype.type(value)
        try:
            return dtype.type(value) if is_signed(dtype) else None
        except OverflowError:
            return None
    return None


def binary(
    name: str,
    primitive: Primitive,
    doc: str,
    example: str = "",
    *,
    inexact: bool = False,
    by_parts: Callable[[Any, Any], Array] | None = None,
) -> BinaryFunction:
    """A function of two operands: promoted, broadcast, one primitive.

    `inexact` makes floats of integers first; `by_parts` is what it comes to for complex numbers, if not the primitive.
    """
    plain = {
        dtype
        for dtype in BY_NAME.values()
        if (is_inexact(dtype) or not inexact) and (by_parts is None or not is_complex(dtype))
    }

    def function(x: ArrayLike, y: ArrayLike, /) -> Array:
        kind = type(y)
        if kind is float or kind is int:
            try:
                beside = x.type  # type: ignore[union-attr]
            except AttributeError:
                beside = None
            if beside is not None and (not inexact or beside.dtype in _INEXACT):
                scalar = scalar_beside(y, beside)
                if scalar is not None:
                    return cast("Array", current_trace().process(primitive, (x, scalar))[0])  # type: ignore[arg-type]
        elif kind is type(x):
            left: Any
            right: Any
            try:
                left, right = x.type, y.type  # type: ignore[union-attr]  # NumPy's arrays have none
                direct = left.dtype in plain and left.dtype is right.dtype
            except AttributeError:
                direct = False
            if direct and left is right:
                return cast("Array", current_trace().process(primitive, (x, y))[0])  # type: ignore[arg-type]
            if direct and left.weak is right.weak:
                pair = spread_pair(name, x, y)  # type: ignore[arg-type]
                return cast("Array", current_trace().process(primitive, pair)[0])
        operands = promote_shapes(name, x, y, inexact=inexact)
        if by_parts is not None and is_complex(operand_type(operands[0]).dtype):
            return by_parts(*operands)
        return bind(primitive, *operands)

    return cast("BinaryFunction", _named(function, name, doc, example))


def _complex_order(direction: str) -> Callable[[Any, Any], Array]:
    """Compares complex numbers by real part, then by imaginary part, as NumPy does."""

    def compare(x: Any, y: Any) -> Array:
        left, right = ops.real(x), ops.real(y)
        tie = ops.compare(left, right, direction="eq")
        first = ops.compare(left, right, direction=direction)
        second = ops.compare(ops.imag(x), ops.imag(y), direction=direction)
        return ops.select(tie, second, first)

    return compare


def _complex_extreme(direction: str) -> Callable[[Any, Any], Array]:
    """The greater or the lesser of complex numbers; one that is NaN wins."""
    ordered = _complex_order(direction)

    def extreme(x: Any, y: Any) -> Array:
        first = ops.or_(ordered(x, y), ops.compare(x, x, direction="ne"))
        return ops.select(first, x, y)

    return extreme


def comparison(name: str, direction: Any, doc: str, example: str = "") -> BinaryFunction:
    """A function that compares two operands, complex ones by real part, then by imaginary part."""
    by_parts = None if direction in ("eq", "ne") else _complex_order(direction)
    return binary(name, compare_primitives.Compare(direction), doc, example, by_parts=by_parts)


# arithmetic

add = binary(
    "add",
    primitives.Add(),
    "The sum; of booleans, whether either is true.",
    "print(add(1, 2))\n        3",
)
subtract = binary(
    "subtract", primitives.Subtract(), "The difference.", "print(subtract(5, 2))\n        3"
)
multiply = binary(
    "multiply",
    primitives.Multiply(),
    "The product; of booleans, whether both are true.",
    "print(multiply(2, 3))\n        6",
)
divide = binary(
    "divide",
    primitives.Divide(),
    "The quotient, as floats: integers are converted first.",
    "print(divide(1, 2))\n        0.5",
    inexact=True,
)
true_divide = divide
maximum = binary(
    "maximum",
    primitives.Maximum(),
    "The greater of two; NaN if either is.",
    "print(maximum(1, 2))\n        2",
    by_parts=_complex_extreme("gt"),
)
minimum = binary(
    "minimum",
    primitives.Minimum(),
    "The lesser of two; NaN if either is.",
    "print(minimum(1, 2))\n        1",
    by_parts=_complex_extreme("lt"),
)


def _complex_atan2(y: Any, x: Any) -> Array:
    """`-i log((x + i y) / sqrt(x^2 + y^2))`, which is the angle where both are real."""
    i = number(1j, x)
    size = ops.sqrt(ops.add(ops.square(x), ops.square(y)))
    turned = ops.log(ops.divide(ops.add(x, ops.multiply(i, y)), size))
    return ops.negate(ops.multiply(i, turned))


arctan2 = binary(
    "arctan2",
    primitives.Atan2(),
    "The angle of the point (x2, x1), in (-pi, pi].",
    inexact=True,
    by_parts=_complex_atan2,
)
atan2 = arctan2
nextafter = binary(
    "nextafter", primitives.NextAfter(), "The next number after x towards y.", inexact=True
)


def negative(x: ArrayLike, /) -> Array:
    """The number with the opposite sign.

    Raises:
        DTypeError: the operand is boolean; use `logical_not`.

    Example:
        >>> print(negative(3))
        -3
    """
    return bind(_NEGATE, coerce("negative", 0, x))


_NEGATE: Final = primitives.Negate()


def positive(x: ArrayLike, /) -> Array:
    """The operand itself."""
    return cast("Array", as_array("positive", x))


def number(value: Any, x: Any) -> Any:
    """A number in the element type of an operand, and weak if it is: results keep the mark."""
    type = operand_type(x)
    scalar = type.dtype.type(value)
    return Literal(scalar, ArrayType((), type.dtype, True)) if type.weak else scalar


def integers(function: str, x: object, y: object) -> list[Any]:
    """Two operands of one element type and shape; booleans as 32-bit integers, since they have no such operation."""
    operands = promote_shapes(function, x, y)
    if is_bool(operand_type(operands[0]).dtype):
        return [with_dtype(each, operand_type(each), _INT32, False) for each in operands]
    return operands


_INT32: Final = BY_NAME["i32"]


def as_array(function: str, x: object) -> Any:
    """A coerced operand that is an array, not a scalar of the host."""
    return array_of(coerce(function, 0, x))


def floor_divide(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The quotient rounded toward negative infinity.

    Differs from NumPy: dividing an integer by zero gives a value (-1 or -2), not a warning and 0.

    Raises:
        DTypeError: the operands are booleans or complex.

    Example:
        >>> print(floor_divide(7, -2))
        -4
    """
    x, y = integers("floor_divide", x1, x2)
    dtype = operand_type(x).dtype
    if is_unsigned(dtype):
        return bind(_DIVIDE, x, y)
    if is_integer(dtype):
        quotient = bind(_DIVIDE, x, y)
        exact = ops.compare(ops.remainder(x, y), dtype.type(0), direction="eq")
        same_sign = ops.compare(ops.sign(x), ops.sign(y), direction="eq")
        return ops.select(ops.or_(same_sign, exact), quotient, ops.subtract(quotient, number(1, x)))
    if is_complex(dtype):
        raise DTypeError(
            "floor_divide does not support complex-valued inputs",
            fix="round the parts of `x / y` as you mean it",
        )
    # floor(x / y) is off where the quotient is rounded up to an integer: take away the remainder first.
    quotient, _ = _float_divmod(x, y)
    return quotient


_DIVIDE: Final = primitives.Divide()


def _float_divmod(x: Any, y: Any) -> tuple[Array, Array]:
    """Quotient and remainder of floats: `x - mod` is a multiple of y, so the quotient is near an integer."""
    zero = operand_type(x).dtype.type(0)
    rest = ops.remainder(x, y)
    whole = ops.divide(ops.subtract(x, rest), y)
    wrong = ops.and_(
        ops.compare(rest, zero, direction="ne"),
        ops.compare(ops.sign(y), ops.sign(rest), direction="ne"),
    )
    rest = ops.select(wrong, ops.add(rest, y), rest)
    whole = ops.select(wrong, ops.subtract(whole, number(1, x)), whole)
    finite = ops.is_finite(whole)
    whole = ops.select(finite, ops.round_nearest_even(whole), whole)
    # by zero, what is infinite stays so, although nothing is left over
    return ops.select(ops.compare(y, zero, direction="eq"), ops.divide(x, y), whole), rest


def remainder(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What is left of `x1` after division by `x2`; it has the sign of `x2`.

    Raises:
        DTypeError: the operands are booleans.

    Example:
        >>> print(remainder(-7, 2))
        1
    """
    x, y = integers("remainder", x1, x2)
    dtype = operand_type(x).dtype
    zero = dtype.type(0)
    rest = ops.remainder(x, y)
    if is_unsigned(dtype):
        return ops.select(ops.compare(y, zero, direction="eq"), zero_like(rest), rest)
    wrong = ops.and_(
        ops.compare(rest, zero, direction="ne"),
        ops.compare(
            ops.compare(rest, zero, direction="lt"),
            ops.compare(y, zero, direction="lt"),
            direction="ne",
        ),
    )
    result = ops.select(wrong, ops.add(rest, y), rest)
    if is_integer(dtype):
        return ops.select(ops.compare(y, zero, direction="eq"), zero_like(result), result)
    return result


def zero_like(x: Any) -> Any:
    """A zero of an operand's element type, for `select`, which broadcasts scalars."""
    return number(0, x)


mod = remainder


def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """What is left of `x1` after division by `x2` rounded toward zero; it has the sign of `x1`."""
    x, y = integers("fmod", x1, x2)
    rest = ops.remainder(x, y)
    if not is_integer(operand_type(x).dtype):
        return rest
    return ops.select(ops.compare(y, zero_like(y), direction="eq"), zero_like(rest), rest)


def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, Array]:
    """`floor_divide` and `remainder`.

    Example:
        >>> print(*divmod(7, 2))
        3 1
    """
    return floor_divide(x1, x2), remainder(x1, x2)


_SQUARE: Final = primitives.Square()


def power(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`x1 ** x2`. A Python integer as exponent gives repeated multiplication, exact for integers.

    Raises:
        DTypeError: an integer to a negative integer power; convert one of them to float.

    Example:
        >>> print(power(2.0, 3))
        8.0
    """
    exponent = _static_integer(x2)
    if exponent is not None:
        x = coerce("power", 0, x1)
        dtype = operand_type(x).dtype
        if is_bool(dtype):
            x, dtype = with_dtype(x, operand_type(x), _INT32, False), _INT32
        if exponent < 0 and is_integer(dtype):
            raise DTypeError(
                f"Integers cannot be raised to negative powers, got {operand_type(x)} ** {exponent}",
                fix="use a float: `x ** -1.0` or `1 / x`",
            )
        return bind(_SQUARE, x) if exponent == 2 else ops.integer_power(x, exponent=exponent)
    x, y = coerce("power", 0, x1), coerce("power", 1, x2)
    if is_bool(operand_type(x).dtype) and (
        is_bool(operand_type(y).dtype)
        or (operand_type(y).weak and is_integer(operand_type(y).dtype))
    ):
        x = with_dtype(x, operand_type(x), _INT32, False)
    types = operand_type(x), operand_type(y)
    dtype, weak = promoted(types)
    # a strong integer as exponent makes the result strong, as JAX has it; a boolean does so for integers
    exponent_type = types[1]
    if (
        types[0].weak
        and not isinstance(y, Literal)
        and not exponent_type.weak
        and not (is_bool(exponent_type.dtype) and is_inexact(dtype))
    ):
        weak = False
    x, y = [with_dtype(v, t, dtype, weak) for v, t in zip((x, y), types, strict=True)]
    x, y = broadcast("power", [x, y])
    return ops.power(x, y)


def _static_integer(x: object) -> int | None:
    """The value of an exponent that is known to Python as an integer."""
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
        return int(x)
    return None


pow = power


def float_power(x: ArrayLike, y: ArrayLike, /) -> Array:
    """`x ** y`, always as floats.

    Example:
        >>> print(float_power(2, -1))
        0.5
    """
    a, b = promote_shapes("float_power", x, y, inexact=True)
    return ops.power(a, b)


def fabs(x: ArrayLike, /) -> Array:
    """The absolute value as a float; not for complex numbers.

    Raises:
        DTypeError: the operand is complex.
    """
    operand = inexact_operand("fabs", x)
    if is_complex(operand_type(operand).dtype):
        raise DTypeError("fabs does not support complex dtypes", fix="use abs")
    return ops.abs(operand)


def abs(x: ArrayLike, /) -> Array:
    """The absolute value; the modulus of complex numbers. Its derivative at 0 is 0.

    Example:
        >>> print(abs(-3))
        3
    """
    operand = coerce("abs", 0, x)
    if is_bool(operand_type(operand).dtype):
        return cast("Array", as_array("abs", operand))
    return bind(_ABS, operand)


_ABS: Final = primitives.Abs()
absolute = abs


def sign(x: ArrayLike, /) -> Array:
    """-1, 0 or 1 by the sign of a real number; `x / abs(x)` of a complex one.

    Example:
        >>> print(sign(-2.5))
        -1.0
    """
    operand = coerce("sign", 0, x)
    if is_unsigned(operand_type(operand).dtype):
        return ops.minimum(operand, number(1, operand))
    return bind(_SIGN, operand)


_SIGN: Final = primitives.Sign()


def square(x: ArrayLike, /) -> Array:
    """`x * x`.

    Example:
        >>> print(square(3))
        9
    """
    operand = coerce("square", 0, x)
    type = operand_type(operand)
    return bind(
        _SQUARE, with_dtype(operand, type, _INT32, False) if is_bool(type.dtype) else operand
    )


def reciprocal(x: ArrayLike, /) -> Array:
    """`1 / x`, as a float.

    Example:
        >>> print(reciprocal(4.0))
        0.25
    """
    operand = inexact_operand("reciprocal", x)
    return ops.integer_power(operand, exponent=-1)


# exponentials and roots

exp = unary("exp", primitives.Exponential(), "`e ** x`.", "print(exp(0.0))\n        1.0")
exp2 = unary("exp2", primitives.Exponential2(), "`2 ** x`.", "print(exp2(3.0))\n        8.0")
expm1 = unary("expm1", primitives.ExponentialMinusOne(), "`e ** x - 1`, exact near 0.")
log = unary("log", primitives.Log(), "The natural logarithm.", "print(log(1.0))\n        0.0")
log1p = unary("log1p", primitives.LogPlusOne(), "`log(1 + x)`, exact near 0.")
sqrt = unary("sqrt", primitives.Sqrt(), "The square root.", "print(sqrt(4))\n        2.0")
cbrt = unary("cbrt", primitives.Cbrt(), "The cube root.")


def _by_log(name: str, base: float, x: ArrayLike) -> Array:
    operand = inexact_operand(name, x)
    dtype = operand_type(operand).dtype
    return ops.divide(ops.log(operand), dtype.type(np.log(base)))  # not weak, as JAX has it


def log2(x: ArrayLike, /) -> Array:
    """The logarithm to base 2."""
    return _by_log("log2", 2.0, x)


def log10(x: ArrayLike, /) -> Array:
    """The logarithm to base 10."""
    return _by_log("log10", 10.0, x)


def _logaddexp(name: str, x1: ArrayLike, x2: ArrayLike, base: float | None) -> Array:
    # log(e^x + e^y) = max + log1p(e^-|x - y|); where x == y both may be infinite, and x - y is not a number.
    x, y = promote_shapes(name, x1, x2, inexact=True)
    if is_complex(operand_type(x).dtype):
        return log(add(exp(x), exp(y)))
    top = ops.maximum(x, y)
    gap = ops.subtract(x, y)
    below = ops.negate(ops.abs(gap))
    if base is None:
        near = ops.log_plus_one(ops.exponential(below))
    else:
        scale = number(np.log(base), top)
        near = ops.divide(ops.log_plus_one(ops.exponential(ops.multiply(below, scale))), scale)
    return ops.select(ops.compare(gap, gap, direction="ne"), ops.add(x, y), ops.add(top, near))


def logaddexp(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`log(exp(x1) + exp(x2))`, without overflow.

    Example:
        >>> print(f"{float(logaddexp(1000.0, 1000.0)):.3f}")
        1000.693
    """
    return _logaddexp("logaddexp", x1, x2, None)


def logaddexp2(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`log2(2 ** x1 + 2 ** x2)`, without overflow."""
    return _logaddexp("logaddexp2", x1, x2, 2.0)


def hypot(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """`sqrt(x1 ** 2 + x2 ** 2)`, without overflow.

    Example:
        >>> print(hypot(3.0, 4.0))
        5.0
    """
    x, y = promote_shapes("hypot", x1, x2, inexact=True)
    if is_complex(operand_type(x).dtype):
        raise DTypeError(
            "hypot is not defined for complex numbers", fix="convert to real numbers, as with abs"
        )
    x, y = ops.abs(x), ops.abs(y)
    top, low = ops.maximum(x, y), ops.minimum(x, y)
    zero = zero_like(top)
    # the inner select keeps the division, and so its derivative, finite where both are 0
    safe = ops.select(ops.compare(top, zero, direction="eq"), number(1, top), top)
    return ops.select(
        ops.compare(top, zero, direction="eq"),
        top,
        ops.multiply(
            top,
            ops.sqrt(ops.add(ops.square(ops.divide(low, safe)), number(1, top))),
        ),
    )


# trigonometry

sin = unary(
    "sin", primitives.Sine(), "The sine of an angle in radians.", "print(sin(0.0))\n        0.0"
)
cos = unary(
    "cos", primitives.Cosine(), "The cosine of an angle in radians.", "print(cos(0.0))\n        1.0"
)
tan = unary("tan", primitives.Tan(), "The tangent of an angle in radians.")
arcsin = unary("arcsin", primitives.Asin(), "The angle with this sine.")
arccos = unary("arccos", primitives.Acos(), "The angle with this cosine.")
arctan = unary("arctan", primitives.Atan(), "The angle with this tangent.")
sinh = unary("sinh", primitives.Sinh(), "The hyperbolic sine.")
cosh = unary("cosh", primitives.Cosh(), "The hyperbolic cosine.")
tanh = unary("tanh", primitives.Tanh(), "The hyperbolic tangent.", "print(tanh(0.0))\n        0.0")
arcsinh = unary("arcsinh", primitives.Asinh(), "The inverse hyperbolic sine.")
arccosh = unary("arccosh", primitives.Acosh(), "The inverse hyperbolic cosine.")
arctanh = unary("arctanh", primitives.Atanh(), "The inverse hyperbolic tangent.")
asin, acos, atan, asinh, acosh, atanh = arcsin, arccos, arctan, arcsinh, arccosh, arctanh


def deg2rad(x: ArrayLike, /) -> Array:
    """Degrees as radians."""
    operand = inexact_operand("deg2rad", x)
    return ops.multiply(operand, number(np.pi / 180, operand))


def rad2deg(x: ArrayLike, /) -> Array:
    """Radians as degrees."""
    operand = inexact_operand("rad2deg", x)
    return ops.multiply(operand, number(180 / np.pi, operand))


radians = deg2rad
degrees = rad2deg


def sinc(x: ArrayLike, /) -> Array:
    """`sin(pi x) / (pi x)`, 1 at 0.

    Example:
        >>> print(sinc(0.0))
        1.0
    """
    operand = inexact_operand("sinc", x)
    zero, one = number(0, operand), number(1, operand)
    angle = ops.multiply(operand, number(np.pi, operand))
    at_zero = ops.compare(angle, zero, direction="eq")
    safe = ops.select(at_zero, one, angle)
    # 1 - angle^2/6 stands in at 0, so that derivatives up to the third are right there, too
    near = ops.subtract(
        one, ops.divide(ops.square(ops.select(at_zero, angle, zero)), number(6, operand))
    )
    return ops.select(at_zero, near, ops.divide(ops.sine(safe), safe))


# rounding

floor = rounding(
    "floor", primitives.Floor(), "The greatest integer that is not above x; integers are."
)
ceil = rounding("ceil", primitives.Ceil(), "The least integer that is not below x; integers are.")
_ROUND: Final = primitives.RoundNearestEven()


def rint(x: ArrayLike, /) -> Array:
    """The nearest integer, the even one of two, as a float."""
    operand = coerce("rint", 0, x)
    if not is_inexact(operand_type(operand).dtype):
        operand = converted(
            operand, default_dtype(float)
        )  # not weak and not by width, as JAX has it
    if is_complex(operand_type(operand).dtype):
        return ops.complex(bind(_ROUND, ops.real(operand)), bind(_ROUND, ops.imag(operand)))
    return bind(_ROUND, operand)


def round(a: ArrayLike, decimals: int = 0, out: None = None) -> Array:
    """Rounded to a number of decimals, halves to even; integers stay as they are.

    Raises:
        DTypeError: the operand is boolean, or integers are to be rounded to negative decimals.

    Example:
        >>> print(round(2.5))
        2.0
    """
    named_only("round", out=out)
    operand = coerce("round", 0, a)
    type = operand_type(operand)
    dtype = type.dtype
    if is_bool(dtype):
        raise DTypeError(
            "round: booleans cannot be rounded", fix="convert to integers with .astype(int)"
        )
    if is_integer(dtype):
        if decimals < 0:
            raise DTypeError(
                f"round: integers cannot be rounded to {decimals} decimals",
                fix="convert to floats with .astype(float)",
            )
        return cast("Array", as_array("round", operand))
    if is_complex(dtype):
        return ops.complex(round(ops.real(operand), decimals), round(ops.imag(operand), decimals))
    if decimals == 0:
        return bind(_ROUND, operand)
    factor = dtype.type(10.0 ** builtin_abs(decimals))
    if decimals > 0:
        return ops.divide(bind(_ROUND, ops.multiply(operand, factor)), factor)
    return ops.multiply(bind(_ROUND, ops.divide(operand, factor)), factor)


builtin_abs: Final = builtins.abs
around = round


def trunc(x: ArrayLike, /) -> Array:
    """The integer part, toward zero.

    Example:
        >>> print(trunc(-1.7))
        -1.0
    """
    operand = coerce("trunc", 0, x)
    type = operand_type(operand)
    if not is_inexact(type.dtype):
        return cast("Array", as_array("trunc", operand))
    below = ops.compare(operand, zero_like(operand), direction="lt")
    return ops.select(below, ops.ceil(operand), ops.floor(operand))


fix = trunc

# parts and signs


def real(val: ArrayLike, /) -> Array:
    """The real part."""
    operand = coerce("real", 0, val)
    if is_complex(operand_type(operand).dtype):
        return ops.real(operand)
    return cast("Array", as_array("real", operand))


def imag(val: ArrayLike, /) -> Array:
    """The imaginary part; zeros for real numbers."""
    operand = coerce("imag", 0, val)
    if is_complex(operand_type(operand).dtype):
        return ops.imag(operand)
    return filled(operand_type(operand).shape, zero_like(operand))


def conjugate(x: ArrayLike, /) -> Array:
    """The complex conjugate; real numbers stay as they are."""
    operand = coerce("conjugate", 0, x)
    if is_complex(operand_type(operand).dtype):
        return ops.conjugate(operand)
    return cast("Array", as_array("conjugate", operand))


conj = conjugate


def angle(z: ArrayLike, deg: bool = False) -> Array:
    """The angle of a complex number."""
    operand = coerce("angle", 0, z)
    dtype = operand_type(operand).dtype
    if not is_complex(dtype):  # not weak and not by width, as JAX has it
        operand = converted(operand, dtype if is_inexact(dtype) else default_dtype(float))
    if is_complex(dtype):
        result = ops.atan2(ops.imag(operand), ops.real(operand))
    else:
        result = ops.atan2(ops.abs(ops.multiply(operand, zero_like(operand))), operand)
    return rad2deg(result) if deg else result


def signbit(x: ArrayLike, /) -> Array:
    """Whether the sign bit is set: of negative numbers, and of -0.0.

    Example:
        >>> print(signbit(-0.0))
        True
    """
    operand = coerce("signbit", 0, x)
    type = operand_type(operand)
    dtype = type.dtype
    if is_bool(dtype) or is_unsigned(dtype) or is_integer(dtype):
        return ops.compare(operand, dtype.type(0), direction="lt")
    if is_complex(dtype):
        raise DTypeError(
            "signbit is not defined for complex numbers", fix="ask for the real or imaginary part"
        )
    bits = BY_NAME[f"i{dtype.itemsize * 8}"]
    return ops.compare(ops.bitcast_convert(operand, dtype=bits), bits.type(0), direction="lt")


def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The magnitude of `x1` with the sign of `x2`.

    Raises:
        DTypeError: an operand is complex.

    Example:
        >>> print(copysign(3.0, -0.0))
        -3.0
    """
    x, y = promote_shapes("copysign", x1, x2, inexact=True)
    if is_complex(operand_type(x).dtype):
        raise DTypeError("copysign does not support complex-valued inputs", fix="use abs and angle")
    size = ops.abs(x)
    if operand_type(x).weak and not operand_type(y).weak:
        size = cast("Array", converted(size, operand_type(x).dtype))
    return ops.select(signbit(y), ops.negate(size), size)


def heaviside(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """0 below 0, 1 above, `x2` at 0."""
    x, y = promote_shapes("heaviside", x1, x2, inexact=True)
    zero, one = zero_like(x), number(1, x)
    above = ops.select(ops.compare(x, zero, direction="gt"), one, x)
    inner = ops.select(ops.compare(x, zero, direction="lt"), zero, above)
    return ops.select(ops.compare(x, zero, direction="eq"), y, inner)


def fmax(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The greater of two; the other one where one is NaN."""
    x, y = promote_shapes("fmax", x1, x2)
    keep = ops.or_(greater(x, y), ops.compare(y, y, direction="ne"))
    return ops.select(keep, x, y)


def fmin(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """The lesser of two; the other one where one is NaN."""
    x, y = promote_shapes("fmin", x1, x2)
    keep = ops.or_(less(x, y), ops.compare(y, y, direction="ne"))
    return ops.select(keep, x, y)


# bits

bitwise_and = binary(
    "bitwise_and", primitives.And(), "Each bit of both.", "print(bitwise_and(6, 3))\n        2"
)
bitwise_or = binary(
    "bitwise_or", primitives.Or(), "Each bit of either.", "print(bitwise_or(6, 3))\n        7"
)
bitwise_xor = binary(
    "bitwise_xor",
    primitives.Xor(),
    "Each bit of one but not both.",
    "print(bitwise_xor(6, 3))\n        5",
)
invert = unary_same(
    "invert", primitives.Not(), "Each bit flipped; of booleans, whether it is false."
)
bitwise_not = bitwise_invert = invert


def bitwise_count(x: ArrayLike, /) -> Array:
    """The number of bits that are set in the absolute value, as u8.

    Example:
        >>> print(bitwise_count(-3))
        2
    """
    size: Any = abs(x)
    if is_bool(operand_type(size).dtype):
        return ops.convert(size, dtype=_UINT8)
    return ops.convert(ops.popcnt(size), dtype=_UINT8)


_UINT8: Final = BY_NAME["u8"]
_SHIFT_LEFT: Final = primitives.ShiftLeft()


def left_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The bits moved up.

    Example:
        >>> print(left_shift(1, 3))
        8
    """
    return bind(_SHIFT_LEFT, *integers("left_shift", x, y))


def right_shift(x: ArrayLike, y: ArrayLike, /) -> Array:
    """The bits moved down, filling with the sign bit of signed integers.

    Example:
        >>> print(right_shift(-8, 1))
        -4
    """
    a, b = integers("right_shift", x, y)
    if is_unsigned(operand_type(a).dtype):
        return ops.shift_right_logical(a, b)
    return ops.shift_right_arithmetic(a, b)


bitwise_left_shift, bitwise_right_shift = left_shift, right_shift

# comparison

equal = comparison("equal", "eq", "Whether they are equal.", "print(equal(1, 1.0))\n        True")
not_equal = comparison("not_equal", "ne", "Whether they differ; NaN differs from itself.")
less = comparison(
    "less", "lt", "Whether the first is below the second.", "print(less(1, 2))\n        True"
)
less_equal = comparison("less_equal", "le", "Whether the first is not above the second.")
greater = comparison("greater", "gt", "Whether the first is above the second.")
greater_equal = comparison("greater_equal", "ge", "Whether the first is not below the second.")


def literal(value: Any, x: Any) -> Any:
    """A Python number in the element type of an operand, as a scalar of the host."""
    return operand_type(x).dtype.type(value)
