"""NumPy evaluation of calls: run the program; names and barriers are the identity."""

from __future__ import annotations

from treadle_ir.core.families import InlineCall
from treadle_ir.primitives.call import (
    BACKWARD_ONLY,
    CheckpointName,
    CustomJvpCall,
    CustomVjpCall,
    CustomVjpLinear,
    OptimizationBarrier,
    StopGradient,
    forward_mode_error,
)
from treadle_ir.reference.control import run_program
from treadle_ir.reference.registry import Elements, eval_rule, eval_rules


@eval_rule(InlineCall)
def call_eval(primitive: InlineCall, *operands: Elements) -> list[Elements]:
    """Run the program."""
    return run_program(primitive.program, operands)


@eval_rule(OptimizationBarrier)
def optimization_barrier_eval(
    primitive: OptimizationBarrier, *operands: Elements
) -> list[Elements]:
    """Return the operand unchanged."""
    return list(operands)


@eval_rule(StopGradient)
def stop_gradient_eval(primitive: StopGradient, x: Elements) -> list[Elements]:
    """Return the operand unchanged."""
    return [x]


@eval_rule(CheckpointName)
def checkpoint_name_eval(primitive: CheckpointName, x: Elements) -> list[Elements]:
    """Return the operand unchanged."""
    return [x]


for _primitive in (CustomJvpCall, CustomVjpCall):
    eval_rules.absent(_primitive, because="its Python function runs instead")
eval_rules.absent(CustomVjpLinear, because=BACKWARD_ONLY, error=forward_mode_error)
