"""Lowering of foreign calls to XLA's custom call of the target."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.attributes import string_text
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_ir.primitives.foreign import AxisOrder, ForeignCall


@lowering_rule(ForeignCall)
def foreign_call_lowering(
    context: LoweringContext, primitive: ForeignCall, *operands: HloValue
) -> Sequence[HloValue]:
    """A custom call by the target's name."""
    attributes = {
        "call_target_name": string_text(primitive.target_name),
        "api_version": f"{primitive.custom_call_api_version} : i32",
        "backend_config": backend_config(primitive),
        "has_side_effect": "true" if primitive.has_side_effect else "false",
        "operand_layouts": _layouts(primitive.input_layouts),
        "result_layouts": _layouts(primitive.output_layouts),
    }
    if primitive.input_output_aliases:
        several = len(primitive.result_types) > 1
        aliases = [
            f"#stablehlo.output_operand_alias<output_tuple_indices = [{result if several else ''}], "
            f"operand_index = {operand}, operand_tuple_indices = []>"
            for operand, result in primitive.input_output_aliases
        ]
        attributes["output_operand_aliases"] = f"[{', '.join(aliases)}]"
    return context.emit("stablehlo.custom_call", operands, primitive.result_types, attributes)


def backend_config(primitive: ForeignCall) -> str:
    """The attributes as the target's platform hands them over; a plain string before version 4."""
    if primitive.custom_call_api_version < 4:
        return string_text(primitive.legacy_backend_config or "")
    return (
        f"{{{', '.join([f'{string_text(name)} = {text}' for name, text in primitive.attributes])}}}"
    )


def _layouts(orders: Sequence[AxisOrder]) -> str:
    """Axis orders in XLA's notation, which begins with the axis along which neighbours in memory differ."""
    texts = [
        f"dense<{[*reversed(order)] if order else ''}> : tensor<{len(order)}xindex>"
        for order in orders
    ]
    return f"[{', '.join(texts)}]"
