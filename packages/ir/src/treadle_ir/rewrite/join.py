"""The named simplification `join_parts`: parts of an array, each among zeros, are joined instead of added."""

from __future__ import annotations

from typing import Final, NamedTuple, final

from treadle_ir.core.program import Equation
from treadle_ir.core.sizes import is_symbolic
from treadle_ir.core.types import ArrayType
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.primitives.shape import Concatenate, Pad
from treadle_ir.rewrite.forward import MadeBy, Rewritten, producer

MOST: Final = 8  # parts that are joined: XLA fuses all their producers, and compiles 150 steps in twice the time


@final
class Part(NamedTuple):
    """An array padded with zeros along one axis: the numbers of zeros before and after it."""

    axis: int
    before: int
    after: int
    size: int
    elements: Atom
    zero: Literal
    weak: bool


def join_parts(equation: Equation, made_by: MadeBy) -> Rewritten | None:
    """Replace the sum of padded `x` and padded `y`, disjoint along an axis, by their concatenation with less padding.

    Such sums are the derivatives of functions that split an array into parts. Without this rule each element is
    computed as if it were in both, and -0.0 becomes 0.0.
    """
    one, other = [_part(operand, made_by) for operand in equation.operands]
    if one is None or other is None or one.axis != other.axis:
        return None
    first, second = (one, other) if one.before <= other.before else (other, one)
    (result,) = equation.results
    type = result.type
    assert isinstance(type, ArrayType)
    axis = first.axis
    if first.before + first.size != second.before or first.weak or second.weak or type.weak:
        return None
    if _count(first.elements, made_by) + _count(second.elements, made_by) > MOST:
        return None
    size = first.size + second.size
    joined = Value(type.with_shape((*type.shape[:axis], size, *type.shape[axis + 1 :])))
    ends = (result,) if size == type.shape[axis] else (joined,)
    operands = (first.elements, second.elements)
    join = Equation(Concatenate(axis), operands, ends, equation.effects, equation.source)
    if ends == (result,):
        return [join]
    low, high, interior = ([0] * type.ndim for _ in range(3))
    low[axis], high[axis] = first.before, second.after
    pad = Pad(tuple(low), tuple(high), tuple(interior))
    among = Equation(pad, (joined, first.zero), (result,), equation.effects, equation.source)
    return [join, among]


def _part(atom: Atom, made_by: MadeBy) -> Part | None:
    """Return the part that an atom pads with zeros, if it pads it along exactly one axis, else None."""
    made = producer(atom, made_by, Pad)
    if made is None:
        return None
    pad, (elements, zero) = made.primitive, made.operands
    assert isinstance(pad, Pad)
    given = elements.type
    assert isinstance(given, ArrayType)
    if type(zero) is not Literal or zero.value != 0 or any(pad.interior):
        return None
    if is_symbolic((*pad.low, *pad.high, *given.shape)):
        return None
    sides = [*zip(pad.low, pad.high, strict=True)]
    padded = [axis for axis, side in enumerate(sides) if side != (0, 0)]
    if len(padded) != 1 or min(sides[padded[0]]) < 0:
        return None
    (axis,) = padded
    size = given.shape[axis]
    return Part(axis, *sides[axis], size, elements, zero, given.weak)


def _count(atom: Atom, made_by: MadeBy) -> int:
    """Return the number of parts that an atom concatenates, or a number greater than `MOST`."""
    waiting, count = [atom], 0
    while waiting and count + len(waiting) <= MOST:
        each = waiting.pop()
        made = producer(each, made_by, Concatenate)
        if made is None:
            count += 1
        else:
            waiting += made.operands
    return count + len(waiting)
