"""Lowering of memories to the annotations by which XLA moves values between a device and its host."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.memories import moved
from treadle_compiler.registry import lowering_rule
from treadle_ir.primitives.memory import ToMemory


@lowering_rule(ToMemory)
def to_memory_lowering(
    context: LoweringContext, primitive: ToMemory, x: HloValue
) -> Sequence[HloValue]:
    """An annotation; nothing, if the value is there."""
    return [moved(context, x, primitive.kind)]
