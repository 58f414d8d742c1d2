"""searchsorted and digitize by both of their ways: all comparisons for few, bisection for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_numpy.numpy import digitize, interp, searchsorted
from treadle_numpy.numpy.searching import sorted_vectors

RANDOM = np.random.default_rng(0)


@pytest.fixture(params=["few", "many"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "many":
        monkeypatch.setattr(sorted_vectors, "_FEW", -1)
    return str(request.param)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.complex64])
@pytest.mark.parametrize(("size", "shape"), [(0, (3,)), (7, (2, 3)), (50, (20,)), (9, ())])
def test_places_are_numpys(
    way: str, side: Any, dtype: Any, size: int, shape: tuple[int, ...]
) -> None:
    ordered = np.sort(RANDOM.integers(0, 20, size)).astype(dtype)
    values = np.asarray(RANDOM.integers(-2, 22, shape)).astype(dtype)
    if dtype is not np.int32 and size > 5:
        ordered[-2:] = np.nan
        values = np.where(RANDOM.random(shape) < 0.3, dtype(np.nan), values)
    found = np.asarray(searchsorted(ordered, values, side))
    np.testing.assert_array_equal(found, np.searchsorted(ordered, values, side))
    assert found.dtype == np.int32


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("step", [1, -1])
def test_bins_ascend_or_descend(way: str, right: bool, step: int) -> None:
    bins = np.array([1.0, 2.5, 4.0, 7.0], np.float32)[::step]
    x = np.array([[0.0, 1.0, 2.5], [3.0, 7.0, 9.0]], np.float32)
    np.testing.assert_array_equal(digitize(x, bins, right), np.digitize(x, bins, right))


@pytest.mark.parametrize("period", [2.0, -2.0])
def test_a_period_has_no_sign(period: float) -> None:
    x, xp, fp = (np.array(v, np.float32) for v in ([0, 1, 2.5, -3], [0, 1.5, 1], [1, 2, 3]))
    np.testing.assert_allclose(interp(x, xp, fp, period=period), np.interp(x, xp, fp, period=2.0))


@pytest.mark.parametrize("size", [2, 3, 9, 20])
def test_the_values_at_the_points_are_those_given(size: int) -> None:
    for _ in range(20):
        xp = np.sort(RANDOM.normal(size=size)).astype(np.float32)
        fp = RANDOM.normal(size=size).astype(np.float32)
        np.testing.assert_array_equal(interp(xp, xp, fp), fp)
        np.testing.assert_array_equal(interp(xp, xp, fp, right="extrapolate"), fp)
    twice = (np.array([0.0, 1.0, 1.0], np.float32), np.array([0.0, 1.0, 2.0], np.float32))
    assert interp(1.0, *twice) == np.interp(1.0, *twice)
