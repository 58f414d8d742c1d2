"""Lowering of shard_map: a region of Shardy's in which each device computes on its own parts.

Shardy isolates the region. A body with ordered effects takes the token of the effects before it as an operand and
returns its own, without which XLA may exchange the effects of two regions.
"""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.partitioning import ManualScope, axes_text, per_value_text
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import TOKEN
from treadle_ir.core import DimShardings
from treadle_ir.errors import ShardingError
from treadle_ir.primitives.shard_map import ShardMap


@lowering_rule(ShardMap)
def shard_map_lowering(
    context: LoweringContext, primitive: ShardMap, /, *operands: HloValue
) -> HloValues:
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
        body, types = primitive.body, context.result_types
        tokens = [context.token_before()] if any(x.ordered for x in body.effects) else []

        def on_parts(values: HloValues) -> HloValues:
            if not tokens:
                return context.inline(body, *values)
            context.token = values[0]
            results = context.inline(body, *values[1:])
            return [context.token, *results]

        token_types = [TOKEN] * len(tokens)
        text = context.region([*token_types, *body.parameter_types], on_parts, end="sdy.return")
        mesh = module.mesh_name(primitive.mesh)
        token_layouts: list[DimShardings] = [()] * len(tokens)
        of_operands = [*token_layouts, *primitive.in_layouts]
        of_results = [*token_layouts, *primitive.out_layouts]
        attributes = {
            "in_shardings": per_value_text(mesh, of_operands, bool(scope.left)),
            "out_shardings": per_value_text(mesh, of_results, bool(scope.left)),
            "manual_axes": axes_text(primitive.manual_axes),
        }
        results = context.emit(
            "sdy.manual_computation",
            [*tokens, *operands],
            [*token_types, *types],
            attributes,
            [text],
        )
        if tokens:
            context.token, *results = results
        return results
    finally:
        context.manual = outer
