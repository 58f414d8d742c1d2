"""The memory space and the layout of an array within a program: to_memory, layout_constraint."""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.core.primitive import Primitive
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, ShapeError
from treadle_ir.primitives.elementwise import Unary
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

DEVICE_MEMORY: Final = "device"
"""The kind of memory in which devices compute, on every platform."""


@register
@final
@frozen
class ToMemory(Unary):
    """The operand, in a memory of its device: `device`, or a memory of the host, such as `pinned_host`.

    No element changes. Operations compute in the device's own memory, and lowering inserts the transfers to it.

    Constraints:
        (C1) the kind is a name
    """

    takes_keys: ClassVar[bool] = True
    computes: ClassVar[bool] = False
    name: ClassVar[str] = "to_memory"
    kinds: ClassVar[str] = "biufck"
    kind: str

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        if not self.kind.isidentifier():  # C1
            raise ArgumentError(
                f"to_memory: the kind of memory is {self.kind!r}, which is not a name",
                fix="name a memory of the device, such as 'device' or 'pinned_host'",
            )
        return operands


def to_memory(x: Operand, *, kind: str) -> Array:
    """Return the operand, in a memory of its device."""
    return bind(ToMemory(kind), x)[0]


@register
@final
@frozen
class LayoutConstraint(Primitive):
    """The operand, with its elements in memory in an order of axes: the last of them is contiguous.

    No element changes. It constrains the compiler's choice of layout for this value within the program.

    Constraints:
        (C1) the order has each axis of the operand once
    """

    computes: ClassVar[bool] = False
    name: ClassVar[str] = "layout_constraint"
    major_to_minor: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the operand's type."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        if sorted(self.major_to_minor) != list(range(x.ndim)):  # C1
            raise ShapeError(
                f"layout_constraint: the order of axes is {self.major_to_minor}, "
                f"which does not have each axis of {x} once",
                fix=f"name each of the {x.ndim} axes once, the contiguous one last",
            )
        return (x,)


def layout_constraint(x: Operand, *, major_to_minor: tuple[int, ...]) -> Array:
    """Return the operand, with its elements in memory in an order of axes."""
    return bind(LayoutConstraint(major_to_minor), x)[0]
