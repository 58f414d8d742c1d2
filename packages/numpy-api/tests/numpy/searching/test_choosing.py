"""`choose` takes elements as NumPy's does, in all modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, DTypeError, ShapeError, UnsupportedError
from treadle_ir.errors import ConcretizationError
from treadle_numpy.numpy import choose

PARTS = st.sampled_from([(), (3,), (2, 1), (2, 3)])


@given(PARTS, st.lists(PARTS, min_size=1, max_size=4), st.sampled_from(["wrap", "clip", "raise"]))
@settings(max_examples=80, deadline=None)
def test_numpys_function_gives_the_same(
    shape: tuple[int, ...], shapes: list[tuple[int, ...]], mode: Any
) -> None:
    random = np.random.default_rng(len(shapes))
    low, high = (0, len(shapes)) if mode == "raise" else (-7, 7)
    places = random.integers(low, high, shape)
    choices = [random.normal(size=each).astype(np.float32) for each in shapes]
    expected = np.choose(places, choices, mode=mode)
    np.testing.assert_array_equal(choose(places, choices, mode=mode), expected)


def test_choices_as_one_array(staged: Callable[..., Any]) -> None:
    choices, places = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.array([1, 0, 1], np.int32)
    np.testing.assert_array_equal(choose(places, choices), [3, 1, 5])
    found = staged(lambda i, c: choose(i, c, mode="clip"), places, choices)
    np.testing.assert_array_equal(found, [3, 1, 5])
    with pytest.raises(ConcretizationError):
        staged(lambda i, c: choose(i, c), places, choices)


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="not within 0 and 1"):
        choose(2, [1, 2])
    with pytest.raises(ArgumentError, match="no choices"):
        choose(0, [])
    with pytest.raises(ArgumentError, match="mode must be"):
        choose(0, [1], mode="nonsense")
    with pytest.raises(DTypeError, match="must be integers"):
        choose(0.5, [1, 2])
    with pytest.raises(UnsupportedError, match="out"):
        choose(0, [1], np.zeros(1))  # type: ignore[arg-type]
    with pytest.raises(ShapeError):
        choose(np.zeros(2, int), [np.arange(3)])
