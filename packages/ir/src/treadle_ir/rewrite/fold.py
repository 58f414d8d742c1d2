"""Constant folding and removal of operations that do nothing, only where the result is the same to the bit.

So `x * 1` goes but `x * 0` stays (nan, inf), `x + (-0.0)` goes but `x + 0.0` stays (-0.0 + 0.0 is 0.0).
Elementwise operations on scalar literals are evaluated with the NumPy kernels of `treadle_ir.reference`; when that
fails the operation stays. A literal that is broadcast only for an elementwise operation with an array becomes a
scalar operand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from treadle_ir.core.dtypes import is_complex, is_floating, is_integer
from treadle_ir.core.families import Elementwise
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.types import ArrayType
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.primitives import elementwise as ew
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.shape import BroadcastInDim, Reshape, Transpose
from treadle_ir.reference.registry import eval_rules
from treadle_ir.rewrite.forward import (
    Forward,
    MadeBy,
    Rewritten,
    Rule,
    is_atom,
    producer,
    standing_for,
)
from treadle_ir.rewrite.nested import map_programs


def fold(program: Program) -> Program:
    """Compute operations on literals, and remove operations that do nothing, also within nested programs."""
    return map_programs(program, Forward(RULES, merging=False))


# --- constants -------------------------------------------------------------------------------------


def elementwise_literals(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Compute an operation on literals only; replace operands that are broadcasts of literals by the literals."""
    only_literals = True
    for operand in equation.operands:
        if type(operand) is Value:
            only_literals = False
            if literal_behind(operand, made_by) is not None:
                return _unspread(equation, made_by)
    return _evaluated(equation) if only_literals else None


def _evaluated(equation: Equation) -> Rewritten | None:
    """Return the literal that the reference evaluator computes for an elementwise operation on literals, or None."""
    operands = equation.operands
    primitive = equation.primitive
    if not operands or equation.effects or len(equation.results) != 1:
        return None
    type_ = equation.results[0].type
    rule = eval_rules.get(type(primitive))
    if rule is None or not isinstance(type_, ArrayType) or type_.shape != ():
        return None
    arrays = [np.asarray(x.value) for x in operands if isinstance(x, Literal)]
    try:
        with np.errstate(all="ignore"):
            (result,) = rule(primitive, *arrays)
    except Exception:  # errors are raised when the program runs, not here
        return None
    element = np.asarray(result)
    if element.shape != () or element.dtype != type_.dtype:
        return None
    scalar: Any = element[()]  # a scalar of any type
    return Literal(scalar, type_.plain)


