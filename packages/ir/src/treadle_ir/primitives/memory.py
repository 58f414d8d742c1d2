"""In which memory of its device an array within a program is: to_memory."""

from __future__ import annotations

from typing import ClassVar, Final, final

from treadle_ir.array import Array, Operand
from treadle_ir.errors import ArgumentError
from treadle_ir.frozen import frozen
from treadle_ir.primitives.elementwise import Unary
from treadle_ir.registry import register
from treadle_ir.trace import bind
from treadle_ir.types import Type

DEVICE_MEMORY: Final = "device"
"""The kind of memory that devices compute in, on every platform."""


@register
@final
@frozen
class ToMemory(Unary):
    """Its operand, in a memory of its device: `device`, or one of the host's, such as `pinned_host`.

    No element changes. What is computed with is in the device's own memory: whoever lowers a program brings it there.

    Constraints:
        (C1) the kind is a name
    """

    takes_keys: ClassVar[bool] = True
    computes: ClassVar[bool] = False
    name: ClassVar[str] = "to_memory"
    kinds: ClassVar[str] = "biufck"
    kind: str

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        if not self.kind.isidentifier():  # C1
            raise ArgumentError(
                f"to_memory: the kind of memory is {self.kind!r}, which is no name",
                fix="name a memory of the device, such as 'device' or 'pinned_host'",
            )
        return operands


def to_memory(x: Operand, *, kind: str) -> Array:
    """The operand, in a memory of its device."""
    return bind(ToMemory(kind), x)[0]
