"""Ranges of numbers whose limits are exact."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_autodiff import jvp
from treadle_numpy import numpy as tnp


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
def test_the_limits_of_geometric_progressions_are_exact(
    endpoint: bool, axis: int, num: int
) -> None:
    start, stop = np.array([2.0, 3.0, -5.0], np.float32), np.array([1e3, 7e-9, -3.3], np.float32)
    found = np.asarray(tnp.geomspace(start, stop, num, endpoint, axis=axis))
    expected = np.geomspace(start, stop, num, endpoint, axis=axis)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    if num:
        np.testing.assert_array_equal(np.take(found, 0, axis), start)
    if endpoint and num > 1:
        np.testing.assert_array_equal(np.take(found, num - 1, axis), stop)


@pytest.mark.parametrize("stop", [np.inf, np.nan, -3.0])
def test_limits_that_no_progression_joins_stay(stop: float) -> None:
    with np.errstate(invalid="ignore"):
        found = np.asarray(tnp.geomspace(np.float32(1), np.float32(stop), 3))
        np.testing.assert_array_equal(found, np.geomspace(1.0, stop, 3))


def test_slopes_at_the_limits_of_geometric_progressions() -> None:
    limits = np.float32(2), np.float32(50)
    _, slopes = jvp(lambda a, b: tnp.geomspace(a, b, 3), limits, (np.float32(1), np.float32(0)))
    np.testing.assert_allclose(slopes, [1, 2.5, 0], rtol=1e-5)  # of sqrt(a b): sqrt(b / a) / 2
