"""What attributes of single values compute."""

from __future__ import annotations

from treadle_ir.primitives.metadata import ValueMetadata
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(ValueMetadata)
def value_metadata_eval(primitive: ValueMetadata, x: Elements) -> list[Elements]:
    """Return the operand unchanged."""
    return [x]
