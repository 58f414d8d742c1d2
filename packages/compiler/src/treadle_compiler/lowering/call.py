"""Lowering of calls: functions of the module, or the equations in place; names and barriers."""

from __future__ import annotations

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule, lowering_rules
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.core import InlineCall
from treadle_ir.primitives.call import (
    BACKWARD_ONLY,
    Call,
    Checkpoint,
    CheckpointName,
    CustomJvpCall,
    CustomJvpStaged,
    CustomVjpCall,
    CustomVjpLinear,
    CustomVjpStaged,
    OptimizationBarrier,
    StopGradient,
    forward_mode_error,
)
from treadle_ir.process import deeper


@lowering_rule(InlineCall)
def call_lowering(
    context: LoweringContext, primitive: InlineCall, /, *operands: HloValue
) -> HloValues:
    """A call of the program's function, which all calls of one program share."""
    with deeper():
        return context.program(primitive.program, *operands)


@lowering_rule(Call)
def jitted_call_lowering(
    context: LoweringContext, primitive: Call, /, *operands: HloValue
) -> HloValues:
    """Write a call, with the time when XLA has to inline it if the user chose one, or the equations in place."""
    with deeper():
        if primitive.inlining == "lowering":
            return context.inline(primitive.program, *operands)
        return context.program(primitive.program, *operands, inlining=primitive.inlining)


@lowering_rule(Checkpoint)
def checkpoint_lowering(
    context: LoweringContext, primitive: Checkpoint, /, *operands: HloValue
) -> HloValues:
    """The equations in place; `legalise/recompute.py` has put the barriers around it."""
    with deeper():
        return context.inline(primitive.program, *operands)


@lowering_rule(CustomJvpStaged)
def custom_jvp_call_lowering(
    context: LoweringContext, primitive: CustomJvpStaged, /, *operands: HloValue
) -> HloValues:
    """The equations in place: the derivative rule has no part in it."""
    with deeper():
        return context.inline(primitive.program, *operands)


@lowering_rule(CustomVjpStaged)
def custom_vjp_call_lowering(
    context: LoweringContext, primitive: CustomVjpStaged, /, *operands: HloValue
) -> HloValues:
    """The equations in place: the derivative rule has no part in it."""
    with deeper():
        return context.inline(primitive.program, *operands)


@lowering_rule(OptimizationBarrier)
def optimization_barrier_lowering(
    context: LoweringContext, primitive: OptimizationBarrier, /, *operands: HloValue
) -> HloValues:
    """The barrier of StableHLO."""
    return emit.barrier(context, operands) if operands else []


@lowering_rule(StopGradient)
def stop_gradient_lowering(
    context: LoweringContext, primitive: StopGradient, x: HloValue, /
) -> HloValues:
    """Nothing: it speaks to derivatives only."""
    return [x]


@lowering_rule(CheckpointName)
def checkpoint_name_lowering(
    context: LoweringContext, primitive: CheckpointName, x: HloValue, /
) -> HloValues:
    """Nothing: it speaks to checkpoint policies only."""
    return [x]


for _primitive in (CustomJvpCall, CustomVjpCall):
    lowering_rules.absent(_primitive, because="its Python function is staged first")
lowering_rules.absent(CustomVjpLinear, because=BACKWARD_ONLY, error=forward_mode_error)
