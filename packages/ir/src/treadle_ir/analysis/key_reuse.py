"""Random keys that are used twice: found by following each key through operations and programs.

Each single key is a `Cell`; an array of keys is an array of cells. Bits and splits use keys up. Folding in a number,
making keys from words and cloning return new keys. Operations that move keys (slices, reshapes, gathers, joins) return
the same cells at other positions, which are found by running the kernel on numbers instead of keys. So `keys[0]` taken
twice is one key, and `keys[0]`, `keys[1]` are two.

After a choice, the cells that any branch uses are used. The body of a loop is followed twice, as keys that a body uses
and does not replace are used again in the next iteration. Recomputation, which draws the same numbers on purpose, uses
nothing up.

A program is followed once for each kind of operands: which of their keys are the same, and which elements are known.
Where it is called again with operands of such a kind, its `_Summary` is applied.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeGuard, final

import numpy as np

from treadle_ir.core.dtypes import is_key
from treadle_ir.core.families import ControlFlow, Indexing, InlineCall, Rearrangement
from treadle_ir.core.flows import OPERANDS, Flows
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Program
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.values import Literal, Value
from treadle_ir.errors.kinds import KeyReuseError
from treadle_ir.errors.source import Source
from treadle_ir.events.kinds import KeyReused, emit
from treadle_ir.primitives.call import Checkpoint, OptimizationBarrier
from treadle_ir.primitives.random import RandomBits, RandomSplit
from treadle_ir.process.nesting import deeper
from treadle_ir.reference import eval_rules
from treadle_ir.settings.declared import DEBUG_KEY_REUSE, KEY_LISTENERS

Elements: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


@final
class Cell:
    """A random key, and the source location at which it was used up, if any."""

    __slots__ = ("used",)

    def __init__(self) -> None:
        self.used: Source | None = None


Cells: TypeAlias = "np.ndarray[Any, np.dtype[np.object_]]"  # of `Cell`s
Operand: TypeAlias = "Cells | Elements | None"  # keys; known elements; None for unknown elements


def new_cells(shape: tuple[int, ...]) -> Cells:
    """Return an array of unused keys."""
    cells = np.empty(shape, np.object_)
    for index in np.ndindex(shape):
        cells[index] = Cell()
    return cells


def is_keys(type: Type) -> bool:
    """Return whether arrays of a type hold keys."""
    return isinstance(type, ArrayType) and is_key(type.dtype)


@final
class _Summary(NamedTuple):
    """The effect of a program on the keys among its operands, which are numbered in the order of their first positions.

    New keys that it returns have the next numbers.
    """

    made: int  # new keys among the results
    used: tuple[tuple[int, Source], ...]
    results: tuple[
        Elements | None, ...
    ]  # the numbers of their keys; None for results that are not keys


@final
class KeyUses:
    """The effects of operations on keys. Uses are recorded here, and in the cells only by `commit`."""

    def __init__(self) -> None:
        self._used: dict[Cell, Source] = {}  # in the order of uses
        self._known: dict[Hashable, _Summary] = {}  # by programs and kinds of operands

    def commit(self) -> None:
        """Mark the used cells as used."""
        for cell, source in self._used.items():
            cell.used = source

    def apply(
        self,
        primitive: Primitive,
        operands: Sequence[Operand],
        results: Sequence[Type],
        source: Source,
    ) -> list[Cells | None]:
        """Follow one operation, and return the cells of its results, None for results that are not keys.

        Raises:
            KeyReuseError: a key is used that has been used before, and no listener is notified instead.
        """
        if not any([is_cells(x) for x in operands]) and not any(map(is_keys, results)):
            return [None] * len(results)
        if isinstance(primitive, RandomBits | RandomSplit):
            if is_cells(operands[0]):
                self._use(operands[0], primitive, source)
        elif isinstance(primitive, Checkpoint) and primitive.recomputes:
            return _new(results)
        elif isinstance(primitive, InlineCall | ControlFlow):
            flows = primitive.flows()
            if flows is not None:
                follow = self._branches if flows.exclusive else self._iterations
                return follow(flows, operands, results)
        elif isinstance(primitive, OptimizationBarrier):
            return [x if is_cells(x) else None for x in operands]
        elif isinstance(primitive, Rearrangement | Indexing):
            moved = _moved(primitive, operands)
            if moved is not None:
                return [moved]
        return _new(results)

    def run(self, program: Program, operands: Sequence[Operand]) -> list[Cells | None]:
        """Follow a program, and return the cells of its results.

        Raises:
            KeyReuseError: a key is used that has been used before, and no listener is notified instead.
        """
        numbers: dict[Cell, int] = {}
        kind = (program, *[_kind(operand, numbers) for operand in operands])
        summary = self._known.get(kind)
        cells = [*numbers]
        if summary is None or any(
            [
                number < len(cells) and self._before(cells[number]) is not None
                for number, _ in summary.used
            ]
        ):  # in the second case, following it finds the source location
            before = len(self._used)
            results = self._follow(program, operands)
            self._known[kind] = self._summary(before, numbers, results)
            return results
        cells += [Cell() for _ in range(summary.made)]
        for number, source in summary.used:
            self._used[cells[number]] = source
        table = np.empty(len(cells), np.object_)
        table[:] = cells
        return [None if each is None else np.asarray(table[each]) for each in summary.results]

    def _summary(
        self, before: int, numbers: dict[Cell, int], results: Sequence[Cells | None]
    ) -> _Summary:
        """Return the summary of a program that has been followed, before which `before` cells had been used."""
        given = len(numbers)
        returned = [None if cells is None else _numbered(cells, numbers) for cells in results]
        uses = [*islice(reversed(self._used.items()), len(self._used) - before)]
        used = [(numbers[cell], source) for cell, source in reversed(uses) if cell in numbers]
        return _Summary(len(numbers) - given, tuple(used), tuple(returned))

    def _follow(self, program: Program, operands: Sequence[Operand]) -> list[Cells | None]:
        values: dict[Value, Operand] = dict(zip(program.parameters, operands, strict=True))
        for parameter in program.parameters:
            if is_keys(parameter.type) and values[parameter] is None:
                assert isinstance(parameter.type, ArrayType)
                values[parameter] = new_cells(parameter.type.shape)

        def read(atom: Value | Literal) -> Operand:
            return np.asarray(atom.value) if isinstance(atom, Literal) else values[atom]

        with deeper():
            for equation in program.equations:
                types = [result.type for result in equation.results]
                made = self.apply(
                    equation.primitive,
                    [read(atom) for atom in equation.operands],
                    types,
                    equation.source,
                )
                values.update(zip(equation.results, made, strict=True))
        return [x if is_cells(x) else None for x in map(read, program.results)]

    def _before(self, cell: Cell) -> Source | None:
        """Return the source location at which a cell has been used already, or None."""
        return self._used.get(cell) or cell.used

    def _use(self, cells: Cells, primitive: Primitive, source: Source) -> None:
        first: Source | None = None  # where the first of the reused keys was used
        for cell in cells.ravel():
            before = self._before(cell)
            if before is None:
                self._used[cell] = source
            elif DEBUG_KEY_REUSE() or not KEY_LISTENERS():
                raise reused(primitive, source, before)
            else:
                first = first or before
        if first is not None:
            emit(KeyReused(source, first))

    def _branches(
        self, flows: Flows, operands: Sequence[Operand], types: Sequence[Type]
    ) -> list[Cells | None]:
        together: dict[Cell, Source] = {}
        before = len(self._used)
        for branch, entry in zip(flows.regions, flows.entry, strict=True):
            self.run(branch, [operands[i] for i in entry])
            while len(self._used) > before:  # this branch's uses do not count in another branch
                cell, source = self._used.popitem()
                together[cell] = source
        self._used.update(together)
        return _new(types)  # it is unknown which branch ran, and so whose keys these are

    def _iterations(
        self, flows: Flows, operands: Sequence[Operand], types: Sequence[Type]
    ) -> list[Cells | None]:
        """Follow the one iteration of a call, or two iterations of a loop; with keys among the xs, each iteration."""
        count = 1
        if flows.iterations is not None:
            most = flows.iterations.most
            count = most if flows.iterations.exact and most is not None else 2
            if not any([flows.is_sliced(i) and is_cells(x) for i, x in enumerate(operands)]):
                count = min(count, 2)  # the others are like the second one
        returned: list[Sequence[Operand]] = [()] * len(flows.regions)
        for iteration in range(count):
            for number, region in enumerate(flows.regions):
                given = flows.arguments(number, operands, returned, _element, iteration)
                returned[number] = self.run(region, given)
        ends: list[Cells | None] = []
        for origins in flows.exits[: flows.stacked]:
            source = origins[-1 if count else 0]
            values = operands if source.region == OPERANDS else returned[source.region]
            end = values[source.place]
            ends.append(end if is_cells(end) else None)
        return [
            *ends,
            *_new(types[len(ends) :]),
        ]  # stacked keys may be of any iteration, so they are new


def _element(operand: Operand, index: int) -> Operand:
    """Return one element along the first axis of keys; None for an operand that is not keys."""
    return operand[index, ...] if is_cells(operand) else None


def _kind(operand: Operand, numbers: dict[Cell, int]) -> Hashable:
    """Return the part of a summary's cache key that an operand determines; `numbers` has the numbers of cells."""
    if operand is None:
        return None
    if is_cells(operand):
        return operand.shape, _numbered(operand, numbers).tobytes()
    return operand.shape, operand.dtype, operand.tobytes()


