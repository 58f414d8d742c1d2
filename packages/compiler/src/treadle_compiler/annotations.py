"""Attributes for XLA that a program asks for by its values: `value_metadata` speaks of what makes its operand."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import Program, Value
from treadle_ir.primitives.metadata import Metadata, ValueMetadata


def annotated_values(program: Program) -> dict[Value, Metadata]:
    """The attributes of values that have some of their own, which the equations that make them are to carry."""
    found: dict[Value, Metadata] = {}
    for equation in reversed(program.equations):
        primitive = equation.primitive
        if type(primitive) is ValueMetadata and isinstance(x := equation.operands[0], Value):
            said = {**dict(found.get(x, ())), **dict(found.get(equation.results[0], ()))}
            found[x] = tuple({**said, **dict(primitive.metadata)}.items())  # the innermost wins
    return found


def metadata_of(results: Sequence[Value], annotated: dict[Value, Metadata]) -> Metadata:
    """The attributes of an equation: those of all its results."""
    return tuple([each for result in results for each in annotated.get(result, ())])
