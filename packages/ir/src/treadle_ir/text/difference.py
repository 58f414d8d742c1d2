"""Where two programs differ first, in terms of the text format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from treadle_ir.core.equality import Numbering, exact_key, field_names, has_programs
from treadle_ir.core.printing import literal_text, print_equation
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.values import Atom, Value
from treadle_ir.process.frozen_classes import frozen

_NOTHING: Final = "nothing"


@final
@frozen
class Difference:
    """The first difference of two programs: its place, what differs, and both sides as text."""

    place: str  # "@main, equation 3, body, equation 1", counted from 1
    what: str  # "attribute axis", "operand 2"
    left: str
    right: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}\n  left:  {self.left}\n  right: {self.right}"


def first_difference(left: Program, right: Program) -> Difference | None:
    """Return the first difference of two programs in the order of their equations; None if they are equal.

    The names of values do not count, nor do places in the user's code. A difference in a nested program is reported
    there, not at the equation that contains the program.

    Args:
        left: a program.
        right: the program to compare it with.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> vector = ArrayType((3,), np.dtype(np.float32))
        >>> one, other = [stage(lambda x: [f(x)], vector).program for f in (ops.sine, ops.cosine)]
        >>> print(first_difference(one, other))
        @main, equation 1: the operation
          left:  %1: f32[3] = sine %0
          right: %1: f32[3] = cosine %0
    """
    numbering = Numbering()
    if numbering.number(left) == numbering.number(right):
        return None
    place = "@main"
    while True:
        found = _in_programs(left, right, numbering)
        if isinstance(found, Difference):
            steps = [place, found.place] if found.place else [place]
            return Difference(", ".join(steps), found.what, found.left, found.right)
        place = f"{place}, {found.place}"
        left, right = found.left, found.right


@final
@frozen
class _Nested:
    """A pair of nested programs that differ, and their place."""

    place: str
    left: Program
    right: Program


def _in_programs(left: Program, right: Program, numbering: Numbering) -> Difference | _Nested:
    """Return the first difference of two programs that are not equal, or the nested programs where it is."""
    found = _of_types("parameter", left.parameters, right.parameters)
    if found is not None:
        return found
    partner: dict[Atom, Value] = dict(zip(left.parameters, right.parameters, strict=True))
    pairs = zip(left.equations, right.equations, strict=False)
    for index, (mine, yours) in enumerate(pairs):
        what = _of_equations(mine, yours, partner, numbering)
        if isinstance(what, _Nested):
            return _Nested(f"equation {index + 1}, {what.place}", what.left, what.right)
        if what is not None:
            texts = print_equation(left, index), print_equation(right, index)
            return Difference(f"equation {index + 1}", what, *texts)
        partner.update(zip(mine.results, yours.results, strict=True))
    shared = min(len(left.equations), len(right.equations))
    if len(left.equations) != len(right.equations):
        ends = [
            print_equation(each, shared) if len(each.equations) > shared else "return"
            for each in (left, right)
        ]
        return Difference(f"equation {shared + 1}", "the number of equations", ends[0], ends[1])
    found = _of_types("result", left.results, right.results)
    if found is not None:
        return found
    for index, (x, y) in enumerate(zip(left.results, right.results, strict=True)):
        if not _same(x, y, partner):
            return Difference("", f"result {index + 1}", _shown(x, left), _shown(y, right))
    raise AssertionError("programs with different numbers differ")


def _of_equations(
    mine: Equation, yours: Equation, partner: dict[Atom, Value], numbering: Numbering
) -> str | _Nested | None:
    """Return what differs between two equations, or the nested programs that differ."""
    one, other = mine.primitive, yours.primitive
    if type(one) is not type(other):
        return "the operation"
    if has_programs(one):
        inner, its = one.programs(), other.programs()
        if [*inner] == [*its]:
            for label, program in inner.items():
                if numbering.of[id(program)] != numbering.of[id(its[label])]:
                    return _Nested(label, program, its[label])
    for name in field_names(type(one)):
        values = [exact_key(getattr(each, name), numbering.of) for each in (one, other)]
        if values[0] != values[1]:
            return f"attribute {name}"
    if numbering.primitive_key(one) != numbering.primitive_key(other):
        return "the attributes"  # of a primitive with an equality of its own
    if len(mine.operands) != len(yours.operands):
        return "the number of operands"
    for index, (x, y) in enumerate(zip(mine.operands, yours.operands, strict=True)):
        if not _same(x, y, partner):
            return f"operand {index + 1}"
    if mine.effects != yours.effects:
        return "the effects"
    if [each.type for each in mine.results] != [each.type for each in yours.results]:
        return "the types of the results"
    return None


def _of_types(kind: str, ours: Sequence[Atom], theirs: Sequence[Atom]) -> Difference | None:
    """Return the first difference between the types of parameters, or of results."""
    for index in range(max(len(ours), len(theirs))):
        texts = [
            str(each[index].type) if index < len(each) else _NOTHING for each in (ours, theirs)
        ]
        if texts[0] != texts[1]:
            return Difference("", f"{kind} {index + 1}", *texts)
    return None


def _same(x: Atom, y: Atom, partner: dict[Atom, Value]) -> bool:
    if isinstance(x, Value):
        return partner.get(x) is y
    return not isinstance(y, Value) and x.key == y.key


def _shown(atom: Atom, program: Program) -> str:
    """Return the name of a value as the text format numbers it, or a literal as text."""
    if not isinstance(atom, Value):
        return literal_text(atom)
    values = [*program.parameters, *[r for each in program.equations for r in each.results]]
    return f"%{[id(each) for each in values].index(id(atom))}"
