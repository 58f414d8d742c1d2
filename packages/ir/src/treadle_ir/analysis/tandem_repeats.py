"""Tandem repeats: parts of a sequence that are several equal copies in a row, as an unrolled loop leaves them.

The time is linear in the length, times the number of periods that are looked at, which is bounded; a sort is the rest.
An element that occurs once in each copy has occurrences at a constant distance, the period, and so only distances that
two neighbouring pairs of occurrences share can be periods.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, final

import numpy as np

from treadle_ir.core.equality import Numbering
from treadle_ir.core.program import Equation
from treadle_ir.process.frozen_classes import frozen

LEAST_COPIES: Final = 4
LEAST_LENGTH: Final = 24
_PERIODS: Final = 24  # at most, those that may cover most of the sequence

_Integers = np.ndarray[Any, np.dtype[np.int64]]


@final
@frozen
class Repeat:
    """Equal copies in a row, in a sequence.

    Attributes:
        start: the index of the first element.
        period: the length of one copy.
        copies: the number of copies.
    """

    start: int
    period: int
    copies: int

    @property
    def length(self) -> int:
        """The number of elements in all copies together."""
        return self.period * self.copies

    @property
    def end(self) -> int:
        """The index after the last element."""
        return self.start + self.length

    def holds(self, other: Repeat) -> bool:
        """Return whether the elements of another repeat are among the elements of this one."""
        return self.start <= other.start and other.end <= self.end

    def meets(self, other: Repeat) -> bool:
        """Return whether they have an element in common."""
        return self.start < other.end and other.start < self.end


def repeats(
    sequence: Sequence[int], copies: int = LEAST_COPIES, length: int = LEAST_LENGTH
) -> tuple[Repeat, ...]:
    """Return the repeats of a sequence that do not overlap, the longest first.

    Args:
        sequence: small integers; equal integers stand for equal elements.
        copies: the least number of copies.
        length: the least length of all copies together.

    Example:
        >>> repeats([7, *[1, 2, 3] * 10, 8])
        (Repeat(start=1, period=3, copies=10),)
        >>> repeats([*[1, 1, 1, 2] * 10])
        (Repeat(start=0, period=4, copies=10),)
        >>> repeats(range(100))
        ()
    """
    values = np.asarray(sequence, np.int64)
    found = [
        each
        for period in _periods(values)
        for each in _with_period(values, period, copies)
        if each.length >= length
    ]
    found.sort(key=lambda each: (-each.length, each.period))
    kept: list[Repeat] = []
    for each in found:
        if not any([each.meets(other) for other in kept]):
            kept.append(each)
    return tuple(kept)


def _periods(values: _Integers) -> list[int]:
    """Return the distances that may be periods, those first that may cover most of the sequence."""
    order = np.argsort(values, kind="stable")  # the occurrences of each element, in order
    distances = np.diff(order)
    distances[np.diff(values[order]) != 0] = (
        0  # between the last occurrence of an element and the first of another
    )
    steady = distances[1:][(distances[1:] == distances[:-1]) & (distances[1:] > 0)]
    periods, counts = np.unique(steady, return_counts=True)
    chosen = np.argsort(-counts * periods, kind="stable")[:_PERIODS]
    return [int(each) for each in periods[chosen]]


def _with_period(values: _Integers, period: int, copies: int) -> list[Repeat]:
    """Return the longest repeats with a period."""
    same = np.concatenate(([False], values[period:] == values[:-period], [False]))
    starts, stops = np.flatnonzero(same[1:] & ~same[:-1]), np.flatnonzero(same[:-1] & ~same[1:])
    counts = (stops - starts) // period + 1
    return [
        Repeat(int(start), period, int(count))
        for start, count in zip(starts, counts, strict=True)
        if count >= copies
    ]


def numbered_equations(equations: Sequence[Equation]) -> list[int]:
    """Return a number for each equation: equal for equal operations on operands of equal types.

    Which values the operands are does not matter, and nested programs count by their structure.

    Args:
        equations: the equations of a program, or a part of them.
    """
    numbering = Numbering()
    numbers: dict[Hashable, int] = {}
    keys: dict[int, Hashable] = {}  # by the id of a primitive: many equations share one

    def key(equation: Equation) -> Hashable:
        primitive = equation.primitive
        known = keys.get(id(primitive))
        if known is None:
            known = keys[id(primitive)] = type(primitive), numbering.primitive_key(primitive)
        operands = tuple([operand.type for operand in equation.operands])
        return known, operands, tuple([result.type for result in equation.results])

    return [numbers.setdefault(key(each), len(numbers)) for each in equations]
