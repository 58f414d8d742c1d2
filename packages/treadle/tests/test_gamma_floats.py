"""Gamma floats as XLA computes them: its roundings and its subnormal numbers."""

from __future__ import annotations

import numpy as np

import treadle
import treadle.random as random


def test_all_are_positive() -> None:
    """A sample is never 0, even if XLA computes twice whether a proposal is accepted, and rounds differently."""
    _, key = random.split(random.key(0))
    assert float(random.gamma(key, 2.5, (1_000_000,)).min()) > 0


def test_derivatives_where_they_underflow() -> None:
    keys = random.split(random.key(0), 20_000)
    slope = treadle.vmap(treadle.grad(lambda a, key: random.gamma(key, a)), (None, 0))
    slopes = np.asarray(slope(0.05, keys))
    assert np.isfinite(slopes).all()
    assert abs(slopes.mean() - 1) < 0.05
