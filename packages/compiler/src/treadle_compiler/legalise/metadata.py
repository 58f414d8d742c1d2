"""Attach the attributes for XLA that a program requests by its values.

A `value_metadata` is about the equation before it, which makes its operand.
That equation becomes an `xla_metadata` call of a program with that one equation.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.legalise.features import Features
from treadle_compiler.legalise.rewriting import Rewrite, map_equations
from treadle_ir import Equation, Program, Value
from treadle_ir.primitives.metadata import Metadata, ValueMetadata, XlaMetadata


def applies(features: Features) -> bool:
    """Return whether a value has attributes."""
    return ValueMetadata in features.primitives


def attach_metadata(program: Program) -> Program:
    """Replace each equation whose results have attributes by a call that has them."""
    return map_equations(program, _rewrite_of)


def _rewrite_of(program: Program) -> Rewrite | None:
    annotated = annotated_values(program)
    if not annotated:
        return None

    def rewrite(equation: Equation) -> Sequence[Equation] | None:
        if isinstance(equation.primitive, ValueMetadata):  # it is not an operation for XLA
            return None
        metadata = [each for result in equation.results for each in annotated.get(result, ())]
        return [_called(equation, tuple(metadata))] if metadata else None

    return rewrite


def _called(equation: Equation, metadata: Metadata) -> Equation:
    """Return a call of a program with this equation. Literals are operands, since constants have no such attributes."""
    parameters = tuple([Value(x.type) for x in equation.operands])
    results = tuple([Value(x.type) for x in equation.results])
    inner = equation._replace(operands=parameters, results=results)
    call = XlaMetadata(Program(parameters, (inner,), results), metadata)
    # The place in the user's code is inside.
    return Equation(call, equation.operands, equation.results, equation.effects)


def annotated_values(program: Program) -> dict[Value, Metadata]:
    """Return the attributes of values, for the equations that define them."""
    found: dict[Value, Metadata] = {}
    for equation in reversed(program.equations):
        primitive = equation.primitive
        if type(primitive) is ValueMetadata and isinstance(x := equation.operands[0], Value):
            said = {**dict(found.get(x, ())), **dict(found.get(equation.results[0], ()))}
            found[x] = tuple({**said, **dict(primitive.metadata)}.items())  # the innermost wins
    return found
