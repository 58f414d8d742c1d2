"""Inlining: a call is replaced by the equations of the called program."""

from __future__ import annotations

from typing import Final

from treadle_ir.core.families import InlineCall
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Value
from treadle_ir.primitives.call import Call
from treadle_ir.rewrite.nested import map_programs

# The calls that only run a program. A checkpoint also has a policy and a custom rule has a derivative,
# which would be lost; where nothing will be differentiated any more, `(InlineCall,)` takes them, too.
INLINED: Final[tuple[type[InlineCall], ...]] = (Call,)


def inline(
    program: Program, *, limit: int = 1_000_000, calls: tuple[type[InlineCall], ...] = INLINED
) -> Program:
    """Replace calls by the equations of the called programs, also within nested programs.

    A program is copied once for each of its calls, so the result may be larger by more than a constant; calls
    that would make a program longer than `limit` equations stay.
    """
    return map_programs(program, lambda each: _inlined(each, limit, calls))


def _inlined(program: Program, limit: int, calls: tuple[type[InlineCall], ...]) -> Program:
    # The programs that are called have been inlined themselves by now.
    if not any(isinstance(equation.primitive, calls) for equation in program.equations):
        return program
    left = limit - len(program.equations)
    instead: dict[Value, Atom] = {}
    equations: list[Equation] = []
    for equation in program.equations:
        operands = tuple([instead.get(x, x) if type(x) is Value else x for x in equation.operands])
        primitive = equation.primitive
        if isinstance(primitive, calls) and len(primitive.program.equations) <= left:
            left -= len(primitive.program.equations)
            results = _append(primitive.program, operands, equations)
            instead.update(zip(equation.results, results, strict=True))
        elif operands == equation.operands:
            equations.append(equation)
        else:
            _append_changed(equation, operands, instead, equations)
    results = tuple([instead.get(x, x) if type(x) is Value else x for x in program.results])
    return Program(program.parameters, tuple(equations), results)


def _append(
    program: Program, operands: tuple[Atom, ...], equations: list[Equation]
) -> tuple[Atom, ...]:
    """Add a copy of a program's equations; every copy has new values."""
    inside: dict[Value, Atom] = dict(zip(program.parameters, operands, strict=True))
    for equation in program.equations:
        taken = tuple([inside[x] if type(x) is Value else x for x in equation.operands])
        _append_changed(equation, taken, inside, equations)
    return tuple([inside[x] if type(x) is Value else x for x in program.results])


def _append_changed(
    equation: Equation,
    operands: tuple[Atom, ...],
    names: dict[Value, Atom],
    equations: list[Equation],
) -> None:
    # Operands may be weak where a parameter was not, so types are inferred again.
    types, effects = inferred(equation.primitive, tuple([operand.type for operand in operands]))
    results = tuple(
        [
            Value(type.distributed_as(old.type))
            for type, old in zip(types, equation.results, strict=True)
        ]
    )
    names.update(zip(equation.results, results, strict=True))
    equations.append(Equation(equation.primitive, operands, results, effects, equation.source))
