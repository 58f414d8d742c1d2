"""Bits of integers and booleans."""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.array import Array, Operand
from treadle_ir.primitive import Attributeless
from treadle_ir.primitives.elementwise.families import Binary, Unary
from treadle_ir.registry import register
from treadle_ir.trace import bind


@register
@final
class CountLeadingZeros(Attributeless, Unary):
    """The number of zero bits above the highest one bit."""

    __slots__ = ()
    name: ClassVar[str] = "count_leading_zeros"
    kinds: ClassVar[str] = "iu"


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
class And(Attributeless, Binary):
    """Each bit of `x` and `y`."""

    __slots__ = ()
    name: ClassVar[str] = "and"
    kinds: ClassVar[str] = "biu"


@register
@final
class Or(Attributeless, Binary):
    """Each bit of `x` or `y`."""

    __slots__ = ()
    name: ClassVar[str] = "or"
    kinds: ClassVar[str] = "biu"


@register
@final
class GreatestCommonDivisor(Attributeless, Binary):
    """The greatest number that divides `x` and `y`; of 0 and `y` it is `abs(y)`.

    It is not negative, unless the absolute value is no number of the type: of the least integer and itself or 0.
    """

    __slots__ = ()
    name: ClassVar[str] = "greatest_common_divisor"
    kinds: ClassVar[str] = "iu"


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
class Xor(Attributeless, Binary):
    """Each bit of `x` or `y` but not of both."""

    __slots__ = ()
    name: ClassVar[str] = "xor"
    kinds: ClassVar[str] = "biu"


_COUNT_LEADING_ZEROS: Final = CountLeadingZeros()


def count_leading_zeros(x: Operand) -> Array:
    """The number of zero bits above the highest one bit."""
    return bind(_COUNT_LEADING_ZEROS, x)[0]


_NOT: Final = Not()


def not_(x: Operand) -> Array:
    """Each bit inverted; of a boolean, its opposite."""
    return bind(_NOT, x)[0]


_POPCNT: Final = Popcnt()


def popcnt(x: Operand) -> Array:
    """The number of one bits."""
    return bind(_POPCNT, x)[0]


_AND: Final = And()


def and_(x: Operand, y: Operand) -> Array:
    """Each bit of `x` and `y`."""
    return bind(_AND, x, y)[0]


_OR: Final = Or()


def or_(x: Operand, y: Operand) -> Array:
    """Each bit of `x` or `y`."""
    return bind(_OR, x, y)[0]


_GREATEST_COMMON_DIVISOR: Final = GreatestCommonDivisor()


def greatest_common_divisor(x: Operand, y: Operand) -> Array:
    """The greatest number that divides `x` and `y`; of 0 and `y` it is `abs(y)`."""
    return bind(_GREATEST_COMMON_DIVISOR, x, y)[0]


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


_XOR: Final = Xor()


def xor(x: Operand, y: Operand) -> Array:
    """Each bit of `x` or `y` but not of both."""
    return bind(_XOR, x, y)[0]
