"""Lowering of the operations that legalisation adds to programs."""

from __future__ import annotations

from treadle_compiler import emit
from treadle_compiler.context import FRONTEND_ATTRIBUTES, LoweringContext
from treadle_compiler.elements import as_elements, as_numbers
from treadle_compiler.legalise.elements import PackElements, UnpackElements, part_type
from treadle_compiler.legalise.once import ComputeOnce
from treadle_compiler.legalise.partial_sums import MapTerms
from treadle_compiler.partitioning import ManualScope, axes_text, per_value_text
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import device_shape
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.core.dtypes import physical_type


@lowering_rule(ComputeOnce)
def compute_once_lowering(
    context: LoweringContext, primitive: ComputeOnce, x: HloValue
) -> HloValues:
    """A call of the identity that XLA does not inline: a barrier is gone before it fuses."""
    attributes = {
        "callee": context.module.identity(x.type),
        FRONTEND_ATTRIBUTES: '{inlineable = "false"}',
    }
    return context.emit("func.call", (x,), (x.type,), attributes)


@lowering_rule(UnpackElements)
def unpack_elements_lowering(
    context: LoweringContext, primitive: UnpackElements, x: HloValue
) -> HloValues:
    """A slice of the last axis on the device for each part."""
    numbers, rank, type = as_numbers(x), len(x.shape), part_type(x.type)
    cut = [emit.slice(context, numbers, rank, at, at + 1) for at in range(numbers.shape[-1])]
    return [HloValue(emit.reshape(context, each, x.shape).name, type) for each in cut]


@lowering_rule(PackElements)
def pack_elements_lowering(
    context: LoweringContext, primitive: PackElements, *parts: HloValue
) -> HloValues:
    """The parts side by side along the last axis on the device."""
    type = emit.result_type(context)
    whole = ArrayType(device_shape(type), physical_type(type.dtype)[0])
    part = ArrayType(type.shape, whole.dtype)
    made = [emit.reshape(context, HloValue(x.name, part), (*type.shape, 1)) for x in parts]
    attributes = {"dimension": f"{len(type.shape)} : i64"}
    return [as_elements(context.one("stablehlo.concatenate", made, whole, attributes), type)]


@lowering_rule(MapTerms)
def map_terms_lowering(
    context: LoweringContext, primitive: MapTerms, /, *operands: HloValue
) -> HloValues:
    """The body in a region of Shardy's in which the axes are manual."""

    def body(parts: HloValues) -> HloValues:
        for part, operand in zip(parts, operands, strict=True):
            part.literal = operand.literal  # a term or part of a scalar constant
        return context.inline(primitive.body, *parts)

    types, outer = context.result_types, context.manual
    around = () if outer is None else outer.axes
    context.manual = ManualScope(primitive.mesh, (*around, *primitive.axes))
    try:
        text = context.region(primitive.body.parameter_types, body, end="sdy.return")
    finally:
        context.manual = outer
    mesh = context.module.mesh_name(primitive.mesh)
    attributes = {
        "in_shardings": per_value_text(mesh, primitive.in_shardings(), True),
        "out_shardings": per_value_text(mesh, primitive.out_shardings(), True),
        "manual_axes": axes_text(primitive.axes),
    }
    return context.emit("sdy.manual_computation", operands, types, attributes, [text])
