"""The origin of a NaN: the operation, the line and the operands that caused a result that is not finite.

Only the results of compiled functions, loops and branches are checked. If one is not finite, the program runs again,
one operation at a time, and the bad value is traced back from the result: past operations whose operands were bad
already, into loops (to the iteration) and nested programs, to the operation that produced it from good operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final, final

import numpy as np

from treadle_ir import (
    ControlFlow,
    Elementwise,
    Equation,
    Literal,
    Primitive,
    Program,
    TreadleError,
    Value,
)
from treadle_ir.core import Flows, InlineCall, Iterations
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import Source
from treadle_ir.process import deeper, frozen
from treadle_ir.settings import DEBUG_INFS, DEBUG_NANS, current_context
from treadle_runtime.arrays.array import DeviceArray, elements_of
from treadle_runtime.arrays.from_user import as_device_array

Evaluate = Callable[[Primitive, Sequence[DeviceArray]], Sequence[DeviceArray]]
_SHOWN: Final = 3  # operands


class NotFiniteError(TreadleError, FloatingPointError):
    """`debug_nans` or `debug_infs` found a NaN or an infinity."""


@final
@frozen
class Looked:
    """The values to look for: NaNs, infinities, or both."""

    nans: bool
    infs: bool

    def at(self, array: DeviceArray) -> str | None:
        """Return `nan` or `inf` if the array has such an element, otherwise None."""
        if not is_inexact(array.type.dtype) or not array.type.size:
            return None
        elements = elements_of(array)
        if self.nans and bool(np.isnan(elements).any()):
            return "nan"
        if self.infs and bool(np.isinf(elements).any()):
            return "inf"
        return None

    def first(self, elements: np.ndarray[Any, np.dtype[Any]], found: str) -> tuple[int, ...]:
        """Return the index of the first element that is `found`."""
        bad = np.isnan(elements) if found == "nan" else np.isinf(elements)
        return tuple([int(index) for index in np.argwhere(bad)[0]])

    def any(self, arrays: Sequence[DeviceArray]) -> str | None:
        """Return `nan` or `inf` for the first array with such an element, otherwise None."""
        return next((found for array in arrays if (found := self.at(array)) is not None), None)


def looked_for() -> Looked | None:
    """Return the values that the current settings look for; None if both settings are off."""
    context = current_context()
    looked = Looked(context.get(DEBUG_NANS), context.get(DEBUG_INFS))
    return looked if looked.nans or looked.infs else None


@final
@frozen(eq=False)
class Culprit:
    """The operation that produced a bad value, with its operands, its results, and the enclosing programs."""

    primitive: Primitive
    operands: Sequence[DeviceArray]
    results: Sequence[DeviceArray]
    source: Source | None
    inside: tuple[str, ...] = ()

    def within(self, *notes: str) -> Culprit:
        """Return this culprit with further enclosing programs."""
        return Culprit(
            self.primitive, self.operands, self.results, self.source, (*self.inside, *notes)
        )


def error_of(culprit: Culprit, looked: Looked) -> NotFiniteError:
    """Return the error that names the operation and the line."""
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
    """Return the operand elements of an elementwise operation, for the error; empty for other operations."""
    if not isinstance(culprit.primitive, Elementwise):
        return ""
    shown = []
    for operand in culprit.operands[:_SHOWN]:
        elements = elements_of(operand)
        shown.append(
            str(elements[index] if elements.shape and len(index) == elements.ndim else elements)
        )
    return f", given {', '.join(shown)}" if shown else ""


def culprit_in(
    program: Program, operands: Sequence[DeviceArray], evaluate: Evaluate, looked: Looked
) -> Culprit | None:
    """Return the operation that produced the bad results of a program; None if its operands were bad, or none is."""
    with deeper():
        return _Search(program, operands, evaluate, looked).culprit()


@final
class _Search:
    """One run of a program, operation by operation, with its bad values."""

    def __init__(
        self, program: Program, operands: Sequence[DeviceArray], evaluate: Evaluate, looked: Looked
    ) -> None:
        self.program = program
        self.evaluate = evaluate
        self.looked = looked
        self.values: dict[Value, DeviceArray] = dict(zip(program.parameters, operands, strict=True))
        self.bad: set[Value] = {v for v, x in self.values.items() if looked.at(x) is not None}

    def read(self, equation: Equation) -> list[DeviceArray]:
        """Return the operands of an equation."""
        return [
            from_literal(atom) if isinstance(atom, Literal) else self.values[atom]
            for atom in equation.operands
        ]

    def culprit(self) -> Culprit | None:
        """Run the program, and trace its bad results back."""
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
    """Return a literal as an array."""
    return as_device_array(atom)


def blamed(
    primitive: Primitive,
    operands: Sequence[DeviceArray],
    results: Sequence[DeviceArray],
    source: Source | None,
    evaluate: Evaluate,
    looked: Looked,
) -> Culprit:
    """Return the origin of the bad results of an operation: itself, or an operation of a nested program."""
    place = f" at {source.show()}" if source is not None and source.show() else ""
    for program, inner, what in _runs(primitive, operands, evaluate):
        found = culprit_in(program, inner, evaluate, looked)
        if found is not None:
            return found.within(f"{what}{place}")
    return Culprit(primitive, operands, results, source)


def _runs(
    primitive: Primitive, operands: Sequence[DeviceArray], evaluate: Evaluate
) -> Iterator[tuple[Program, Sequence[DeviceArray], str]]:
    """Yield the runs of nested programs of an operation, in order: program, operands, and a description."""
    flows = primitive.flows() if isinstance(primitive, InlineCall | ControlFlow) else None
    if flows is None:
        return
    if flows.iterations is not None:
        yield from _iterations(primitive.name, flows, flows.iterations, operands, evaluate)
        return
    chosen, what = 0, f"running {getattr(primitive, 'label', '') or primitive.name}"
    if flows.predicate is not None:
        last = len(flows.regions) - 1
        chosen = min(max(int(elements_of(operands[flows.predicate.place])), 0), last)
        what = f"running branch {chosen} of {last + 1}"
    yield flows.regions[chosen], [operands[i] for i in flows.entry[chosen]], what


def _iterations(
    name: str,
    flows: Flows,
    iterations: Iterations,
    operands: Sequence[DeviceArray],
    evaluate: Evaluate,
) -> Iterator[tuple[Program, Sequence[DeviceArray], str]]:
    """Run a loop, and yield each run of its regions, without the runs that decide whether the loop goes on."""
    most, predicate = iterations.most, flows.predicate
    steps: Iterable[int] = count() if most is None else range(most)
    if most is not None and iterations.reverse:
        steps = reversed(range(most))
    returned: list[Sequence[DeviceArray]] = [()] * len(flows.regions)
    for step in steps:
        for number, region in enumerate(flows.regions):
            given = flows.arguments(number, operands, returned, _element, step)
            decided = predicate.place if predicate and predicate.region == number else None
            if decided is None:
                yield region, given, f"iteration {step} of {name}"
            returned[number] = run(region, given, evaluate)
            if decided is not None and not elements_of(returned[number][decided]):
                return


def _element(array: DeviceArray, index: int) -> DeviceArray:
    placed = array.placed.with_shape(array.type.shape[1:])
    return DeviceArray(placed, np.asarray(elements_of(array)[index]))


def run(program: Program, operands: Sequence[DeviceArray], evaluate: Evaluate) -> list[DeviceArray]:
    """Return the results of a program, evaluated one operation at a time."""
    values: dict[Value, DeviceArray] = dict(zip(program.parameters, operands, strict=True))

    def read(atom: Value | Literal) -> DeviceArray:
        return values[atom] if isinstance(atom, Value) else from_literal(atom)

    with deeper():
        for equation in program.equations:
            results = evaluate(equation.primitive, [read(atom) for atom in equation.operands])
            values.update(zip(equation.results, results, strict=True))
    return [read(atom) for atom in program.results]
