"""Tandem repeats: runs of equal blocks in a sequence, which unrolled loops leave in a program.

The search is greedy from the front. A position is the start of a run with period p if the item there comes again after
p positions; the nearest occurrences are tried as periods, and the run that covers most is taken. How far the sequence
agrees with itself at a distance is found once for each distance, so that the work is linear in the length of the
sequence times the number of occurrences that are tried.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple, final

from treadle_ir.core.equality import Numbering
from treadle_ir.core.program import Equation, Program

LEAST_COPIES: Final = 4
LEAST_ITEMS: Final = 24
_MOST_TRIED: Final = 12  # occurrences of an item that are tried as the start of the second block


@final
class Repeat(NamedTuple):
    """A run of equal blocks: `copies` blocks of `period` items, from item `start` on."""

    start: int
    period: int
    copies: int

    @property
    def end(self) -> int:
        """The first item after the run."""
        return self.start + self.period * self.copies


def tandem_repeats(
    items: Sequence[Hashable], copies: int = LEAST_COPIES, covered: int = LEAST_ITEMS
) -> list[Repeat]:
    """Return runs of equal blocks, which do not overlap, from the front.

    Args:
        items: the sequence.
        copies: the least number of blocks in a run.
        covered: the least number of items in a run.

    Example:
        >>> tandem_repeats("xabababab-", copies=3, covered=6)
        [Repeat(start=1, period=2, copies=4)]
    """
    following = _next_occurrences(items)
    agrees_until: dict[
        int, int
    ] = {}  # by distance: the first item that differs, of the last search
    found: list[Repeat] = []
    start, length = 0, len(items)
    while start < length:
        best: Repeat | None = None
        second = following[start]
        for _ in range(_MOST_TRIED):
            if second == length or (second - start) * copies > length - start:
                break
            period = second - start
            end = max(agrees_until.get(period, 0), second)
            while end < length and items[end] == items[end - period]:
                end += 1
            agrees_until[period] = end
            run = Repeat(start, period, (end - start) // period)
            is_long = run.copies >= copies and run.end - start >= covered
            if is_long and (best is None or run.end > best.end):
                best = run
            second = following[second]
        if best is None:
            start += 1
        else:
            found.append(best)
            start = best.end
    return found


def _next_occurrences(items: Sequence[Hashable]) -> list[int]:
    """Return the place of the next equal item for each; the length of the sequence if there is none."""
    following = [len(items)] * len(items)
    last: dict[Hashable, int] = {}
    for place in reversed(range(len(items))):
        following[place] = last.get(items[place], len(items))
        last[items[place]] = place
    return following


def numbered_equations(program: Program) -> list[int]:
    """Return a number for each equation: equal for equal operations on operands of equal types.

    Which values the operands are does not matter, and nested programs count by their structure.

    Args:
        program: the program, of which only the equations at the top are numbered.
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

    return [numbers.setdefault(key(each), len(numbers)) for each in program.equations]
