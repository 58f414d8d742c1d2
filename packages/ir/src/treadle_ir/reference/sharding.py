"""Layouts change no value."""

from __future__ import annotations

from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(ShardingConstraint)
def sharding_constraint_eval(primitive: ShardingConstraint, x: Elements) -> list[Elements]:
    """The operand."""
    return [x]
