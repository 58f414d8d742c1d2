"""Lowering of memories to the annotations by which XLA moves values between a device and its host; and of orders."""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.memory import LayoutConstraint, ToMemory


@lowering_rule(ToMemory)
def to_memory_lowering(context: LoweringContext, primitive: ToMemory, x: HloValue) -> HloValues:
    """An annotation of where the value is placed."""
    attributes = {
        "call_target_name": '"annotate_device_placement"',
        "has_side_effect": "true",
        "backend_config": '""',
        "mhlo.frontend_attributes": f'{{_xla_buffer_placement = "{primitive.kind}"}}',
    }
    return context.emit("stablehlo.custom_call", [x], [x.type], attributes)


@lowering_rule(LayoutConstraint)
def layout_constraint_lowering(
    context: LoweringContext, primitive: LayoutConstraint, x: HloValue
) -> HloValues:
    """A custom call that XLA's assignment of layouts obeys; it names the axes from the contiguous one on."""
    order = primitive.major_to_minor[::-1]
    listed = f"[dense<{list(order) if order else ''}> : tensor<{len(order)}xindex>]"
    attributes = {
        "call_target_name": '"LayoutConstraint"',
        "operand_layouts": listed,
        "result_layouts": listed,
    }
    return [context.one("stablehlo.custom_call", [x], x.type, attributes)]
