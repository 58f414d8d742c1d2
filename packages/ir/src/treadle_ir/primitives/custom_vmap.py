"""Functions with batching rules of their own.

Like calls with derivative rules (`treadle_ir.primitives.call`) they have two forms: the `FunctionCall` holds Python
functions and runs them; programs contain its staged form, whose rule stays a Python function until the program is
vectorised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, TypeAlias, final

from treadle_ir.core.families import FunctionCall
from treadle_ir.core.flows import Flags
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.core.registry import register
from treadle_ir.core.types import Type
from treadle_ir.primitives.call import LabelledCall
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Function, Operand, Operands
from treadle_ir.tracing.staging import stage

# From the batch size, the operands, and which are batched (along axis 0), to results and which of them are batched.
FlatBatchRule: TypeAlias = Callable[[int, Operands, Flags], tuple[Operands, Flags]]


@final
@frozen(eq=False)
class CustomBatching:
    """The batching rule of a function; the first `captured` operands of a staged call are constants for it."""

    rule: FlatBatchRule
    captured: int = 0


@final
@frozen(eq=False)
class CustomVmapCall(FunctionCall):
    """A function of flat operands with its own batching rule."""

    name: ClassVar[str] = "custom_vmap_function"
    label: str
    function: Function
    batching: CustomBatching

    def call(self, operands: Operands) -> Operands:
        """Run the function."""
        return self.function(*operands)

    def staged(self, types: tuple[Type, ...]) -> tuple[Primitive, tuple[Operand, ...]]:
        """Return the function as a program, with its rule for later."""
        staged = stage(self.function, *types)
        batching = replace(self.batching, captured=len(staged.captured))
        return CustomVmapStaged(staged.program, self.label, batching), staged.captured


@register
@final
@frozen
class CustomVmapStaged(LabelledCall):
    """A staged function with its own batching rule, which is opaque: compared by identity, not parsed back."""

    name: ClassVar[str] = "custom_vmap_call"
    program: Program
    label: str
    batching: CustomBatching

    def is_deferred(self) -> bool:
        """Return True: the rule is a Python function."""
        return True
