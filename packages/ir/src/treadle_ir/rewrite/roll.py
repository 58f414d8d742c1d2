"""Re-rolling: runs of equal blocks, which Python loops leave when they are unrolled by tracing, become scans.

A compiler takes time for each operation, so a loop of 200 steps that was unrolled compiles for minutes, and in a second
as a scan. The pass finds runs of equal operations (`treadle_ir.analysis.repeats`), and divides what a block takes into

* constants: the same value in each block;
* carries: what the block before made;
* xs: another value in each block, such as what the blocks of another run made.

What blocks make and later operations take becomes the stacked ys. Rows of an array, `x[t]`, are such xs, and values
that are stacked are such ys, without copies: operations that take a row, or stack values, are outside of blocks. The
gradient of an unrolled loop is two runs: the first one's ys are the second one's xs, in reverse. Runs within a block
are rolled in turn.

The same operations compute the results, in the same order. What may differ is what a compiler makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Final, NamedTuple, TypeAlias, final

from treadle_ir.analysis.cost import costs_of
from treadle_ir.analysis.tandem_repeats import (
    LEAST_COPIES,
    Repeat,
    numbered_equations,
    repeats,
)
from treadle_ir.core.families import Elementwise, Rearrangement
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.sizes import is_symbolic
from treadle_ir.core.types import ArrayType
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.errors.source import NOWHERE, Source
from treadle_ir.primitives.control import Scan
from treadle_ir.primitives.shape import Concatenate, Reshape, Reverse, Slice

Made: TypeAlias = tuple[int, int]
"""A result of a block: the number of the equation in the block, and of its result."""


@final
class Loop(NamedTuple):
    """A run of equal blocks whose data flow is a loop's.

    `operands` says for each operand of each equation of a block what it is: a result of the block itself or of the
    block before it (`Made`, with a flag), or the value outside of the run that each block takes.
    """

    run: Repeat
    inner: dict[tuple[int, int], Made]  # by equation and operand
    carried: dict[tuple[int, int], Made]
    outer: dict[tuple[int, int], tuple[Atom, ...]]
    saved: tuple[
        Made, ...
    ]  # results that operations after the run take from blocks before the last
    last: tuple[Made, ...]  # results that they take from the last block
    rows: Container[Value]  # values that are rows of arrays, which need not be stacked


Choice: TypeAlias = Callable[[Sequence[Equation], Sequence[Loop]], Sequence[Loop]]


def every(equations: Sequence[Equation], loops: Sequence[Loop]) -> Sequence[Loop]:
    """Choose each loop.

    Args:
        equations: the equations in which the loops are.
        loops: the loops.
    """
    return loops


def roll(program: Program, choose: Choice = every) -> Program:
    """Return the program with runs of equal blocks as scans; the program itself if there are none.

    Args:
        program: the program, whose calls should have been inlined.
        choose: returns the loops, among the program's, that become scans, in their order.

    Example:
        >>> from treadle_ir import ArrayType, ops, stage
        >>> import numpy as np
        >>> def steps(x):
        ...     for _ in range(10):
        ...         x = ops.sine(ops.multiply(ops.add(x, x), x))
        ...     return [x]
        >>> program = stage(steps, ArrayType((3,), np.dtype("f4"))).program
        >>> len(program.equations), len(roll(program).equations)
        (30, 1)
    """
    if any([isinstance(t, ArrayType) and is_symbolic(t.shape) for t in program.parameter_types]):
        return program  # what wins depends on sizes
    while True:
        rows = _Rows(program)
        flow = _Flow(program, rows)
        runs = sorted(repeats(numbered_equations(rows.others)), key=lambda run: run.start)
        loops = choose(rows.others, [loop for run in runs if (loop := flow.loop(run))])
        if not loops:
            break
        rolled = _Rolling(program, loops, rows, choose).program()
        if len(rolled.equations) >= len(program.equations):
            break
        program = rolled  # in which loops of loops may show
    return program


def _is_fixed(atoms: Sequence[Atom]) -> bool:
    """Return whether all blocks take the same value."""
    first = atoms[0]
    if isinstance(first, Value):
        return all([each is first for each in atoms])
    return all([isinstance(each, Literal) and each.key == first.key for each in atoms])


class _Element(NamedTuple):
    """A value that is an element of an array along its leading axis."""

    array: Value
    place: int


@final
class _Rows:
    """Operations that take a row of an array, or stack values, apart from the rest of a program.

    `others` are the other equations. `elements` are the rows by what they are rows of; `stacks`
    are the values that are stacked by an operation `concatenate` of the program, by its result.
    """

    def __init__(self, program: Program) -> None:
        self.elements: dict[Value, _Element] = {}
        self.stacks: dict[Value, list[Atom]] = {}
        users: dict[Value, list[Equation | None]] = {}
        for equation in program.equations:
            for operand in equation.operands:
                if isinstance(operand, Value):
                    users.setdefault(operand, []).append(equation)
        for result in program.results:
            if isinstance(result, Value):
                users.setdefault(result, []).append(None)
        sliced: dict[Value, _Element] = {}
        lifted: dict[Value, Atom] = {}
        apart: set[int] = set()
        for place, equation in enumerate(program.equations):
            primitive, operands = equation.primitive, equation.operands
            uses = users.get(equation.results[0], []) if equation.results else []
            if isinstance(primitive, Slice):
                row = _row_of(primitive, operands[0])
                if row is not None and all([_drops_axis(each) for each in uses]):
                    sliced[equation.results[0]] = row
                    apart.add(place)
            elif isinstance(primitive, Reshape) and operands[0] in sliced:
                self.elements[equation.results[0]] = sliced[operands[0]]
                apart.add(place)
            elif isinstance(primitive, Reshape) and all([_stacks(each) for each in uses]):
                if primitive.shape == (1, *_shape(operands[0])):
                    lifted[equation.results[0]] = operands[0]
                    apart.add(place)
            elif _stacks(equation):
                values = [lifted.get(x) if isinstance(x, Value) else None for x in operands]
                if None not in values:
                    self.stacks[equation.results[0]] = [x for x in values if x is not None]
        self.lifted = lifted
        self.others = [e for place, e in enumerate(program.equations) if place not in apart]


def _shape(atom: Atom) -> tuple[int, ...]:
    assert isinstance(atom.type, ArrayType)
    return atom.type.shape


def _row_of(primitive: Slice, operand: Atom) -> _Element | None:
    """Return the row that a slice takes; None if it takes anything else."""
    if not isinstance(operand, Value) or not isinstance(operand.type, ArrayType):
        return None
    shape = operand.type.shape
    is_row = (
        bool(shape)
        and primitive.limit[0] - primitive.start[0] == 1
        and not any(primitive.start[1:])
        and primitive.limit[1:] == shape[1:]
    )
    return _Element(operand, primitive.start[0]) if is_row else None


def _drops_axis(equation: Equation | None) -> bool:
    """Return whether an equation removes the leading axis of its operand, which is of size 1."""
    return (
        equation is not None
        and isinstance(equation.primitive, Reshape)
        and equation.primitive.shape == _shape(equation.operands[0])[1:]
    )


def _stacks(equation: Equation | None) -> bool:
    """Return whether an equation concatenates several operands along their leading axes."""
    return (
        equation is not None
        and isinstance(equation.primitive, Concatenate)
        and equation.primitive.dimension == 0
        and len(equation.operands) >= LEAST_COPIES
    )


@final
class _Flow:
    """Where the values of a program are made, and where they are used last."""

    def __init__(self, program: Program, rows: _Rows) -> None:
        self._equations = rows.others
        self._rows = rows
        self._made: dict[Value, tuple[int, int]] = {}
        self._last_use: dict[Value, int] = {}
        for place, equation in enumerate(rows.others):
            for number, result in enumerate(equation.results):
                self._made[result] = place, number
            for operand in equation.operands:
                if isinstance(operand, Value):
                    self._last_use[operand] = place
        for value, element in rows.elements.items():  # a row of an array is made with the array
            if element.array in self._made:
                self._made[value] = self._made[element.array][0], -1
        for place, equation in enumerate(rows.others):
            for lifted in rows.stacks.get(equation.results[0], ()) if equation.results else ():
                if isinstance(lifted, Value):
                    self._last_use[lifted] = max(place, self._last_use.get(lifted, -1))
        for value, atom in rows.lifted.items():  # in a `concatenate` that has other operands, too
            if value in self._last_use and isinstance(atom, Value):
                self._last_use[atom] = max(self._last_use[value], self._last_use.get(atom, -1))
        for atom in program.results:
            if isinstance(atom, Value):
                self._last_use[atom] = len(rows.others)

    def loop(self, run: Repeat) -> Loop | None:
        """Return the longest part of a run whose data flow is a loop's; None if it is too short."""
        block = self._equations[run.start : run.start + run.period]
        if not all([_is_plain(each) for each in block]):
            return None
        if any([operand in self._rows.lifted for each in block for operand in each.operands]):
            return None  # values are stacked in each block
        if all([isinstance(each.primitive, Rearrangement) for each in block]):
            return None  # as parts of arrays, which are taken quickly
        places = [(j, a) for j, each in enumerate(block) for a in range(len(each.operands))]
        middle = run.copies // 2
        first, end = 0, run.copies
        relations: dict[tuple[int, int], list[tuple[int, Made] | None]] = {}
        for place in places:
            found = [self._relation(run, k, *place) for k in range(run.copies)]
            relations[place] = found
            kind = found[middle]
            if (
                kind is None
            ):  # outside: every block that takes what an earlier block made is outside, too
                low = middle
                while low > 0 and found[low - 1] is None:
                    low -= 1
                high = middle + 1
                while high < run.copies and found[high] is None:
                    high += 1
            elif kind[0] > 1 or kind[1][1] < 0:
                return None  # made by the block before the last one, or a row of an array that a block makes
            else:
                low, high = _around(found, middle)
                before = found[low - 1] if low > 0 else kind
                if kind[0] == 1 and low > 0 and (before is None or before[0] > 0):
                    low -= 1  # the first block may take any value but its own results
            first, end = max(first, low), min(end, high)
        if end - first < LEAST_COPIES:
            return None
        run = Repeat(run.start + first * run.period, run.period, end - first)
        made = self._divided(run, relations, middle)
        if made is None:
            return None
        leaving = self._leaving(run, made)
        if leaving is None or leaving.run.copies < LEAST_COPIES:
            return None
        return leaving

    def _relation(self, run: Repeat, k: int, j: int, a: int) -> tuple[int, Made] | None:
        """Return how many blocks ago an operand was made, and what it is there; None if outside of the run."""
        atom = self._equations[run.start + k * run.period + j].operands[a]
        if not isinstance(atom, Value):
            return None
        place, number = self._made.get(atom, (-1, 0))
        if not run.start <= place < run.end:
            return None
        block, within = divmod(place - run.start, run.period)
        return k - block, (within, number)

    def _divided(
        self,
        run: Repeat,
        relations: dict[tuple[int, int], list[tuple[int, Made] | None]],
        middle: int,
    ) -> Loop | None:
        """Return the run with its operands divided; None if a block takes a value of a block that is rolled."""
        inner: dict[tuple[int, int], Made] = {}
        carried: dict[tuple[int, int], Made] = {}
        outer: dict[tuple[int, int], tuple[Atom, ...]] = {}
        for place, found in relations.items():
            kind = found[middle]
            if kind is not None:
                (inner if kind[0] == 0 else carried)[place] = kind[1]
                continue
            j, a = place
            taken = self._equations[run.start + j :: run.period][: run.copies]
            outer[place] = tuple([each.operands[a] for each in taken])
        return Loop(run, inner, carried, outer, (), (), self._rows.elements)

    def _leaving(self, run: Repeat, loop: Loop) -> Loop | None:
        """Return the loop with the results that operations after it take."""
        carried = {*loop.carried.values()}
        saved, last = self._used_after(run)
        if not carried.issuperset(last):
            # The last block stays as it is, so that what only it gives away need not be stacked.
            run = Repeat(run.start, run.period, run.copies - 1)
            saved, last = self._used_after(run)
        saved += [made for made in last if made not in carried]
        last = [made for made in last if made in carried]
        outer = {place: atoms[: run.copies] for place, atoms in loop.outer.items()}
        return loop._replace(run=run, outer=outer, saved=tuple(saved), last=tuple(last))

    def _used_after(self, run: Repeat) -> tuple[list[Made], list[Made]]:
        """Return what operations after a run take: from blocks before the last one, and only from the last one."""
        saved: list[Made] = []
        last: list[Made] = []
        for j in range(run.period):
            equations = self._equations[run.start + j : run.end : run.period]
            for r in range(len(equations[0].results)):
                *before, final = [
                    self._last_use.get(each.results[r], -1) >= run.end for each in equations
                ]
                if any(before):
                    saved.append((j, r))
                elif final:
                    last.append((j, r))
        return saved, last


