"""Comparison and selection: compare, select, clamp."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias, final, get_args

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.families import Elementwise
from treadle_ir.core.primitive import Attributeless, check_word
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.primitives.elementwise import check_kind, common_type
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

Direction: TypeAlias = Literal["eq", "ne", "lt", "le", "gt", "ge"]
_DIRECTIONS: Final = get_args(Direction)


@register
@final
@frozen
class Compare(Elementwise):
    """Whether `x` compares to `y` in a direction, as booleans. NaN is unequal to everything, itself included.

    Constraints:
        (C1) operands have one shape (or are scalars) and one element type
        (C2) complex numbers, float0 and random keys have no order: only `eq` and `ne`
    """

    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "compare"
    direction: Direction

    def __post_init__(self) -> None:
        check_word(self.name, "direction", self.direction, _DIRECTIONS)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return a boolean of the shape that the operands share."""
        x, y = operands
        type = common_type(self.name, (x, y))  # C1
        if dtypes.is_complex(type.dtype) and self.direction not in ("eq", "ne"):  # C2
            raise DTypeError(
                f"compare: complex numbers have no order, so `{self.direction}` means nothing for {type}",
                fix="compare real parts, imaginary parts or absolute values",
            )
        if dtypes.is_float0(type.dtype) and self.direction not in ("eq", "ne"):  # C2
            raise DTypeError(
                f"compare: float0 has one value and no order, so `{self.direction}` means nothing for {type}",
                fix="float0 is the tangent of integers and booleans: leave it out of computations",
            )
        if dtypes.is_extended(type.dtype) and not dtypes.is_key(type.dtype):  # C2
            raise dtypes.extended_refused("compare", type.dtype)
        if dtypes.is_key(type.dtype) and self.direction not in ("eq", "ne"):  # C2
            raise DTypeError(
                f"compare: random keys have no order, so `{self.direction}` means nothing for {type}",
                fix="keys are equal or not: use `==` or `!=`",
            )
        return (ArrayType(type.shape, np.dtype(np.bool_)),)


@register
@final
class Select(Attributeless, Elementwise):
    """`on_true` where `condition` holds, else `on_false`.

    Constraints:
        (C1) the condition is boolean
        (C2) shapes are equal or (); on_true and on_false have one element type
    """

    __slots__ = ()
    takes_keys: ClassVar[bool] = True
    name: ClassVar[str] = "select"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of the choices, of the shape that all three share."""
        condition, on_true, on_false = operands
        assert isinstance(condition, ArrayType)
        if not dtypes.is_bool(condition.dtype):  # C1
            raise DTypeError(f"select: the condition is {condition}, but must be boolean")
        type = common_type(self.name, (on_true, on_false))  # C2
        if condition.shape not in ((), type.shape) and type.shape != ():
            raise ShapeError(
                f"select: the condition is {condition} and the choices are {type}, whose shapes must be equal",
                fix="broadcast first, or use treadle.numpy.where",
            )
        return (type.with_shape(type.shape or condition.shape),)


@register
@final
class Clamp(Attributeless, Elementwise):
    """`x` limited to the range between `low` and `high`: `minimum(maximum(x, low), high)`.

    Constraints:
        (C1) operands have one shape (or are scalars) and one element type, not complex
    """

    __slots__ = ()
    name: ClassVar[str] = "clamp"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type that the operands share."""
        low, x, high = operands
        type = common_type(self.name, (low, x, high))  # C1
        check_kind(self.name, "biuf", type.dtype)
        return (type,)


_SELECT: Final = Select()
_CLAMP: Final = Clamp()
_COMPARE: Final = {direction: Compare(direction) for direction in _DIRECTIONS}


def compare(x: Operand, y: Operand, *, direction: Direction) -> Array:
    """Return whether `x` compares to `y` in a direction (`eq ne lt le gt ge`), as booleans."""
    return bind(_COMPARE.get(direction) or Compare(direction), x, y)[0]


def select(condition: Operand, on_true: Operand, on_false: Operand) -> Array:
    """Return `on_true` where `condition` holds, else `on_false`."""
    return bind(_SELECT, condition, on_true, on_false)[0]


def clamp(low: Operand, x: Operand, high: Operand) -> Array:
    """Return `x` limited to the range between `low` and `high`: `minimum(maximum(x, low), high)`."""
    return bind(_CLAMP, low, x, high)[0]
