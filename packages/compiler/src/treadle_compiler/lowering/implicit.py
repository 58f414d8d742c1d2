"""Lowering of solutions: the program that finds them; the equation is there for derivatives only."""

from __future__ import annotations

from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.process import deeper


@lowering_rule(LinearSolve)
def linear_solve_lowering(
    context: LoweringContext, primitive: LinearSolve, /, *operands: HloValue
) -> HloValues:
    """The equations of `solve` in place."""
    with deeper():
        return context.inline(primitive.solve, *operands)


@lowering_rule(Root)
def root_lowering(context: LoweringContext, primitive: Root, /, *operands: HloValue) -> HloValues:
    """The equations of `solve` in place."""
    with deeper():
        return context.inline(primitive.solve, *operands)
