"""StableHLO of comparison and selection."""

from __future__ import annotations

from typing import Final

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.core import dtypes
from treadle_ir.primitives.compare import Clamp, Compare, Direction, Select

_STRICT: Final[dict[Direction, Direction]] = {"ge": "gt", "le": "lt"}


@lowering_rule(Compare)
def compare_lowering(
    context: LoweringContext, primitive: Compare, x: HloValue, y: HloValue
) -> HloValues:
    """One comparison; `>=` and `<=` of floats in two parts, which XLA's code generators join again.

    XLA takes `x >= 0` to be true where it knows that x is not negative, as for squares and magnitudes: also of NaN.
    """
    type = emit.result_type(context)
    x, y = context.broadcast_scalar(x, type), context.broadcast_scalar(y, type)
    strict = _STRICT.get(primitive.direction)
    if strict is None or not dtypes.is_floating(x.dtype):
        return [emit.compare(context, x, y, primitive.direction)]
    beyond, equal = emit.compare(context, x, y, strict), emit.compare(context, x, y, "eq")
    return [emit.binary(context, "or", beyond, equal)]


@lowering_rule(Select)
def select_lowering(
    context: LoweringContext,
    primitive: Select,
    condition: HloValue,
    on_true: HloValue,
    on_false: HloValue,
) -> HloValues:
    """The condition may stay a scalar; the choices may not."""
    type = emit.result_type(context)
    choices = [context.broadcast_scalar(on_true, type), context.broadcast_scalar(on_false, type)]
    return context.emit("stablehlo.select", [condition, *choices], (type,))


@lowering_rule(Clamp)
def clamp_lowering(
    context: LoweringContext, primitive: Clamp, low: HloValue, x: HloValue, high: HloValue
) -> HloValues:
    """The limits may both stay scalars, but not one alone. XLA clamps no truth values."""
    type = emit.result_type(context)
    if dtypes.is_bool(type.dtype):
        low, x, high = [context.broadcast_scalar(each, type) for each in (low, x, high)]
        return [emit.binary(context, "and", emit.binary(context, "or", x, low), high)]
    if low.shape != high.shape:
        low, high = context.broadcast_scalar(low, type), context.broadcast_scalar(high, type)
    return context.emit("stablehlo.clamp", [low, context.broadcast_scalar(x, type), high], (type,))
