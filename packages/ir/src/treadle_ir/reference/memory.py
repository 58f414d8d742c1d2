"""Kernels of memory operations: there is one memory here, with an unobservable layout, and no element changes."""

from __future__ import annotations

from treadle_ir.primitives.memory import LayoutConstraint, ToMemory
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(ToMemory)
def to_memory_eval(primitive: ToMemory, x: Elements) -> list[Elements]:
    """Return the operand."""
    return [x]


@eval_rule(LayoutConstraint)
def layout_constraint_eval(primitive: LayoutConstraint, x: Elements) -> list[Elements]:
    """Return the operand."""
    return [x]
