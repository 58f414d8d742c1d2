"""Who made a nan: the operation, the line and the operands behind a result that is not finite.

Results of compiled functions, of loops and of branches are only looked at as a whole. When one is not finite, the
program is run again, one operation at a time, and the first bad value is followed back from the result: through what
was given bad operands already, into loops (to the iteration) and nested programs, to the operation that made it of
good ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, final

import numpy as np

from treadle_ir import (
    Elementwise,
    Equation,
    InlineCall,
    Literal,
    Primitive,
    Program,
    Source,
    TreadleError,
    Value,
    current_context,
    deeper,
    frozen,
)
from treadle_ir.dtypes import is_inexact
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.settings import DEBUG_INFS, DEBUG_NANS
from treadle_runtime.arrays.array import DeviceArray, elements_of
from treadle_runtime.arrays.from_user import as_device_array

Evaluate = Callable[[Primitive, Sequence[DeviceArray]], Sequence[DeviceArray]]
_SHOWN: Final = 3  # operands


class NotFiniteError(TreadleError, FloatingPointError):
    """`debug_nans` or `debug_infs` found what it looks for."""


@final
@frozen
class Looked:
    """What is looked for."""

    nans: bool
    infs: bool

    def at(self, array: DeviceArray) -> str | None:
        """`nan` or `inf` if the array holds what is looked for."""
        if not is_inexact(array.type.dtype) or not array.type.size:
            return None
        elements = elements_of(array)
        if self.nans and bool(np.isnan(elements).any()):
            return "nan"
        if self.infs and bool(np.isinf(elements).any()):
            return "inf"
        return None

    def first(self, elements: np.ndarray[Any, np.dtype[Any]], found: str) -> tuple[int, ...]:
        """Where the first such element is."""
        bad = np.isnan(elements) if found == "nan" else np.isinf(elements)
        return tuple([int(index) for index in np.argwhere(bad)[0]])

    def any(self, arrays: Sequence[DeviceArray]) -> str | None:
        """What the first bad one among arrays holds."""
        return next((found for array in arrays if (found := self.at(array)) is not None), None)


def looked_for() -> Looked | None:
    """What the settings ask to look for here; None for nothing."""
    context = current_context()
    looked = Looked(context.get(DEBUG_NANS), context.get(DEBUG_INFS))
    return looked if looked.nans or looked.infs else None


@final
@frozen(eq=False)
class Culprit:
    """The operation that made a bad value, with its operands and results, and what it is inside of."""

    primitive: Primitive
    operands: Sequence[DeviceArray]
    results: Sequence[DeviceArray]
    source: Source | None
    inside: tuple[str, ...] = ()

    def within(self, *notes: str) -> Culprit:
        """The same, inside of something more."""
        return Culprit(
            self.primitive, self.operands, self.results, self.source, (*self.inside, *notes)
        )


def error_of(culprit: Culprit, looked: Looked) -> NotFiniteError:
    """The error that names the operation and the line."""
    result = next((x for x in culprit.results if looked.at(x) is not None), culprit.results[0])
    found = looked.at(result) or "nan"
    index = looked.first(elements_of(result), found)
    where = f" at index {index}" if index else ""
    type = result.type
    name = culprit.primitive.name
    label = getattr(culprit.primitive, "label", "")
    error = NotFiniteError(
        f"invalid value ({found}) encountered in {name}{f' of {label}' if label else ''}: a result of type {type}"
        f"{where}{_given(culprit, index)}",
        fix="guard the operation (`where` around its operand, an epsilon), or leave "
        f"`debug_{found}s` off where it is meant",
        where=culprit.source.show() if culprit.source is not None else None,
    )
    brought = [
        str(i) for i, operand in enumerate(culprit.operands) if looked.at(operand) is not None
    ]
    if brought:
        error.add_note(f"  operand {', '.join(brought)} held one already")
    for note in culprit.inside:
        error.add_note(f"  while: {note}")
    return error


def _given(culprit: Culprit, index: tuple[int, ...]) -> str:
    """The elements that the operation was given, where it works element by element."""
    if not isinstance(culprit.primitive, Elementwise):
        return ""
    said = []
    for operand in culprit.operands[:_SHOWN]:
        elements = elements_of(operand)
        said.append(
            str(elements[index] if elements.shape and len(index) == elements.ndim else elements)
        )
    return f", given {', '.join(said)}" if said else ""


def culprit_in(
    program: Program, operands: Sequence[DeviceArray], evaluate: Evaluate, looked: Looked
) -> Culprit | None:
    """Who made the bad values among a program's results; None if the operands brought them, or no one did."""
    with deeper():
        return _Search(program, operands, evaluate, looked).culprit()


