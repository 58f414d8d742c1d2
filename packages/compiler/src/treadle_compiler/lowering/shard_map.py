"""Lowering of shard_map: a region of Shardy's in which each device computes on its own parts."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.context import LoweringContext
from treadle_compiler.partitioning import ManualScope, axes_text, per_value_text
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue
from treadle_ir.errors import ShardingError
from treadle_ir.primitives.shard_map import ShardMap


@lowering_rule(ShardMap)
def shard_map_lowering(
    context: LoweringContext, primitive: ShardMap, /, *operands: HloValue
) -> Sequence[HloValue]:
    """The body in a region; over a single device, the body."""
    module = context.module
    outer = context.manual
    around = () if outer is None else outer.axes
    context.manual = scope = ManualScope(primitive.mesh, (*around, *primitive.manual_axes))
    try:
        if module.partitioning is None:
            if primitive.mesh.size > 1:
                raise ShardingError(
                    f"shard_map over {primitive.mesh} is compiled for one device",
                    fix="give it a Mesh of devices, or call it within `with treadle.set_mesh(mesh):`",
                )
            return context.inline(primitive.body, *operands)
        types = context.result_types
        text = context.region(
            primitive.body.parameter_types,
            lambda parts: context.inline(primitive.body, *parts),
            end="sdy.return",
        )
        mesh = module.mesh_name(primitive.mesh)
        attributes = {
            "in_shardings": per_value_text(mesh, primitive.in_layouts, bool(scope.left)),
            "out_shardings": per_value_text(mesh, primitive.out_layouts, bool(scope.left)),
            "manual_axes": axes_text(primitive.manual_axes),
        }
        return context.emit("sdy.manual_computation", operands, types, attributes, [text])
    finally:
        context.manual = outer
