"""Programs with other parameter lists: in another order, or with the unified captures of several programs in front."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir.core.program import Program
from treadle_ir.core.types import Type
from treadle_ir.core.values import Value
from treadle_ir.tracing.array import Operand, type_of


def rearranged(program: Program, parameters: Sequence[int], results: Sequence[int]) -> Program:
    """Return the program with its parameters and results in another order, given by their positions."""
    return Program(
        tuple([program.parameters[i] for i in parameters]),
        program.equations,
        tuple([program.results[i] for i in results]),
    )


def unused_parameters(types: Sequence[Type]) -> list[Value]:
    """Return parameters of these types that a program takes and does not read."""
    return [Value(type) for type in types]


def share_captures(
    programs: Sequence[Program], captures: Sequence[Sequence[Operand]]
) -> tuple[list[Program], list[Operand]]:
    """Return the programs with the captures of all of them as leading parameters, and these captures, each once.

    `captures[i]` are the operands for the leading parameters of program `i`. So the branches of a `case`, which were
    staged one by one, take the same operands.
    """
    shared: dict[int, Operand] = {}
    for captured in captures:
        for operand in captured:
            shared.setdefault(id(operand), operand)
    if not shared:
        return [*programs], []
    widened = []
    for program, captured in zip(programs, captures, strict=True):
        own = dict(zip(map(id, captured), program.parameters, strict=False))
        leading = [own.get(place) or Value(type_of(operand)) for place, operand in shared.items()]
        rest = program.parameters[len(captured) :]
        widened.append(Program((*leading, *rest), program.equations, program.results))
    return widened, [*shared.values()]
