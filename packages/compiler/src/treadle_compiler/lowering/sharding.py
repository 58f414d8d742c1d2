"""Lowering of layouts to Shardy's constraints; a program for one device has none."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.partitioning import sharding_text
from treadle_compiler.registry import lowering_rule
from treadle_ir.primitives.sharding import ShardingConstraint


@lowering_rule(ShardingConstraint)
def sharding_constraint_lowering(
    context: LoweringContext, primitive: ShardingConstraint, x: HloValue
) -> Sequence[HloValue]:
    """A constraint, over the mesh of the module."""
    if context.module.partitioning is None:
        return [x]
    mesh = context.module.mesh_name(primitive.mesh)
    attributes = {"sharding": sharding_text(mesh, primitive.layout)}
    return context.emit("sdy.sharding_constraint", [x], [x.type], attributes)
