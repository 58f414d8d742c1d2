"""Whole numbers beside a number, and whether it is finite."""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np

from treadle_ir.array import Array, Operand
from treadle_ir.primitive import Attributeless
from treadle_ir.primitives.elementwise.families import Unary, check_kind
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import ArrayType, Type


@register
@final
class Ceil(Attributeless, Unary):
    """The least integer that is not below `x`."""

    __slots__ = ()
    name: ClassVar[str] = "ceil"
    kinds: ClassVar[str] = "f"


@register
@final
class Floor(Attributeless, Unary):
    """The greatest integer that is not above `x`."""

    __slots__ = ()
    name: ClassVar[str] = "floor"
    kinds: ClassVar[str] = "f"


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


_CEIL: Final = Ceil()


def ceil(x: Operand) -> Array:
    """The least integer that is not below `x`."""
    return bind(_CEIL, x)[0]


_FLOOR: Final = Floor()


def floor(x: Operand) -> Array:
    """The greatest integer that is not above `x`."""
    return bind(_FLOOR, x)[0]


_IS_FINITE: Final = IsFinite()


def is_finite(x: Operand) -> Array:
    """Whether it is neither infinite nor NaN, as a boolean."""
    return bind(_IS_FINITE, x)[0]


_ROUND_NEAREST_AFZ: Final = RoundNearestAfz()


def round_nearest_afz(x: Operand) -> Array:
    """The nearest integer, halves away from zero."""
    return bind(_ROUND_NEAREST_AFZ, x)[0]


_ROUND_NEAREST_EVEN: Final = RoundNearestEven()


def round_nearest_even(x: Operand) -> Array:
    """The nearest integer, halves to the even one."""
    return bind(_ROUND_NEAREST_EVEN, x)[0]
