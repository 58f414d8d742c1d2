"""Programs with plain types: what leaves the process, or is lowered, does not speak of meshes in its types."""

from __future__ import annotations

from treadle_ir.core.program import Equation, Program
from treadle_ir.core.values import Atom, Value
from treadle_ir.rewrite.nested import map_programs


def without_shardings(program: Program) -> Program:
    """Return the program, and those nested in it, with types without shardings and varying axes.

    It is the program itself where no type has any.
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
