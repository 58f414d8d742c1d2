"""StableHLO of comparison and selection."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_ir import dtypes
from treadle_ir.primitives.compare import Clamp, Compare, Select


@lowering_rule(Compare)
def compare_lowering(
    context: LoweringContext, primitive: Compare, x: HloValue, y: HloValue
) -> Sequence[HloValue]:
    """One comparison."""
    type = emit.result_type(context)
    x, y = context.broadcast_scalar(x, type), context.broadcast_scalar(y, type)
    return [emit.compare(context, x, y, primitive.direction)]


@lowering_rule(Select)
def select_lowering(
    context: LoweringContext,
    primitive: Select,
    condition: HloValue,
    on_true: HloValue,
    on_false: HloValue,
) -> Sequence[HloValue]:
    """The condition may stay a scalar; the choices may not."""
    type = emit.result_type(context)
    choices = [context.broadcast_scalar(on_true, type), context.broadcast_scalar(on_false, type)]
    return context.emit("stablehlo.select", [condition, *choices], (type,))


@lowering_rule(Clamp)
def clamp_lowering(
    context: LoweringContext, primitive: Clamp, low: HloValue, x: HloValue, high: HloValue
) -> Sequence[HloValue]:
    """The limits may both stay scalars, but not one alone. XLA clamps no truth values."""
    type = emit.result_type(context)
    if dtypes.is_bool(type.dtype):
        low, x, high = [context.broadcast_scalar(each, type) for each in (low, x, high)]
        return [emit.binary(context, "and", emit.binary(context, "or", x, low), high)]
    if low.shape != high.shape:
        low, high = context.broadcast_scalar(low, type), context.broadcast_scalar(high, type)
    return context.emit("stablehlo.clamp", [low, context.broadcast_scalar(x, type), high], (type,))
