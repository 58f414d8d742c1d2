"""Remove the promises of indexing from a program that runs where they may not hold.

Under vmap a branch runs for all batch elements as soon as one takes it, and the body of a loop until the last batch
element is done: also on indices for which the program was not written. Results of such batch elements are thrown away,
but a broken promise leaves the result of the whole operation undefined.
"""

from __future__ import annotations

from treadle_ir.core.program import Equation, Program
from treadle_ir.primitives.indexing import Gather, ScatterFamily
from treadle_ir.primitives.indexing.promises import makes_promises, without_promises
from treadle_ir.rewrite.nested import map_programs


def unpromised(program: Program) -> Program:
    """Return the program without promises of indexing, also in nested programs; the same object if it has none."""
    found: Program | None = program.derived.get(unpromised)
    if found is None:
        found = map_programs(program, _unpromised)
        if found is not program:
            found = program.derived.setdefault(unpromised, found)
    return found


def _unpromised(program: Program) -> Program:
    changed = False
    equations: list[Equation] = []
    for equation in program.equations:
        primitive = equation.primitive
        if isinstance(primitive, (Gather, ScatterFamily)) and makes_promises(primitive):
            changed = True
            equation = equation._replace(primitive=without_promises(primitive))
        equations.append(equation)
    return Program(program.parameters, tuple(equations), program.results) if changed else program
