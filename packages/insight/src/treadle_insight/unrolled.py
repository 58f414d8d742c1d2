"""Loops that Python ran while a function was traced, found in its program: copies of the same operations in a row.

Two operations are copies if they are the same operation, of the same types, at the same place of the user's. What one
copy takes from the copy before it is carried; what all copies share is fixed; everything else is different in each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from types import CodeType
from typing import Final, final

from treadle_insight.loop_syntax import Loops, WrittenLoop
from treadle_insight.place import Place
from treadle_ir import Equation, Literal, Program, Value
from treadle_ir.analysis import Repeat, repeats
from treadle_ir.errors import Source, stored_name

SMALL: Final = 200  # operations; smaller programs are looked at only on request
_COPIES: Final = 4
_OF_ONE_CALL: Final = 8  # copies that a function of a library makes
_LENGTH: Final = 64  # operations in all copies together
_SHARE: Final = (
    0.8  # of the operations of a copy that are in the loop: rules of derivatives may be elsewhere
)
_SHORT: Final = 30  # characters of an expression that stands for its value
_NUMBER: Final = re.compile(r"\d+")


@final
@dataclass(frozen=True, slots=True)
class Carried:
    """A value that each iteration takes from the iteration before it.

    Attributes:
        name: the variable; empty if it has none.
        type: its type, as text.
    """

    name: str
    type: str

    def __str__(self) -> str:
        return f"`{self.name}` {self.type}" if self.name else f"a value {self.type}"


@final
@dataclass(frozen=True, slots=True)
class UnrolledLoop:
    """A loop of the user's that became many copies of its operations.

    Attributes:
        place: the loop's first line; the place of its operations if no loop is known there.
        written: the loop in the user's file; None if one call made all copies, or none is known.
        is_one_call: whether all operations are at one place outside of loops: a function of a library repeats itself.
        main: the copies of the loop itself.
        others: more copies of the same loop, as its derivative has.
        total: the number of operations of the program.
        carried: what an iteration takes from the one before.
        fixed: the names of what all iterations share.
        different: the names of what each iteration has for itself.
        is_counted: whether all that is different is numbers and positions, as of an index.
        reaches_back: whether iterations use values of iterations before the last one.
    """

    place: Place
    written: WrittenLoop | None
    is_one_call: bool
    main: Repeat
    others: tuple[Repeat, ...]
    total: int
    carried: tuple[Carried, ...] = ()
    fixed: tuple[str, ...] = ()
    different: tuple[str, ...] = ()
    is_counted: bool = False
    reaches_back: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether it is a loop: one is written there, or each copy takes a value of the one before.

        Copies of other operations may come from a function that `tree.map` applied to many leaves.
        """
        if self.written is not None:
            return True
        return bool(self.carried) and (not self.is_one_call or self.main.copies >= _OF_ONE_CALL)

    @property
    def share(self) -> float:
        """The part of the program that is copies of the loop."""
        return sum([each.length for each in (self.main, *self.others)]) / self.total


def loops_of(
    program: Program,
    parameters: Sequence[str] = (),
    small: int = SMALL,
    outside: Collection[CodeType] = (),
    *,
    unsure: bool = False,
) -> tuple[UnrolledLoop, ...]:
    """Return the loops that were unrolled in a program, those with most operations first.

    Programs inside of it, such as bodies of scans, are looked at, too.

    Args:
        program: the program, with its calls inlined.
        parameters: what each parameter stands for, as `argument params[0]['w']`.
        small: programs of so many operations or fewer are not looked at.
        outside: code that called the traced function, whose loops are not looked at.
        unsure: whether to return copies, too, which may not be of a loop: see `UnrolledLoop.is_sure`.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> def f(x):
        ...     for _ in range(300):
        ...         x = ops.sine(x)
        ...     return [x]
        >>> (loop,) = loops_of(stage(f, ArrayType((3,), np.dtype("f4"))).program)
        >>> loop.main
        Repeat(start=0, period=1, copies=300)
    """
    look = _Look(small, outside)
    found = look.in_one(program, parameters)
    for each in program.nested():
        found += look.in_one(each, ())
    found.sort(key=lambda each: -each.share * each.total)
    return tuple([each for each in found if unsure or each.is_sure])


