"""What a function computes from captured arrays alone is computed once, when it is compiled, and not in each call.

Captured arrays are parameters of a program (decisions/0004-programs-are-closed.md), so that a function with other
values is the same program, compiled once. XLA knows nothing of their elements, then, and would compute what depends on
them alone in each call: the logarithm of a gamma function of a constant, say. Here NumPy does that beforehand, and
what it finds is captured in its place. Only arrays of a few elements are looked at: the rest is work for a compiler.

Scalars that loops, branches and calls take are written into the program. XLA would carry a parameter through each
iteration, and keep branches that a flag decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from treadle_ir import (
    ROOT,
    ArrayType,
    Atom,
    Conversion,
    Elementwise,
    Equation,
    Literal,
    Operand,
    Primitive,
    Program,
    Rearrangement,
    Reducing,
    Value,
    current_context,
)
from treadle_ir.dtypes import is_key
from treadle_runtime.arrays.array import DeviceArray, elements_of

_FAMILIES: Final[tuple[type[Primitive], ...]] = (Conversion, Elementwise, Rearrangement, Reducing)
MOST: Final = 64
"""Elements of an array that may be computed beforehand."""


def with_known(
    program: Program, captured: Sequence[DeviceArray]
) -> tuple[Program, tuple[DeviceArray, ...]]:
    """A program without what its captured parameters decide, and what it captures now."""
    count = len(captured)
    known: dict[Value, Operand] = {
        value: array
        for value, array in zip(program.parameters, captured, strict=False)
        if array.type.size <= MOST and array.placed.placement.on_host
    }
    if not known or current_context().is_stepwise():
        return program, tuple(captured)
    left: list[Equation] = []
    for equation in program.equations:
        if _decided(equation, known):
            operands = [x if isinstance(x, Literal) else known[x] for x in equation.operands]
            results = ROOT.process(equation.primitive, operands)
            known.update(zip(equation.results, results, strict=True))
        else:
            left.append(_with_scalars(equation, known))
    if left == [*program.equations]:
        return program, tuple(captured)
    needed = dict.fromkeys(
        [x for equation in left for x in equation.operands if isinstance(x, Value)]
        + [x for x in program.results if isinstance(x, Value)]
    )
    made = {*program.parameters}
    new = [value for value in needed if value in known and value not in made]
    parameters = (*program.parameters[:count], *new, *program.parameters[count:])
    arrays = [*captured, *[known[value] for value in new]]
    assert all([isinstance(array, DeviceArray) for array in arrays]), "arrays of the evaluator"
    return Program(parameters, tuple(left), program.results), tuple(arrays)  # type: ignore[arg-type]


def _with_scalars(equation: Equation, known: Mapping[Value, Operand]) -> Equation:
    """An equation whose nested programs take known scalars as constants; others as they are."""
    if not equation.primitive.programs():
        return equation
    operands = tuple([_constant(x, known) for x in equation.operands])
    if operands == equation.operands:
        return equation
    return Equation(
        equation.primitive, operands, equation.results, equation.effects, equation.source
    )


def _constant(atom: Atom, known: Mapping[Value, Operand]) -> Atom:
    array = known.get(atom) if isinstance(atom, Value) else None
    if not isinstance(array, DeviceArray) or array.type.shape or is_key(array.type.dtype):
        return atom
    return Literal(elements_of(array).flat[0], array.type)


def _decided(equation: Equation, known: dict[Value, Operand]) -> bool:
    """Whether an equation depends on known arrays alone, and makes few elements."""
    return (
        isinstance(equation.primitive, _FAMILIES)
        and not equation.effects
        and any([isinstance(x, Value) for x in equation.operands])
        and all([isinstance(x, Literal) or x in known for x in equation.operands])
        and all([isinstance(x.type, ArrayType) and x.type.size <= MOST for x in equation.results])
    )
