"""Cumulative operations: each element combined with all elements before it along an axis (after it, in reverse).

Element k of the result combines elements 0 to k, itself included. Floats narrower than 32 bits are
accumulated in f32 and each result is rounded once. The weak mark is preserved.
"""

from __future__ import annotations

from typing import ClassVar, final

from treadle_ir.core.families import Accumulating
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.primitives.elementwise import check_kind
from treadle_ir.primitives.shape import array_operand, check_axes
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind


@frozen
class Cumulative(Accumulating):
    """Family: one operand, combined along `axis`, from its end if `reverse`; the result has its type.

    Constraints:
        (C1) axis is an axis of the operand
        (C2) the operation has a meaning for the element type
    """

    kinds: ClassVar[str]  # the element types it takes, letters of `biufc`
    axis: int
    reverse: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        x = array_operand(self.name, operands[0])
        check_axes(self.name, "axis", (self.axis,), x)  # C1
        check_kind(self.name, self.kinds, x.dtype)  # C2
        return (x,)


@register
@final
class CumulativeAdd(Cumulative):
    """The sum of the elements so far."""

    __slots__ = ()
    name: ClassVar[str] = "cumulative_add"
    kinds: ClassVar[str] = "iufc"


@register
@final
class CumulativeMultiply(Cumulative):
    """The product of the elements so far."""

    __slots__ = ()
    name: ClassVar[str] = "cumulative_multiply"
    kinds: ClassVar[str] = "iufc"


@register
@final
class CumulativeMaximum(Cumulative):
    """The greatest element so far, of complex numbers as for `Maximum`; NaN from the first NaN on."""

    __slots__ = ()
    name: ClassVar[str] = "cumulative_maximum"
    kinds: ClassVar[str] = "biufc"


@register
@final
class CumulativeMinimum(Cumulative):
    """The least element so far, of complex numbers as for `Minimum`; NaN from the first NaN on."""

    __slots__ = ()
    name: ClassVar[str] = "cumulative_minimum"
    kinds: ClassVar[str] = "biufc"


@register
@final
class CumulativeLogsumexp(Cumulative):
    """The logarithm of the sum of the exponentials of the elements so far, without overflow."""

    __slots__ = ()
    name: ClassVar[str] = "cumulative_logsumexp"
    kinds: ClassVar[str] = "f"


def cumulative_add(x: Operand, *, axis: int, reverse: bool = False) -> Array:
    """Return the sum of the elements so far along an axis."""
    return bind(CumulativeAdd(axis, reverse), x)[0]


def cumulative_multiply(x: Operand, *, axis: int, reverse: bool = False) -> Array:
    """Return the product of the elements so far along an axis."""
    return bind(CumulativeMultiply(axis, reverse), x)[0]


def cumulative_maximum(x: Operand, *, axis: int, reverse: bool = False) -> Array:
    """Return the greatest element so far along an axis; NaN from the first NaN on."""
    return bind(CumulativeMaximum(axis, reverse), x)[0]


def cumulative_minimum(x: Operand, *, axis: int, reverse: bool = False) -> Array:
    """Return the least element so far along an axis; NaN from the first NaN on."""
    return bind(CumulativeMinimum(axis, reverse), x)[0]


def cumulative_logsumexp(x: Operand, *, axis: int, reverse: bool = False) -> Array:
    """Return the logarithm of the sum of the exponentials of the elements so far along an axis."""
    return bind(CumulativeLogsumexp(axis, reverse), x)[0]