@final
class _Look:
    """What the looks at one program and at the programs inside of it share."""

    def __init__(self, small: int, outside: Collection[CodeType]) -> None:
        self._small = max(small, _LENGTH - 1)
        self._outside = outside
        self._known = Loops()

    def in_one(self, program: Program, parameters: Sequence[str]) -> list[UnrolledLoop]:
        """Return the loops that were unrolled in a program, without the programs inside of it."""
        equations = program.equations
        if len(equations) <= self._small:
            return []
        groups: dict[object, list[Repeat]] = {}
        written: dict[object, WrittenLoop | None] = {}
        for repeat in repeats(_tokens(equations), _COPIES, _LENGTH):
            copy = equations[repeat.start : repeat.start + repeat.period]
            loop = self._loop_around(copy)
            places = frozenset([(x.source.code, x.source.offset) for x in copy if x.source.line])
            if places:  # else it is unknown where the operations come from
                key = loop or places
                groups.setdefault(key, []).append(repeat)
                written[key] = loop
        return [
            _described(program, parameters, sorted(parts, key=lambda x: x.start), written[key])
            for key, parts in groups.items()
        ]

    def _loop_around(self, copy: Iterable[Equation]) -> WrittenLoop | None:
        """Return the innermost loop around most operations of a copy; callers are searched where they are recorded."""
        places: Counter[tuple[tuple[CodeType | int, int], ...]] = Counter()
        frames: dict[object, list[Source]] = {}
        for source in [each.source for each in copy]:
            callers = [x for x in source.callers if x.code not in self._outside]
            place = tuple([(x.code or x.line, x.offset) for x in (source, *callers)])
            places[place] += 1
            frames[place] = [source, *callers]
        votes: Counter[WrittenLoop] = Counter()
        count = 0
        for place, times in places.items():
            if frames[place][0].line:
                count += times
                around = [
                    each for x in frames[place] for each in self._known.around(x.file, x.line)
                ]
                votes.update(dict.fromkeys(around, times))
        for loop, times in votes.most_common():  # of equally many, the innermost was met first
            return loop if times >= _SHARE * count else None
        return None


def _tokens(equations: Sequence[Equation]) -> list[int]:
    """Return a number for each equation; copies have the same.

    Types are interned, and code objects live as long as the equations: both are compared as objects.
    """
    expressions: dict[tuple[int, int], int] = {}
    tokens: list[int] = []
    for primitive, _, results, _, source in equations:
        place = id(source.code), source.offset or source.line
        expression = expressions.get(place)
        if expression is None:
            # The offset itself changes as Python specialises an instruction that has run some times.
            expression = expressions[place] = hash((id(source.code), source.span))
        types = (
            id(results[0].type) if len(results) == 1 else hash(tuple([id(x.type) for x in results]))
        )
        tokens.append(hash((primitive.__class__, expression, types)))
    return tokens


def _described(
    program: Program,
    parameters: Sequence[str],
    parts: Sequence[Repeat],
    written: WrittenLoop | None,
) -> UnrolledLoop:
    """Return the facts about a loop, whose copies of the forward computation come first in the program."""
    main = _aligned(parts[0], program.equations, written)
    equations = program.equations
    copy = equations[main.start : main.start + main.period]
    first = next(x.source for x in copy if x.source.line)
    places = {(x.source.code, x.source.span) for x in copy}
    flow = _Flow(program, parameters, main, written)
    return UnrolledLoop(
        Place.of(first) if written is None else written.place,
        written,
        written is None and len(places) == 1,
        main,
        tuple(parts[1:]),
        len(equations),
        flow.carried(),
        flow.fixed(),
        flow.different(),
        flow.is_counted,
        flow.reaches_back,
    )


def _aligned(repeat: Repeat, equations: Sequence[Equation], written: WrittenLoop | None) -> Repeat:
    """Return the repeat with the start of an iteration as its start: where the fewest values go across.

    The first iterations may differ from the others, and then the repeat starts anywhere in an iteration. Of several
    such places, the first in the loop's byte code is the start.
    """
    period, start = repeat.period, repeat.start
    number = {
        x: index for index in range(3 * period) for x in equations[start + index].results
    }  # of three copies, of which the second is cut
    last: dict[Value, int] = {}
    for index in range(3 * period):
        last.update({x: index for x in equations[start + index].operands if x in number})
    across = [0] * (3 * period + 1)  # changes of the number of values that go across each cut
    for value, index in last.items():
        across[number[value] + 1] += 1
        across[index + 1] -= 1
    counts = [*accumulate(across)][period : 2 * period]
    offsets = [_frame(each.source, written).offset for each in equations[start : start + period]]
    shift = min(range(period), key=lambda index: (counts[index], offsets[index]))
    return replace(repeat, start=start + shift, copies=repeat.copies - (shift > 0))