def _around(found: Sequence[object], middle: int) -> tuple[int, int]:
    """Return the longest range around an item in which all items are equal to it."""
    low, high = middle, middle + 1
    while low > 0 and found[low - 1] == found[middle]:
        low -= 1
    while high < len(found) and found[high] == found[middle]:
        high += 1
    return low, high


def _is_plain(equation: Equation) -> bool:
    """Return whether an equation has no effects, and only arrays without shardings."""
    types = [each.type for each in (*equation.operands, *equation.results)]
    return not equation.effects and all(
        [isinstance(type, ArrayType) and type is type.plain for type in types]
    )


@final
class _Rolling:
    """A program in which loops are rolled."""

    def __init__(
        self, program: Program, loops: Sequence[Loop], rows: _Rows, choose: Choice
    ) -> None:
        self._program = program
        self._loops = loops
        self._rows = rows
        self._choose = choose
        self._equations: list[Equation] = []
        self._elements = {**rows.elements}  # values that are rows, or elements of ys
        self._instead: dict[Value, Atom] = {}

    def program(self) -> Program:
        """Return the program with scans."""
        old, place = self._rows.others, 0
        for loop in self._loops:
            for equation in old[place : loop.run.start]:
                self._keep(equation)
            self._roll(loop)
            place = loop.run.end
        for equation in old[place:]:
            self._keep(equation)
        results = tuple([self._read(atom) for atom in self._program.results])
        return Program(self._program.parameters, tuple(self._equations), results)

    def _keep(self, equation: Equation) -> None:
        """Append an equation as it is, except for operands that have been rolled."""
        stacked = self._rows.stacks.get(equation.results[0]) if equation.results else None
        if stacked is not None:
            self._instead[equation.results[0]] = self._stack(self._parts(stacked), reverse=False)
            return
        operands = tuple([self._read(each) for each in equation.operands])
        same = all([one is other for one, other in zip(operands, equation.operands, strict=True)])
        self._equations.append(equation if same else equation._replace(operands=operands))

    def _read(self, atom: Atom) -> Atom:
        """Return the value that an atom of the old program is now."""
        if not isinstance(atom, Value):
            return atom
        found = self._instead.get(atom)
        if found is not None:
            return found
        element = self._elements.get(atom)
        lifted = self._rows.lifted.get(atom)
        if element is None and lifted is None:
            return atom
        if element is not None:
            lifted = self._part(element.array, element.place, element.place + 1)
        assert lifted is not None
        self._instead[atom] = self._apply(Reshape(_shape(atom)), self._read(lifted))
        return self._instead[atom]

    def _apply(self, primitive: Primitive, *operands: Atom, source: Source = NOWHERE) -> Value:
        """Append an equation with one result."""
        types, effects = inferred(primitive, tuple([each.type for each in operands]))
        result = Value(types[0])
        self._equations.append(Equation(primitive, operands, (result,), effects, source))
        return result

    def _value(self, value: Value) -> Value:
        """Return the value that a value of the old program is now."""
        found = self._read(value)
        assert isinstance(found, Value)
        return found

    def _part(self, array: Value, start: int, limit: int) -> Value:
        """Return the elements from `start` to before `limit` of an array."""
        array = self._value(array)
        assert isinstance(array.type, ArrayType)
        shape = array.type.shape
        if (start, limit) == (0, shape[0]):
            return array
        zeros, ones = (0,) * (len(shape) - 1), (1,) * len(shape)
        return self._apply(Slice((start, *zeros), (limit, *shape[1:]), ones), array)

    def _roll(self, loop: Loop) -> None:
        """Append a scan for a loop."""
        run = loop.run
        old = self._rows.others
        blocks = [
            old[run.start + k * run.period : run.start + (k + 1) * run.period]
            for k in range(run.copies)
        ]
        body = _Body(blocks[0], loop)
        sequences = [self._parts(atoms) for atoms in body.sequences]
        directions = [part.step for parts in sequences for part in parts]
        reverse = directions.count(-1) > directions.count(1)
        xs = [self._stack(parts, reverse) for parts in sequences]
        consts = [self._read(atom) for atom in body.constants]
        initial = [self._read(atom) for _, atom in body.carries]
        primitive = Scan(
            roll(body.program(), self._choose),
            run.copies,
            len(consts),
            len(initial),
            reverse,
        )
        operands = (*consts, *initial, *xs)
        types, effects = inferred(primitive, tuple([each.type for each in operands]))
        results = tuple(map(Value, types))
        source = blocks[0][0].source
        self._equations.append(Equation(primitive, operands, results, effects, source))
        for (made, _), result in zip(body.carries, results, strict=False):
            self._instead[_result(blocks[-1], made)] = result
        for made, ys in zip(loop.saved, results[len(initial) :], strict=True):
            for k, block in enumerate(blocks):
                value = _result(block, made)
                if value not in self._instead:
                    self._elements[value] = _Element(ys, run.copies - 1 - k if reverse else k)

    def _parts(self, atoms: Sequence[Atom]) -> list[_Part]:
        """Divide the values that blocks take into neighbouring elements of arrays, and other values."""
        parts: list[_Part] = []
        for atom in atoms:
            element = self._elements.get(atom) if isinstance(atom, Value) else None
            last = parts[-1] if parts else None
            if element is None:
                parts.append(_Part(atom, 0, 1, 0))
            elif last is not None and last.continues_with(element):
                step = element.place - last.start - last.step * (last.length - 1)
                parts[-1] = last._replace(length=last.length + 1, step=step)
            else:
                parts.append(_Part(element.array, element.place, 1, 0, is_array=True))
        return parts

    def _stack(self, parts: Sequence[_Part], reverse: bool) -> Value:
        """Return an array of what the blocks take, in the order of the scan's indices."""
        rows: list[Value] = []
        for part in reversed(parts) if reverse else parts:
            if not part.is_array:
                assert isinstance(part.of.type, ArrayType)
                shape = 1, *part.of.type.shape
                rows.append(self._apply(Reshape(shape), self._read(part.of)))
                continue
            assert isinstance(part.of, Value)
            first = min(part.start, part.start + part.step * (part.length - 1))
            row = self._part(part.of, first, first + part.length)
            if part.step * (-1 if reverse else 1) < 0:
                row = self._apply(Reverse((0,)), row)
            rows.append(row)
        return rows[0] if len(rows) == 1 else self._apply(Concatenate(0), *rows)


