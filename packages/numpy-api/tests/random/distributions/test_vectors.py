"""Vectors: recorded from JAX 0.10.2, shapes, edges, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy import random

KEY = np.array([0, 0], np.uint32)  # PRNGKey(0)
CHANCES = np.array([0.2, 0.3, 0.5])


def test_recorded() -> None:
    expected = [0.91715974, 0.39274216, 0.0116535]
    np.testing.assert_allclose(np.asarray(random.ball(KEY, 3, 2, (2,)))[0], expected, rtol=1e-4)
    assert np.asarray(random.multinomial(KEY, 10, CHANCES)).tolist() == [1, 1, 8]


def test_ball() -> None:
    assert random.ball(KEY, 0).shape == (0,)
    assert random.ball(KEY, 2, shape=(0, 3)).shape == (0, 3, 2)
    assert random.ball(KEY, 2, dtype="float16").dtype == np.float16
    inside = np.asarray(random.ball(KEY, 4, 1, (50,)))
    assert (abs(inside).sum(-1) <= 1 + 1e-6).all()
    with pytest.raises((ArgumentError, ShapeError)):
        random.ball(KEY, -1)
    with pytest.raises(ArgumentError, match="float dtype"):
        random.ball(KEY, 2, dtype="int32")


def test_multinomial(staged: Callable[..., Any]) -> None:
    counts = np.asarray(random.multinomial(KEY, np.array([10, 5]), np.stack([CHANCES, [1, 0, 0]])))
    assert counts.sum(-1).tolist() == [10, 5]
    assert counts[1].tolist() == [5, 0, 0]
    np.testing.assert_array_equal(
        random.multinomial(KEY, 10, 7 * CHANCES), random.multinomial(KEY, 10, CHANCES)
    )
    for unroll in (2, True):
        np.testing.assert_array_equal(
            random.multinomial(KEY, 10, CHANCES, unroll=unroll),
            random.multinomial(KEY, 10, CHANCES),
        )
    assert random.multinomial(KEY, 10, CHANCES, shape=(4,), dtype="int32").dtype == np.int32
    assert np.isnan(random.multinomial(KEY, -1, CHANCES)).all()
    assert random.multinomial(KEY, 10, np.ones((2, 0))).shape == (2, 0)
    np.testing.assert_array_equal(
        staged(lambda key, p: random.multinomial(key, 10, p), KEY, CHANCES.astype(np.float32)),
        random.multinomial(KEY, 10, CHANCES.astype(np.float32)),
    )
    with pytest.raises(ArgumentError, match="at least one axis"):
        random.multinomial(KEY, 10, 0.5)
    for trials in (10, np.full(4, 10), np.full((2, 1), 10)):  # `shape` is the batch shape
        counts = np.asarray(random.multinomial(KEY, trials, CHANCES, shape=(2, 4)))
        assert counts.shape == (2, 4, 3)
        assert (counts.sum(-1) == 10).all()
    batch = np.stack([CHANCES, CHANCES])
    for trials, shares, shape in (
        (np.full(2, 10), CHANCES, None),  # without a shape the batch is the batch of p
        (np.full((4, 1), 10), batch, None),
        (np.full(2, 10), CHANCES, ()),
        (10, batch, (3,)),
        (10, batch, (2, 3)),
    ):
        with pytest.raises((ArgumentError, ShapeError)):
            random.multinomial(KEY, trials, shares, shape=shape)
