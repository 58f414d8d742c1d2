"""Lowering of shardings to Shardy's constraints, and of questions for them; a program for one device has neither."""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.partitioning import inspection_mark, sharding_text
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint


@lowering_rule(ShardingConstraint)
def sharding_constraint_lowering(
    context: LoweringContext, primitive: ShardingConstraint, x: HloValue
) -> HloValues:
    """A constraint, over the mesh of the module."""
    if context.module.partitioning is None:
        return [x]
    mesh = context.module.mesh_name(primitive.mesh)
    attributes = {"sharding": sharding_text(mesh, primitive.dims)}
    return context.emit("sdy.sharding_constraint", [x], [x.type], attributes)


@lowering_rule(InspectSharding)
def inspect_sharding_lowering(
    context: LoweringContext, primitive: InspectSharding, x: HloValue
) -> HloValues:
    """A custom call that XLA's partitioner answers. Within shard_map there is no question: a part is its device's."""
    module = context.module
    asked = module.partitioning is not None and context.manual is None
    number = module.add_inspection(primitive.callback, len(x.shape))
    if asked:
        attributes = {
            "call_target_name": '"InspectSharding"',
            "has_side_effect": "true",
            "backend_config": f'"{inspection_mark(number)}"',
        }
        context.emit("stablehlo.custom_call", [x], [x.type], attributes)
    return []
