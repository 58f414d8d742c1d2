"""Tandem repeats: what is found, and how the time grows."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir.analysis import Repeat, repeats


@pytest.mark.parametrize("period", [1, 2, 7, 40])
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("after", [0, 5])
def test_copies_between_other_elements(period: int, before: int, after: int) -> None:
    sequence = [*range(900, 900 + before), *[*range(period)] * 30, *range(800, 800 + after)]
    assert repeats(sequence) == (Repeat(before, period, 30),)


def test_an_inner_loop_is_a_part_of_the_outer_one() -> None:
    outer = [*[1, 2] * 5, 3, 4]
    assert repeats(outer * 20) == (Repeat(0, len(outer), 20),)


def test_two_repeats_the_longest_first() -> None:
    found = repeats([*[1, 2] * 20, 5, *[3, 4, 6] * 20])
    assert found == (Repeat(41, 3, 20), Repeat(0, 2, 20))


def test_few_copies_and_short_repeats_are_not_found() -> None:
    assert repeats([*range(50)] * 3) == ()
    assert repeats([1, 2] * 5) == ()
    assert repeats([1, 2] * 5, length=10) == (Repeat(0, 2, 5),)
    assert repeats([]) == ()


@settings(deadline=None)
@given(st.lists(st.integers(0, 2), max_size=120))
def test_what_is_found_is_a_repeat(sequence: list[int]) -> None:
    found = repeats(sequence, length=8)
    for each in found:
        part = sequence[each.start : each.end]
        assert part == part[: each.period] * each.copies
        assert each.copies >= 4
        assert each.length >= 8
    assert not any([x.meets(y) for x in found for y in found if x is not y])


def test_the_periods_that_are_looked_at_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is linear in the length: each period costs one comparison of the sequence with itself."""
    import treadle_ir.analysis.tandem_repeats as module  # noqa: PLC0415 - to count its calls

    looked: list[int] = []
    plain = module._with_period

    def counted(values: Any, period: int, copies: int) -> list[Repeat]:  # Any: a NumPy array
        looked.append(period)
        return plain(values, period, copies)

    monkeypatch.setattr(module, "_with_period", counted)
    chosen = random.Random(0)
    for size in (1_000, 20_000):
        looked.clear()
        repeats([chosen.randrange(40) for _ in range(size)])
        assert 0 < len(looked) <= 24