@final
class _Search:
    """One run of a program, operation by operation, and what was bad in it."""

    def __init__(
        self, program: Program, operands: Sequence[DeviceArray], evaluate: Evaluate, looked: Looked
    ) -> None:
        self.program = program
        self.evaluate = evaluate
        self.looked = looked
        self.values: dict[Value, DeviceArray] = dict(zip(program.parameters, operands, strict=True))
        self.bad: set[Value] = {v for v, x in self.values.items() if looked.at(x) is not None}

    def read(self, equation: Equation) -> list[DeviceArray]:
        """The operands of an equation."""
        return [
            from_literal(atom) if isinstance(atom, Literal) else self.values[atom]
            for atom in equation.operands
        ]

    def culprit(self) -> Culprit | None:
        """Run it, and follow the bad results back."""
        for equation in self.program.equations:
            results = self.evaluate(equation.primitive, self.read(equation))
            for value, result in zip(equation.results, results, strict=True):
                self.values[value] = result
                if self.looked.at(result) is not None:
                    self.bad.add(value)
        wanted = {atom for atom in self.program.results if isinstance(atom, Value)} & self.bad
        first: Equation | None = None
        for equation in reversed(self.program.equations):
            if wanted.isdisjoint(equation.results):
                continue
            given = {atom for atom in equation.operands if isinstance(atom, Value)} & self.bad
            wanted |= given
            if not given:
                first = equation
        if first is None:
            return None
        results = [self.values[value] for value in first.results]
        return blamed(
            first.primitive, self.read(first), results, first.source, self.evaluate, self.looked
        )


def from_literal(atom: Literal) -> DeviceArray:
    """A literal as an array."""
    return as_device_array(atom)


def blamed(
    primitive: Primitive,
    operands: Sequence[DeviceArray],
    results: Sequence[DeviceArray],
    source: Source | None,
    evaluate: Evaluate,
    looked: Looked,
) -> Culprit:
    """Who made the bad results of an operation: itself, or an operation of a program that it holds."""
    place = f" at {source.show()}" if source is not None and source.show() else ""
    for program, inner, what in _runs(primitive, operands, evaluate):
        found = culprit_in(program, inner, evaluate, looked)
        if found is not None:
            return found.within(f"{what}{place}")
    return Culprit(primitive, operands, results, source)


def _runs(
    primitive: Primitive, operands: Sequence[DeviceArray], evaluate: Evaluate
) -> Iterator[tuple[Program, Sequence[DeviceArray], str]]:
    """The runs of nested programs that an operation consists of, one after the other, with their operands."""
    if isinstance(primitive, InlineCall):
        label = getattr(primitive, "label", "")
        yield primitive.program, operands, f"running {label or primitive.name}"
    elif isinstance(primitive, Case):
        last = len(primitive.branches) - 1
        chosen = min(max(int(elements_of(operands[0])), 0), last)
        yield primitive.branches[chosen], operands[1:], f"running branch {chosen} of {last + 1}"
    elif isinstance(primitive, While):
        yield from _of_while(primitive, operands, evaluate)
    elif isinstance(primitive, Scan):
        yield from _of_scan(primitive, operands, evaluate)


def _of_while(
    loop: While, operands: Sequence[DeviceArray], evaluate: Evaluate
) -> Iterator[tuple[Program, Sequence[DeviceArray], str]]:
    of_cond = loop.cond_constants
    both = of_cond + loop.body_constants
    carries = [*operands[both:]]
    iteration = 0
    while iteration != loop.trip_bound:
        (more,) = run(loop.cond, [*operands[:of_cond], *carries], evaluate)
        if not elements_of(more):
            return
        given = [*operands[of_cond:both], *carries]
        yield loop.body, given, f"iteration {iteration} of {loop.name}"
        carries = run(loop.body, given, evaluate)
        iteration += 1


def _of_scan(
    loop: Scan, operands: Sequence[DeviceArray], evaluate: Evaluate
) -> Iterator[tuple[Program, Sequence[DeviceArray], str]]:
    fixed = loop.constants + loop.carries
    constants, carries = operands[: loop.constants], [*operands[loop.constants : fixed]]
    steps = range(loop.length)
    for i in reversed(steps) if loop.reverse else steps:
        given = [*constants, *carries, *[_element(x, i) for x in operands[fixed:]]]
        yield loop.body, given, f"iteration {i} of {loop.name}"
        carries = run(loop.body, given, evaluate)[: loop.carries]


def _element(array: DeviceArray, index: int) -> DeviceArray:
    placed = array.placed.with_shape(array.type.shape[1:])
    return DeviceArray(placed, np.asarray(elements_of(array)[index]))


def run(program: Program, operands: Sequence[DeviceArray], evaluate: Evaluate) -> list[DeviceArray]:
    """The results of a program, one operation at a time."""
    values: dict[Value, DeviceArray] = dict(zip(program.parameters, operands, strict=True))

    def read(atom: Value | Literal) -> DeviceArray:
        return values[atom] if isinstance(atom, Value) else from_literal(atom)

    with deeper():
        for equation in program.equations:
            results = evaluate(equation.primitive, [read(atom) for atom in equation.operands])
            values.update(zip(equation.results, results, strict=True))
    return [read(atom) for atom in program.results]