def _frame(source: Source, written: WrittenLoop | None) -> Source:
    """Return the location that is in the loop: an operation's own, or the caller's of the function that applies it."""
    if written is not None and source.callers:
        for each in (source, *source.callers):
            if written.holds(each.file, each.line):
                return each
    return source


class _Flow:
    """How values flow between two neighbouring copies in the middle of a repeat."""

    def __init__(
        self,
        program: Program,
        parameters: Sequence[str],
        repeat: Repeat,
        written: WrittenLoop | None,
    ) -> None:
        self._written = written
        self._labels = {
            value: label.removeprefix("argument ")
            for value, label in zip(program.parameters, parameters, strict=False)
        }
        self._makers = {x: each for each in program.equations for x in each.results}
        start = repeat.start + (repeat.copies // 2) * repeat.period
        self._before = program.equations[start - repeat.period : start]
        self._now = program.equations[start : start + repeat.period]
        region = program.equations[repeat.start : start - repeat.period]
        self._earlier = {x for each in region for x in each.results}
        self._made_before = {x for each in self._before for x in each.results}
        self._made_now = {x for each in self._now for x in each.results}
        self.reaches_back = False
        self.is_counted = True
        self.counter = written.counter if written is not None else ""
        self._carried: dict[Value, None] = {}
        self._fixed: dict[str, None] = {}
        self._different: dict[str, None] = {}
        for before, now in zip(self._before, self._now, strict=True):
            self._compare(before, now)

    def _compare(self, before: Equation, now: Equation) -> None:
        """Sort the operands of an operation into carried, fixed and different ones."""
        if before.primitive != now.primitive:  # as `p[i]`, whose position is an attribute
            shown = Place.of(now.source).marked
            self._different[shown if len(shown) <= _SHORT else self.counter or "a position"] = None
        for earlier, operand in zip(before.operands, now.operands, strict=False):
            if isinstance(operand, Literal):
                if not isinstance(earlier, Literal) or earlier.value != operand.value:
                    self._different[self.counter or "a number"] = None
            elif operand in self._made_now:
                continue
            elif operand in self._made_before:
                self._carried[operand] = None
            elif operand is earlier:
                name = self._name(operand)
                if name:
                    self._fixed[name] = None
            elif operand in self._earlier:
                self.reaches_back = True
            else:
                self.is_counted = False
                names = [self._name(x) if isinstance(x, Value) else "" for x in (earlier, operand)]
                self._different[_pattern(names[0], names[1], self.counter or "i")] = None

    def _name(self, value: Value) -> str:
        """Return the name of a value that was made outside of the loop."""
        label = self._labels.get(value)
        if label is not None:
            return label
        maker = self._makers.get(value)
        return "" if maker is None else stored_name(maker.source)

    def carried(self) -> tuple[Carried, ...]:
        """Return the carried values, those without names last."""
        found = {Carried(self._name_inside(x), str(x.type)): None for x in self._carried}
        return tuple(sorted(found, key=lambda each: (not each.name, each.name)))

    def _name_inside(self, value: Value) -> str:
        """Return the variable of the loop's body that a value was stored to."""
        frame = _frame(self._makers[value].source, self._written)
        return stored_name(Source(frame.code, frame.offset))

    def fixed(self) -> tuple[str, ...]:
        """Return the names of what all copies share."""
        return tuple(self._fixed)

    def different(self) -> tuple[str, ...]:
        """Return the names of what each copy has for itself."""
        return tuple(self._different)


def _pattern(before: str, now: str, counter: str) -> str:
    """Return what two neighbouring names have in common: `params[i]` of `params[3]['w']` and `params[4]['w']`.

    Example:
        >>> _pattern("params[3]['w']", "params[4]['w']", "i")
        'params[i]'
        >>> _pattern("w3", "w4", "i")
        'w4'
        >>> _pattern("", "", "i")
        'a value'
    """
    marks = [*zip(_NUMBER.finditer(before), _NUMBER.finditer(now), strict=False)]
    for old, new in marks:
        if old.group() != new.group() and before[: old.start()] == now[: new.start()]:
            head = now[: new.start()]
            return f"{head}{counter}]" if head.endswith("[") else now
    return now or "a value"
