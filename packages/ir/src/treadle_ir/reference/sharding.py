"""Layouts change no value, and there are no devices."""

from __future__ import annotations

from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(ShardingConstraint)
def sharding_constraint_eval(primitive: ShardingConstraint, x: Elements) -> list[Elements]:
    """Return the operand."""
    return [x]


@eval_rule(InspectSharding)
def inspect_sharding_eval(primitive: InspectSharding, x: Elements) -> list[Elements]:
    """Do nothing: there are no devices here."""
    return []
