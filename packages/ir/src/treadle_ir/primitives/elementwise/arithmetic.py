"""Arithmetic: sums, products, powers, roots, maxima and minima."""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.array import Array, Operand
from treadle_ir.frozen import frozen
from treadle_ir.primitive import Attributeless
from treadle_ir.primitives.elementwise.families import Binary, RealPart, Unary, check_kind
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType, Type


@register
@final
class Abs(Attributeless, RealPart):
    """`|x|`; the modulus of a complex number, which is real."""

    __slots__ = ()
    name: ClassVar[str] = "abs"
    kinds: ClassVar[str] = "iufc"


@register
@final
class Cbrt(Attributeless, Unary):
    """Cube root."""

    __slots__ = ()
    name: ClassVar[str] = "cbrt"
    kinds: ClassVar[str] = "f"


@register
@final
class Negate(Attributeless, Unary):
    """`-x`; unsigned integers wrap around."""

    __slots__ = ()
    name: ClassVar[str] = "negate"
    kinds: ClassVar[str] = "iufc"


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
class Add(Attributeless, Binary):
    """`x + y`; of booleans, `x or y`."""

    __slots__ = ()
    name: ClassVar[str] = "add"
    kinds: ClassVar[str] = "biufc"


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
    """The greater of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN."""

    __slots__ = ()
    name: ClassVar[str] = "maximum"
    kinds: ClassVar[str] = "biufc"


@register
@final
class Minimum(Attributeless, Binary):
    """The lesser of the two, of complex numbers by real part, then by imaginary part; NaN if one is NaN."""

    __slots__ = ()
    name: ClassVar[str] = "minimum"
    kinds: ClassVar[str] = "biufc"


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
class Subtract(Attributeless, Binary):
    """`x - y`."""

    __slots__ = ()
    name: ClassVar[str] = "subtract"
    kinds: ClassVar[str] = "iufc"


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


def integer_power(x: Operand, *, exponent: int) -> Array:
    """`x ** exponent` for a fixed integer: by repeated squaring, exact for integers."""
    return bind(IntegerPower(exponent), x)[0]


_ABS: Final = Abs()


def abs(x: Operand) -> Array:
    """`|x|`; the modulus of a complex number, which is real."""
    return bind(_ABS, x)[0]


_CBRT: Final = Cbrt()


def cbrt(x: Operand) -> Array:
    """Cube root."""
    return bind(_CBRT, x)[0]


_NEGATE: Final = Negate()


def negate(x: Operand) -> Array:
    """`-x`; unsigned integers wrap around."""
    return bind(_NEGATE, x)[0]


_RSQRT: Final = Rsqrt()


def rsqrt(x: Operand) -> Array:
    """`1 / sqrt(x)`."""
    return bind(_RSQRT, x)[0]


_SIGN: Final = Sign()


def sign(x: Operand) -> Array:
    """-1, 0 or 1 (NaN stays NaN); of a complex number, `x / |x|`."""
    return bind(_SIGN, x)[0]


_SQRT: Final = Sqrt()


def sqrt(x: Operand) -> Array:
    """Square root."""
    return bind(_SQRT, x)[0]


_SQUARE: Final = Square()


def square(x: Operand) -> Array:
    """`x * x`."""
    return bind(_SQUARE, x)[0]


_ADD: Final = Add()


def add(x: Operand, y: Operand) -> Array:
    """`x + y`; of booleans, `x or y`."""
    return bind(_ADD, x, y)[0]


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


_POWER: Final = Power()


def power(x: Operand, y: Operand) -> Array:
    """`x ** y`."""
    return bind(_POWER, x, y)[0]


_REMAINDER: Final = Remainder()


def remainder(x: Operand, y: Operand) -> Array:
    """What is left of `x` after division by `y` rounded toward zero; it has the sign of `x`."""
    return bind(_REMAINDER, x, y)[0]


_SUBTRACT: Final = Subtract()


def subtract(x: Operand, y: Operand) -> Array:
    """`x - y`."""
    return bind(_SUBTRACT, x, y)[0]
