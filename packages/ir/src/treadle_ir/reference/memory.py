"""There is one memory here, and no element changes."""

from __future__ import annotations

from treadle_ir.primitives.memory import ToMemory
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(ToMemory)
def to_memory_eval(primitive: ToMemory, x: Elements) -> list[Elements]:
    """The operand."""
    return [x]
