"""Lowering of linear calls: the function; its transpose is there for derivatives only."""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.process import deeper


@lowering_rule(LinearCall)
def linear_call_lowering(
    context: LoweringContext, primitive: LinearCall, /, *operands: HloValue
) -> HloValues:
    """A call of the program's function."""
    with deeper():
        return context.program(primitive.program, *operands)
