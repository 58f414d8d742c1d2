"""Operands of derived calls, loops and branches: which have tangents, and primals and tangents in common groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

from treadle_autodiff.tangents import Tangents, Zero
from treadle_ir import type_of
from treadle_ir.core import Flags, Groups, float0

G = TypeVar("G", bound=Groups[Any])
Grouping: TypeAlias = Callable[[Sequence[Any]], G]
"""Divides a list with an item for each operand, or for each result, into groups."""


def nonzero_flags(tangents: Tangents) -> Flags:
    """Return which tangents have data: integers' have none."""
    return tuple(
        [not isinstance(tangent, Zero) and type_of(tangent).dtype != float0 for tangent in tangents]
    )


def those(items: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    """Return the items whose flags are set."""
    return [item for item, flag in zip(items, flags, strict=True) if flag]


def dual_groups(
    first: G,
    groups: Grouping[G],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    nonzero: Sequence[bool],
) -> G:
    """Return the operands, or the results, of a derived loop.

    Each group has what `first` has, then primals, then the tangents that are nonzero.
    """
    return first.joined(groups(primals), groups(tangents).where(groups(nonzero)))


def dual_places(first: G, groups: Grouping[G], nonzero: Sequence[bool]) -> G:
    """Return the places of `dual_groups` in the lists of a jvp program, in which all tangents follow the primals.

    The primals follow the items of `first`.
    """
    start = sum(map(len, first))
    end = start + len(nonzero)
    return dual_groups(first, groups, range(start, end), tangent_places(nonzero, end), nonzero)


def tangent_places(nonzero: Sequence[bool], first: int) -> list[int]:
    """Return the place of each tangent in a list of nonzero tangents that begins at place `first`; any for zeros."""
    return [*accumulate(nonzero, initial=first)][:-1]


def filled(flags: Sequence[bool], marks: Sequence[bool]) -> Flags:
    """Return the next of `marks` at each place that is flagged, and False at the others."""
    following = iter(marks)
    return tuple([flag and next(following) for flag in flags])