@final
class _Part(NamedTuple):
    """One value, or neighbouring elements of an array: `length` from `start` on, in the direction `step`."""

    of: Atom
    start: int
    length: int
    step: int  # 0 for a single one
    is_array: bool = False

    def continues_with(self, element: _Element) -> bool:
        """Return whether an element is the next one in the direction of these."""
        if not self.is_array or element.array is not self.of:
            return False
        step = element.place - self.start - self.step * (self.length - 1)
        return step == self.step if self.step else step in (1, -1)


def _result(block: Sequence[Equation], made: Made) -> Value:
    return block[made[0]].results[made[1]]


@final
class _Body:
    """The body of a scan, made from the first block of a loop."""

    def __init__(self, block: Sequence[Equation], loop: Loop) -> None:
        self._block = block
        self._loop = loop
        self.constants: list[Value] = []
        self.carries: list[tuple[Made, Atom]] = []  # with the value that the first block takes
        self.sequences: list[tuple[Atom, ...]] = []
        self._parameters: dict[tuple[int, int], Value] = {}  # by operand
        constants: dict[Value, Value] = {}
        carried: dict[tuple[Made, object], Value] = {}
        sliced: dict[tuple[int, ...], Value] = {}
        groups: tuple[list[Value], list[Value], list[Value]] = ([], [], [])
        for place, made in loop.carried.items():
            atom = block[place[0]].operands[place[1]]
            key = made, (atom if isinstance(atom, Value) else atom.key)
            if key not in carried:
                carried[key] = Value(atom.type)
                groups[1].append(carried[key])
                self.carries.append((made, atom))
            self._parameters[place] = carried[key]
        for place, atoms in loop.outer.items():
            atom = atoms[0]
            if not _is_fixed(atoms):
                names = tuple(map(id, atoms))
                if names not in sliced:
                    sliced[names] = Value(atom.type)
                    groups[2].append(sliced[names])
                    self.sequences.append(atoms)
                self._parameters[place] = sliced[names]
            elif isinstance(atom, Value):
                if atom not in constants:
                    constants[atom] = Value(atom.type)
                    groups[0].append(constants[atom])
                    self.constants.append(atom)
                self._parameters[place] = constants[atom]
        self._groups = groups

    def program(self) -> Program:
        """Return the body: parameters are constants, carries, elements; results are carries, ys."""
        equations: list[Equation] = []
        for j, equation in enumerate(self._block):
            operands: list[Atom] = []
            for a, atom in enumerate(equation.operands):
                made = self._loop.inner.get((j, a))
                if made is not None:
                    operands.append(equations[made[0]].results[made[1]])
                else:  # a fixed literal stays in the body
                    operands.append(self._parameters.get((j, a), atom))
            results = tuple([Value(each.type) for each in equation.results])
            equations.append(equation._replace(operands=tuple(operands), results=results))
        leaving = [*[made for made, _ in self.carries], *self._loop.saved]
        parameters = tuple([each for group in self._groups for each in group])
        return Program(
            parameters, tuple(equations), tuple([_result(equations, made) for made in leaving])
        )


