"""Constant folding of operations on captured arrays, when a function is compiled.

Captured arrays are parameters of a program (decisions/0004-programs-are-closed.md), so that a function with different
values is the same program, compiled once. XLA does not see their elements, then, and would repeat operations on them in
each call, such as the log gamma function of a constant. Here NumPy evaluates these once, and the results are captured
instead. Only arrays with few elements are folded: the rest is left to the compiler.

Scalar operands of loops, branches and calls become literals. XLA would carry a parameter through each iteration, and
could not eliminate a branch that depends on a captured flag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from treadle_ir import (
    ArrayType,
    Atom,
    Elementwise,
    Equation,
    Literal,
    Operand,
    Primitive,
    Program,
    Value,
)
from treadle_ir.core import Conversion, Rearrangement, Reducing
from treadle_ir.core.dtypes import is_key
from treadle_ir.settings import current_context
from treadle_ir.tracing import ROOT
from treadle_runtime.arrays.array import DeviceArray, elements_of

_FAMILIES: Final[tuple[type[Primitive], ...]] = (Conversion, Elementwise, Rearrangement, Reducing)
MOST: Final = 64
"""The largest number of elements of a folded array."""


def with_known(
    program: Program, captured: Sequence[DeviceArray]
) -> tuple[Program, tuple[DeviceArray, ...]]:
    """Return the program without the operations that depend on captured arrays alone, and its captured arrays."""
    count = len(captured)
    known: dict[Value, Operand] = {
        value: array
        for value, array in zip(program.parameters, captured, strict=False)
        if array.type.size <= MOST and array.placed.placement.on_host
    }
    if not known or current_context().is_op_by_op():
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
    """Return an equation with known scalars as literals if it has nested programs; other equations unchanged."""
    if not equation.primitive.programs():
        return equation
    operands = tuple([_constant(x, known) for x in equation.operands])
    if operands == equation.operands:
        return equation
    return equation._replace(operands=operands)


def _constant(atom: Atom, known: Mapping[Value, Operand]) -> Atom:
    array = known.get(atom) if isinstance(atom, Value) else None
    if not isinstance(array, DeviceArray) or array.type.shape or is_key(array.type.dtype):
        return atom
    return Literal(elements_of(array).flat[0], array.type)


def _decided(equation: Equation, known: dict[Value, Operand]) -> bool:
    """Return whether an equation depends on known arrays alone, and has small results."""
    return (
        isinstance(equation.primitive, _FAMILIES)
        and not equation.effects
        and any([isinstance(x, Value) for x in equation.operands])
        and all([isinstance(x, Literal) or x in known for x in equation.operands])
        and all([isinstance(x.type, ArrayType) and x.type.size <= MOST for x in equation.results])
    )
