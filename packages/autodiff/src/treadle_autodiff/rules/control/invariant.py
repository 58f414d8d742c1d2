"""Loop-invariant code motion: what a loop computes from its constants alone is computed once, before the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle_ir import Atom, Equation, Literal, Program, Value


def hoisted(
    body: Program, consts: Sequence[Value], residuals: Sequence[Atom]
) -> tuple[Program, list[Value]]:
    """Return a program that computes those residuals that are loop-invariant, and the values of `body` that it returns.

    The constants are the first parameters of the body, and the parameters of the program. It returns all results of
    an equation that has a residual.
    """
    invariant: set[Any] = {*consts}
    for equation in body.equations:
        if not equation.effects and all(
            isinstance(atom, Literal) or atom in invariant for atom in equation.operands
        ):
            invariant.update(equation.results)
    wanted = invariant.intersection(residuals).difference(consts)
    live = {*wanted}
    equations: list[Equation] = []
    results: list[Value] = []
    for equation in reversed(body.equations):
        if live.isdisjoint(equation.results):
            continue
        equations.append(equation)
        live.update(equation.operands)
        if not wanted.isdisjoint(equation.results):
            results += equation.results
    return Program(tuple(consts), tuple(reversed(equations)), tuple(results)), results
