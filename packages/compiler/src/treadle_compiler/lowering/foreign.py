"""Lowering of foreign calls to XLA's custom call of the target, and of callbacks that write to buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_compiler.callback import LoweredCallback
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import string_text
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import MissingRuleError
from treadle_ir.primitives.foreign import AxisOrder, BufferCallback, ForeignCall, NativeCall

_BUFFER_TARGETS: Final = {
    "cpu": "xla_buffer_python_cpu_callback",
    "cuda": "xla_buffer_python_gpu_callback",
    "rocm": "xla_buffer_python_gpu_callback",
}


@lowering_rule(ForeignCall)
def foreign_call_lowering(
    context: LoweringContext, primitive: ForeignCall, *operands: HloValue
) -> HloValues:
    """A custom call by the target's name."""
    return _called(
        context,
        primitive,
        operands,
        target=primitive.target_name,
        version=primitive.custom_call_api_version,
        config=_config(primitive),
    )


@lowering_rule(BufferCallback)
def buffer_callback_lowering(
    context: LoweringContext, primitive: BufferCallback, *operands: HloValue
) -> HloValues:
    """A custom call that calls Python with buffers."""
    target = _BUFFER_TARGETS.get(context.platform)
    if target is None:
        raise MissingRuleError(
            f"buffer_callback: XLA has no Python callbacks on platform {context.platform}",
            fix="take the callback out of the compiled function, or run it on the CPU",
        )
    if primitive.command_buffer_compatible and context.platform != "cpu":
        target += "_cmd_buffer"
    index = context.callback(LoweredCallback(primitive.callback, ordered=False, in_place=True))
    config = f"{{index = {index} : ui64}}"
    return _called(context, primitive, operands, target=target, version=4, config=config)


def _called(
    context: LoweringContext,
    primitive: NativeCall,
    operands: HloValues,
    *,
    target: str,
    version: int,
    config: str,
) -> HloValues:
    attributes = {
        "call_target_name": string_text(target),
        "api_version": f"{version} : i32",
        "backend_config": config,
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


def _config(primitive: ForeignCall) -> str:
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
