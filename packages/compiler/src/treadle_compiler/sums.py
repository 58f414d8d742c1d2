"""Which values of a program over several devices are sums over axes of its mesh that are not added up.

It follows from parameters, and from constraints that say so: results of operations that are linear in sums are sums, as
`treadle_ir.sharding` has it of types. How each is lowered is `unreduced`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias, final

from treadle_compiler.kept import kept
from treadle_compiler.partitioning import Partitioning
from treadle_ir import ArrayType, Primitive, Program, Type, Value
from treadle_ir.core import InlineCall, Layout, Sums, sums_of, with_sums
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.elementwise import Add, Negate, Subtract
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_ir.primitives.shape import Reshape, Transpose
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.process import frozen

Axes: TypeAlias = frozenset[str]
Mark: TypeAlias = Layout | None
"""How a value lies that is a sum, None for an axis of which that is not known; None of other values."""

NONE: Final[Axes] = frozenset()


def speaks_of_sums(program: Program, partitioning: Partitioning) -> bool:
    """Whether a value of a program over several devices may be a sum that is not added up."""
    ends = [layout for layout in partitioning.results if layout is not None]
    if any([sums_of(layout).unreduced for layout in (*partitioning.parameters, *ends)]):
        return True
    return any(
        isinstance(equation.primitive, ShardingConstraint) and equation.primitive.unreduced
        for each in (program, *program.nested())
        for equation in each.equations
    )


def axes_of(mark: Mark) -> Axes:
    """The axes of the mesh over which a value is a sum."""
    return sums_of(mark).unreduced


def open_layout(type: Type, axes: Axes) -> Layout:
    """The layout of a sum, or of another array, of whose division nothing is known."""
    assert isinstance(type, ArrayType)
    return with_sums((None,) * type.ndim, Sums(axes))


def linear_in(primitive: Primitive, marks: Sequence[Mark]) -> tuple[Axes, Sequence[int]]:
    """The axes over which the results of an operation are sums, and the operands that are to be sums for that.

    There are none if it is not linear in the operands that are.
    """
    found = {axes_of(mark) for mark in marks} - {NONE}
    if len(found) != 1:
        return NONE, ()
    from treadle_ir.sharding import sum_operands  # noqa: PLC0415 - few programs have sums

    summed = [i for i, mark in enumerate(marks) if mark is not None]
    operands = sum_operands(primitive, summed, len(marks))
    return (NONE, ()) if operands is None else (found.pop(), operands)


def summed_axes(primitive: Primitive) -> list[int] | None:
    """For each operand of a product or a sum the first axis that is summed over."""
    if isinstance(primitive, DotGeneral) and primitive.contracting[0]:
        return [axes[0] for axes in primitive.contracting]
    if isinstance(primitive, ReduceAdd) and primitive.axes:
        return [primitive.axes[0]]
    return None


def asked_of(program: Program) -> dict[Value, Axes]:
    """The values that are asked for as sums over axes, be it rearranged or added to others, by all who use them.

    Products and sums are made so: then devices need not exchange anything.
    """
    return kept(program, "asked for as sums", lambda: _asked_of(program))


def _asked_of(program: Program) -> dict[Value, Axes]:
    uses: Counter[Value] = Counter()  # of each value those that do not ask for it so
    for equation in program.equations:
        uses.update([x for x in equation.operands if isinstance(x, Value)])
    uses.update([x for x in program.results if isinstance(x, Value)])
    asked: dict[Value, Axes] = {}
    for equation in reversed(program.equations):
        primitive = equation.primitive
        axes = NONE
        if isinstance(primitive, ShardingConstraint):
            axes = frozenset(primitive.unreduced)
        elif isinstance(primitive, _HAND_ON) and not uses[equation.results[0]]:
            axes = asked.get(equation.results[0], NONE)
        for operand in equation.operands if axes else ():
            if isinstance(operand, Value) and asked.setdefault(operand, axes) == axes:
                uses[operand] -= 1
    return {value: axes for value, axes in asked.items() if not uses[value]}


_HAND_ON: Final = (Add, Convert, Negate, Reshape, Subtract, Transpose)


def ends_of(program: Program, starts: Sequence[Mark]) -> list[Mark]:
    """Which results of a program are sums, of parameters that are."""
    return kept(program, ("sums", *starts), lambda: _ends_of(program, starts))


def _ends_of(program: Program, starts: Sequence[Mark]) -> list[Mark]:
    known = dict(zip(program.parameters, starts, strict=True))
    asked = asked_of(program)
    for equation in program.equations:
        primitive = equation.primitive
        given = [known.get(x) if isinstance(x, Value) else None for x in equation.operands]
        if isinstance(primitive, ShardingConstraint):
            found: Sequence[Mark] = [primitive.lies if primitive.unreduced else None]
        elif isinstance(primitive, InlineCall):
            found = ends_of(primitive.program, given)
        elif isinstance(primitive, Case | Scan | While):
            found = through(primitive, given).results
        else:
            axes, _ = linear_in(primitive, given)
            if all([mark is None for mark in given]) and summed_axes(primitive):
                axes = asked.get(equation.results[0], NONE)
            found = [open_layout(x.type, axes) if axes else None for x in equation.results]
        known.update(zip(equation.results, found, strict=True))
    return [known.get(x) if isinstance(x, Value) else None for x in program.results]


@final
@frozen
class Through:
    """What is a sum among the operands and results of a loop or a branch, and of its programs."""

    operands: Sequence[Mark]
    results: Sequence[Mark]
    programs: Sequence[tuple[Program, Sequence[Mark], Sequence[Axes]]]


def through(primitive: Case | Scan | While, marks: Sequence[Mark]) -> Through:
    """What stays a sum: a result that all branches return so, and a carry that the body returns as it takes it."""
    if isinstance(primitive, Case):
        starts = marks[1:]
        every = [ends_of(branch, starts) for branch in primitive.branches]
        alike = [
            each[0] if len({*map(axes_of, each)}) == 1 else None
            for each in zip(*every, strict=True)
        ]
        ends = [axes_of(each) for each in alike]
        programs = [(branch, starts, ends) for branch in primitive.branches]
        return Through([None, *starts], alike, programs)
    of_cond, last, carries = 0, 0, len(marks)
    if isinstance(primitive, Scan):
        last, carries = primitive.constants, primitive.carries
    else:
        of_cond = primitive.cond_constants
        last = of_cond + primitive.body_constants
    held = [*marks[last : last + carries]]
    scanned: list[Mark] = [None] * (len(marks) - last - len(held))
    while True:
        starts = [*marks[of_cond:last], *held, *scanned]
        after = ends_of(primitive.body, starts)
        kept = [a if axes_of(a) == axes_of(b) else None for a, b in zip(held, after, strict=False)]
        if kept == held:
            break
        held = kept
    results = [*held, *[None] * (len(after) - len(held))]
    every_program: list[tuple[Program, Sequence[Mark], Sequence[Axes]]] = [
        (primitive.body, starts, [axes_of(each) for each in results])
    ]
    if isinstance(primitive, While):
        every_program.append((primitive.cond, [*marks[:of_cond], *held], [NONE]))
    return Through([*marks[:last], *held, *scanned], results, every_program)
