"""Which results of calls, loops and branches depend on which operands; the others can be computed without these."""

from __future__ import annotations

from collections.abc import Sequence
from operator import or_
from typing import Final

from treadle_autodiff.tangents import zeros
from treadle_ir import ArrayType, ControlFlow, Equation, Operand, Primitive, Program, Type, Value
from treadle_ir.analysis import ForwardAnalysis
from treadle_ir.core import Flags, InlineCall, inferred
from treadle_ir.errors import NOWHERE
from treadle_ir.rewrite import dce
from treadle_ir.tracing import interpret_unchecked as interpret

_STRUCTURED: Final = (InlineCall, ControlFlow)


def is_structured(primitive: Primitive) -> bool:
    """Return whether an operation is a call, loop or branch with flows: some results may not depend on an operand."""
    return type(primitive).flows is not Primitive.flows and isinstance(primitive, _STRUCTURED)


DEPENDENCE: Final = ForwardAnalysis[bool](
    lambda equation, flags: [any(flags)] * len(equation.results),
    or_,
    literal=False,
    flows=lambda equation, flags: (
        equation.primitive.flows() if any(flags) and is_structured(equation.primitive) else None
    ),
    control=True,
)
"""Forward dependence (activity) analysis: whether values depend on parameters that are marked."""


def dependent(primitive: Primitive, given: Sequence[bool]) -> Flags:
    """Return which results of a call, loop or branch depend on the operands that `given` marks."""
    return DEPENDENCE.within(primitive, given).ends


def independent_results(
    primitive: Primitive,
    operands: Sequence[Operand | None],
    types: Sequence[Type],
    *,
    effects_too: bool = False,
) -> dict[int, Operand]:
    """Compute the results of a call, loop or branch that do not depend on the operands which are None, by place.

    There are none of operations with effects, which happen once; with `effects_too` they happen here.
    """
    flags = dependent(primitive, [operand is None for operand in operands])
    result_types, effects = inferred(primitive, tuple(types))
    if all(flags) and not (effects and effects_too):
        return {}
    unknown = [type for type, x in zip(types, operands, strict=True) if x is None]
    if (effects and not effects_too) or not all([isinstance(type, ArrayType) for type in unknown]):
        return {}
    places = [i for i, flag in enumerate(flags) if not flag]
    parameters = tuple([Value(type) for type in types])
    results = tuple([Value(type) for type in result_types])
    equation = Equation(primitive, parameters, results, effects, NOWHERE)
    whole = Program(parameters, (equation,), tuple([results[i] for i in places]))
    # The derivatives of nested functions are looked at from the innermost to the outermost.
    program = dce(whole, kept=True)
    given = [zeros(type) if x is None else x for x, type in zip(operands, types, strict=True)]
    return dict(zip(places, interpret(program, *given), strict=True))
