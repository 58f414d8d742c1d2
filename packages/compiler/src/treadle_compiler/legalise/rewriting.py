"""Replace equations by others, in a program and in those nested in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from treadle_compiler.legalise.features import programs_in
from treadle_ir import Equation, Program
from treadle_ir.rewrite import rebuilt

Rewrite: TypeAlias = Callable[[Equation], Sequence[Equation] | None]
"""Returns the equations that replace an equation and define its results; None leaves it as it is."""

_WRITTEN: Final = "equations as written"


def map_equations(program: Program, rewrite_of: Callable[[Program], Rewrite | None]) -> Program:
    """Apply a rewrite to each equation of a program and of those nested in it, innermost first.

    Args:
        program: what to rewrite; it is returned if nothing changed.
        rewrite_of: returns the rewrite of one program's equations, or None if there is nothing to rewrite in it. It
            gets the program as it was, while the equations have the new nested programs.
    """
    made: dict[int, Program] = {}
    result = program
    for each in programs_in(program):
        result, rewrite = rebuilt(each, made), rewrite_of(each)
        if rewrite is not None:
            result = _rewritten(result, rewrite)
        if result is not each:
            note_written_length(result, each)
        made[id(each)] = result
    return result


def written_length(program: Program) -> int:
    """Return the number of equations before passes added theirs: whether a call is inlined does not depend on these."""
    length: int = program.derived.get(_WRITTEN, len(program.equations))
    return length


def note_written_length(made: Program, before: Program) -> None:
    """Note for a program that a pass has made how many equations there were before passes added theirs."""
    made.derived[_WRITTEN] = written_length(before)


def _rewritten(program: Program, rewrite: Rewrite) -> Program:
    equations: list[Equation] = []
    changed = False
    for equation in program.equations:
        found = rewrite(equation)
        if found is None:
            equations.append(equation)
        else:
            equations += found
            changed = True
    return Program(program.parameters, tuple(equations), program.results) if changed else program
