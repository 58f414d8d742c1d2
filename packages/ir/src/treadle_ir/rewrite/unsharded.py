"""Programs with plain types: exported and lowered programs have no meshes in their types."""

from __future__ import annotations

from treadle_ir.core.program import Equation, Program
from treadle_ir.core.values import Atom, Value
from treadle_ir.rewrite.nested import map_programs


def without_shardings(program: Program) -> Program:
    """Return the program, and its nested programs, with types without shardings and varying axes.

    It is the same object if no type has them.
    """
    return map_programs(program, _plain)


def _plain(program: Program) -> Program:
    defined = [
        *program.parameters,
        *[result for equation in program.equations for result in equation.results],
    ]
    plain: dict[Atom, Value] = {
        value: Value(value.type.plain)
        for value in defined
        if value.type.sharding is not None or value.type.varying
    }
    if not plain:
        return program
    equations = [
        Equation(
            equation.primitive,
            tuple([plain.get(each, each) for each in equation.operands]),
            tuple([plain.get(each, each) for each in equation.results]),
            equation.effects,
            equation.source,
        )
        for equation in program.equations
    ]
    return Program(
        tuple([plain.get(each, each) for each in program.parameters]),
        tuple(equations),
        tuple([plain.get(each, each) for each in program.results]),
    )