def _numbered(cells: Cells, numbers: dict[Cell, int]) -> Elements:
    """Return the numbers of cells; new cells get new numbers."""
    found = [numbers.setdefault(cell, len(numbers)) for cell in cells.ravel()]
    return np.array(found, np.int64).reshape(cells.shape)


def is_cells(operand: Operand) -> TypeGuard[Cells]:
    """Return whether an operand is an array of keys."""
    return operand is not None and operand.dtype == np.object_


def _new(types: Sequence[Type]) -> list[Cells | None]:
    return [new_cells(type.shape) if is_keys(type) else None for type in types]  # type: ignore[attr-defined]  # arrays


def _moved(primitive: Primitive, operands: Sequence[Operand]) -> Cells | None:
    """Return the cells of the one result of an operation that moves keys; None if its indices are unknown."""
    table: list[Cell] = []
    numbered: list[Elements] = []
    for operand in operands:
        if operand is None:
            return None
        if is_cells(operand):
            numbered.append(np.arange(operand.size).reshape(operand.shape) + len(table))
            table += operand.ravel().tolist()
        else:
            numbered.append(operand)
    (places,) = eval_rules[primitive](primitive, *numbered)
    all_cells = np.empty(len(table), np.object_)
    all_cells[:] = table
    moved: Cells = np.asarray(all_cells[np.asarray(places)], np.object_)
    return moved


def reused(primitive: Primitive, source: Source, before: Source) -> KeyReuseError:
    """Return the error for a key that is used a second time."""
    what = "split" if isinstance(primitive, RandomSplit) else "drawn from"
    error = KeyReuseError(
        f"a random key that has been used already is {what}: the numbers would be the same, or depend on each other",
        fix="split the key first (`key, other = random.split(key)`), or say that it is meant with `random.clone`",
        where=source.show(),
    )
    error.add_note(f"  first used at {before.show() or 'an unknown place'}")
    return error
