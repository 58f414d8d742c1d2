"""Lowering of parts of programs, and of single values, that carry attributes for XLA."""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.metadata import ValueMetadata, XlaMetadata
from treadle_ir.process import deeper


@lowering_rule(XlaMetadata)
def xla_metadata_lowering(
    context: LoweringContext, primitive: XlaMetadata, /, *operands: HloValue
) -> HloValues:
    """The equations in place, each operation of theirs with the attributes."""
    with deeper(), context.annotating(primitive.metadata):
        return context.inline(primitive.program, *operands)


@lowering_rule(ValueMetadata)
def value_metadata_lowering(
    context: LoweringContext, primitive: ValueMetadata, x: HloValue, /
) -> HloValues:
    """Nothing: `legalise/metadata.py` has attached the attributes to the equation that makes the value."""
    return [x]
