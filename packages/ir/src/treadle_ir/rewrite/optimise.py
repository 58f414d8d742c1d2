"""The pipeline that `jit` uses before it lowers a program."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from treadle_ir.core.equality import has_programs
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.primitives.call import StopGradient
from treadle_ir.primitives.elementwise import Add, Subtract
from treadle_ir.rewrite.cancel import cancel_add_sub
from treadle_ir.rewrite.dce import dce
from treadle_ir.rewrite.fold import RULES
from treadle_ir.rewrite.forward import Applied, Forward, MadeBy, Rewritten, Rule, standing_for
from treadle_ir.rewrite.nested import map_programs
from treadle_ir.rewrite.rounding import keep_rounding
from treadle_ir.rewrite.simplify import CANCEL, chosen, enabled, rules
from treadle_ir.settings.declared import ENABLE_CHECKS


def _without_derivative(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Remove the operation: compiled programs are not differentiated any more."""
    return standing_for(equation, equation.operands[0])


def optimise(
    program: Program,
    *,
    names: Iterable[str] | None = None,
    captured: int = 0,
    keeps_rounding: bool = True,
    applied: Applied | None = None,
) -> Program:
    """Fold constants, simplify, and eliminate common subexpressions and dead code, the latter also first, in calls.

    The first three are one pass, so that each sees the operands that the others rewrote. `cancel_add_sub` comes after
    them, when equal sums are one and dead ones are gone. `names` are the named simplifications to apply: by default
    the result of `enabled()`. The first `captured` parameters stand for captured values. `keeps_rounding`
    is for compilers that add constants up: it puts a barrier into `(x + C) - C`. `applied` hears of each rule that
    applied, by the name of its function.
    """
    wanted = enabled() if names is None else chosen(names)
    named = rules(wanted)
    together: dict[type[Primitive], Sequence[Rule]]
    together = {**RULES, StopGradient: (_without_derivative,)}
    collective = sys.modules.get("treadle_ir.primitives.collective")
    if collective is not None:  # otherwise no program has a `PVary`
        together[collective.PVary] = (_without_derivative,)
    if keeps_rounding:
        for added in (Add, Subtract):
            together[added] = (*RULES[added], keep_rounding)
    for primitive, more in named.items():
        together[primitive] = (*together.get(primitive, ()), *more)
    if any([has_programs(equation.primitive) for equation in program.equations]):
        program = dce(program)  # most of a called program may be dead: the derivative's other half
    forward = Forward(together, merging=True, applied=applied)
    program = dce(map_programs(program, forward))
    cancelled = cancel_add_sub(program, captured, floats=CANCEL in wanted, applied=applied)
    program = program if cancelled is program else dce(cancelled)
    if ENABLE_CHECKS():
        from treadle_ir.analysis import verify  # noqa: PLC0415 - few check

        verify(program)
    return program
