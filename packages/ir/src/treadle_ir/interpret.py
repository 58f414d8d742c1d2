"""Run a program under the current trace, one equation at a time.

Values are dropped after their last use, so that interpreting needs no more memory than the program does.
"""

from __future__ import annotations

from treadle_ir.array import Operand, Operands
from treadle_ir.nesting import deeper
from treadle_ir.program import Program
from treadle_ir.source import Place, place, placed
from treadle_ir.trace import current_trace
from treadle_ir.values import Atom, Value


def last_uses(program: Program) -> dict[int, list[Value]]:
    """The values that no later equation and no result needs, by the index of the equation to drop them after."""
    last: dict[Value, int] = {}
    for index, equation in enumerate(program.equations):
        for atom in equation.operands:
            if type(atom) is Value:
                last[atom] = index
        for result in equation.results:
            last.setdefault(result, index)
    for atom in program.results:
        if type(atom) is Value:
            last.pop(atom, None)
    drops: dict[int, list[Value]] = {}
    for value, index in last.items():
        drops.setdefault(index, []).append(value)
    return drops


def interpret(program: Program, *operands: Operand) -> Operands:
    """Apply a program to operands under the current trace.

    Example:
        Under evaluation it computes; under staging it inlines the program into the one being written.
    """
    assert len(operands) == len(program.parameters), "one operand per parameter"
    process = current_trace().process
    environment: dict[Value, Operand] = dict(zip(program.parameters, operands, strict=True))
    drops = last_uses(program)
    outer = place.get()
    here = Place("") if outer is None else Place(outer.scope, path=outer.path)
    with deeper(), placed(here):
        for index, equation in enumerate(program.equations):
            here.replayed = equation.source
            inputs = [_read(atom, environment) for atom in equation.operands]
            results = process(equation.primitive, inputs)
            environment.update(zip(equation.results, results, strict=True))
            for value in drops.get(index, ()):
                environment.pop(value, None)
    return [_read(atom, environment) for atom in program.results]


def _read(atom: Atom, environment: dict[Value, Operand]) -> Operand:
    if isinstance(atom, Value):
        return environment[atom]
    # A weak literal stays one: as a NumPy scalar it would become strong, and so would every result of it.
    return atom if atom.type.weak else atom.value
