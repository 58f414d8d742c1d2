"""StableHLO of comparison and selection."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.lowering.elementwise import result_type
from treadle_compiler.registry import lowering_rule
from treadle_ir import ArrayType, DType, dtypes
from treadle_ir.primitives.compare import Clamp, Compare, Direction, Select


def compared(
    context: LoweringContext, direction: Direction, x: HloValue, y: HloValue, type: ArrayType
) -> HloValue:
    """A comparison of values of one shape; `type` is that shape's boolean type."""
    return context.one(
        "stablehlo.compare",
        [x, y],
        type,
        {
            "comparison_direction": f"#stablehlo<comparison_direction {direction.upper()}>",
            "compare_type": f"#stablehlo<comparison_type {_comparison(x.dtype)}>",
        },
    )


def _comparison(dtype: DType) -> str:
    if dtypes.is_inexact(dtype):
        return "FLOAT"
    return "SIGNED" if dtypes.is_signed(dtype) else "UNSIGNED"


@lowering_rule(Compare)
def compare_lowering(
    context: LoweringContext, primitive: Compare, x: HloValue, y: HloValue
) -> Sequence[HloValue]:
    """One comparison."""
    type = result_type(context)
    x, y = context.spread(x, type), context.spread(y, type)
    return [compared(context, primitive.direction, x, y, type)]


@lowering_rule(Select)
def select_lowering(
    context: LoweringContext,
    primitive: Select,
    condition: HloValue,
    on_true: HloValue,
    on_false: HloValue,
) -> Sequence[HloValue]:
    """The condition may stay a scalar; the choices may not."""
    type = result_type(context)
    choices = [context.spread(on_true, type), context.spread(on_false, type)]
    return context.emit("stablehlo.select", [condition, *choices], (type,))


@lowering_rule(Clamp)
def clamp_lowering(
    context: LoweringContext, primitive: Clamp, low: HloValue, x: HloValue, high: HloValue
) -> Sequence[HloValue]:
    """The limits may both stay scalars, but not one alone."""
    type = result_type(context)
    if low.shape != high.shape:
        low, high = context.spread(low, type), context.spread(high, type)
    return context.emit("stablehlo.clamp", [low, context.spread(x, type), high], (type,))