LEAST_WORK: Final = 350  # of compilation that is saved, in elementwise operations
OTHER_WORK: Final = 8  # of an operation that is not elementwise, which is compiled by itself
MOST_FLOPS: Final = 1 << 21  # of one block
MOST_BYTES: Final = 1 << 20  # that one block reads and writes, as if nothing were fused
MOST_EDGES: Final = 4  # values that are stacked with the values of another loop


def certain_to_win(equations: Sequence[Equation], loops: Sequence[Loop]) -> Sequence[Loop]:
    """Choose the loops that compile more quickly as scans, and are not slower.

    The bounds are measured (decisions/0199-re-rolling.md): small blocks, which stack what other loops have stacked.

    Args:
        equations: the equations in which the loops are.
        loops: the loops.
    """
    chosen = [loop for loop in loops if _is_small(equations, loop)]
    while True:
        rolled = {
            result
            for loop in chosen
            for equation in equations[loop.run.start : loop.run.end]
            for result in equation.results
        }
        left = [loop for loop in chosen if _stacks_little(loop, rolled)]
        if len(left) == len(chosen):
            break
        chosen = left
    return chosen if sum([_work(equations, loop) for loop in chosen]) >= LEAST_WORK else []


def _is_small(equations: Sequence[Equation], loop: Loop) -> bool:
    """Return whether the time of a block is not dominated by large products or by memory."""
    block = equations[loop.run.start : loop.run.start + loop.run.period]
    costs = costs_of(block)
    flops, size = sum([each.flops for each in costs]), sum([each.bytes for each in costs])
    return flops <= MOST_FLOPS and size <= MOST_BYTES


def _stacks_little(loop: Loop, rolled: Container[Value]) -> bool:
    """Return whether nearly all that differs between blocks is made by loops that are rolled, or constant."""
    for atoms in loop.outer.values():
        others = [
            each
            for each in atoms
            if isinstance(each, Value) and each not in rolled and each not in loop.rows
        ]
        if len(others) > MOST_EDGES and not _is_fixed(atoms):
            return False
    return True


def _work(equations: Sequence[Equation], loop: Loop) -> int:
    """Return the work of compilation that a scan saves."""
    run = loop.run
    kinds = [each.primitive for each in equations[run.start : run.start + run.period]]
    work = sum([1 if isinstance(each, Elementwise) else OTHER_WORK for each in kinds])
    return work * (run.copies - 1)