def _unspread(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace the broadcasts of literals among the operands of an elementwise operation by the literals."""
    primitive = equation.primitive
    operands = [literal_behind(operand, made_by) or operand for operand in equation.operands]
    types = tuple([operand.type for operand in operands])
    wanted = tuple([result.type.plain for result in equation.results])
    if (
        inferred(primitive, types)[0] != wanted
    ):  # no operand has the shape any more, or the type changed otherwise
        return None
    return [
        Equation(primitive, tuple(operands), equation.results, equation.effects, equation.source)
    ]


# --- operations that do nothing ----------------------------------------------------------------------


def literal_behind(atom: Atom, made_by: MadeBy) -> Literal | None:
    """Return the literal that an atom is, or is the broadcast of; None if there is none."""
    if type(atom) is Literal:
        return atom
    made = made_by.get(atom)
    if made is None or type(made.primitive) is not BroadcastInDim:
        return None
    spread = made.operands[0]
    return spread if type(spread) is Literal else None


def _is_number(literal: Literal, number: float, negative: bool = False) -> bool:
    """Return whether a literal is this number, with this sign if it is zero and floating."""
    value, dtype = literal.value, literal.type.dtype
    if is_floating(dtype):  # comparing a signalling NaN of 16 bits warns
        if float(value) != number:
            return False
    elif not (is_integer(dtype) or is_complex(dtype)) or value != number:
        return False
    if is_complex(dtype):
        return number == 0 and all(
            bool(np.signbit(part)) is negative for part in (value.real, value.imag)
        )
    if number == 0 and is_floating(dtype):
        return bool(np.signbit(value)) is negative
    return True


def _with_neutral(
    number: float, equation: Equation, made_by: MadeBy, negative: bool = False
) -> Rewritten | None:
    """Return the operand that replaces an operation of two operands, of which the other one is this number."""
    x, y = equation.operands
    literal = literal_behind(y, made_by)
    if literal is not None and _is_number(literal, number, negative):
        return standing_for(equation, x)
    literal = literal_behind(x, made_by)
    if literal is not None and _is_number(literal, number, negative):
        return standing_for(equation, y)
    return None


def _with_neutral_second(number: float, equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Return the first operand, which replaces an operation whose second operand is this number."""
    x, y = equation.operands
    literal = literal_behind(y, made_by)
    if literal is not None and _is_number(literal, number):
        return standing_for(equation, x)
    return None


def add_zero(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace x + (-0.0) by x, and x + 0 by x for integers. (x + 0.0 differs: it makes 0.0 of -0.0.)"""
    return _with_neutral(0, equation, made_by, negative=True)


def subtract_zero(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace x - 0 by x, for integers and, with 0.0 (not -0.0), for floating numbers."""
    return _with_neutral_second(0, equation, made_by)


def multiply_by_one(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace x * 1 by x, for integers and real floating numbers. (Complex products mix the parts: 0 * inf is nan.)"""
    return _with_neutral(1, equation, made_by)


def divide_by_one(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace x / 1 by x, for integers and real floating numbers."""
    return _with_neutral_second(1, equation, made_by)


def or_zero(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace x | 0 and x ^ 0 by x, for integers."""
    return _with_neutral(0, equation, made_by)


def twice(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Remove an operation that is its own inverse and is applied twice: negate, not, conjugate."""
    inner = producer(equation.operands[0], made_by, type(equation.primitive))
    return standing_for(equation, inner.operands[0]) if inner is not None else None


def power_of_one(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace x ** 1 by x."""
    primitive = equation.primitive
    assert isinstance(primitive, ew.IntegerPower)
    return standing_for(equation, equation.operands[0]) if primitive.exponent == 1 else None


def convert_to_same(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Remove a conversion to the type of the operand."""
    (operand,) = equation.operands
    return operand if operand.type == equation.results[0].type else None


def select_known(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace a choice whose condition is a literal, or whose operands are the same, by an operand."""
    condition, on_true, on_false = equation.operands
    known = literal_behind(condition, made_by)
    if known is not None:
        return standing_for(equation, on_true if known.value else on_false)
    return standing_for(equation, on_true) if is_atom(on_true, on_false) else None


def same_shape(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Remove a reshape to the shape of the operand, and the first of two reshapes in a row."""
    (operand,) = equation.operands
    if operand.type == equation.results[0].type:
        return operand
    inner = producer(operand, made_by, Reshape)
    if inner is None:
        return None
    primitive = equation.primitive
    return [
        Equation(primitive, inner.operands, equation.results, equation.effects, equation.source)
    ]


def same_order(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Remove a transpose that preserves the order of the axes."""
    primitive = equation.primitive
    assert isinstance(primitive, Transpose)
    if primitive.permutation == tuple(range(len(primitive.permutation))):
        return standing_for(equation, equation.operands[0])
    return None


def same_axes(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Remove a broadcast to the shape of the operand, axis by axis."""
    primitive = equation.primitive
    assert isinstance(primitive, BroadcastInDim)
    if primitive.dimensions == tuple(range(len(primitive.shape))):
        return standing_for(equation, equation.operands[0])
    return None


RULES: Final[Mapping[type[Primitive], Sequence[Rule]]] = {
    Elementwise: (elementwise_literals,),
    ew.Add: (add_zero,),
    ew.Subtract: (subtract_zero,),
    ew.Multiply: (multiply_by_one,),
    ew.Divide: (divide_by_one,),
    ew.Or: (or_zero,),
    ew.Xor: (or_zero,),
    ew.Negate: (twice,),
    ew.Not: (twice,),
    ew.Conjugate: (twice,),
    ew.IntegerPower: (power_of_one,),
    Convert: (convert_to_same,),
    Select: (select_known,),
    Reshape: (same_shape,),
    Transpose: (same_order,),
    BroadcastInDim: (same_axes,),
}
