"""What of a loop's body does not change from one iteration to the next, and is computed before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle_ir import Equation, Literal, Program, Value


def invariant(program: Program, constants: dict[Value, int]) -> set[Any]:
    """The values that only depend on the constants."""
    unchanging: set[Any] = set(constants)
    for equation in program.equations:
        if not equation.effects and all(
            isinstance(atom, Literal) or atom in unchanging for atom in equation.operands
        ):
            unchanging.update(equation.results)
    return unchanging


def computed_before(
    program: Program, constants: int, wanted: Sequence[Value]
) -> tuple[Program, list[Value]]:
    """The part of a program that computes some values from its first parameters, and the values it returns.

    It returns all results of an equation that has one of the wanted ones.
    """
    asked = {*wanted}
    live: set[Any] = {*wanted}
    equations: list[Equation] = []
    results: list[Value] = []
    for equation in reversed(program.equations):
        if live.isdisjoint(equation.results):
            continue
        equations.append(equation)
        live.update(equation.operands)
        if not asked.isdisjoint(equation.results):
            results += equation.results
    return Program(
        program.parameters[:constants], tuple(reversed(equations)), tuple(results)
    ), results
