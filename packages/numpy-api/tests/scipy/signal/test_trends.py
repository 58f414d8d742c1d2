"""What is left without a trend is orthogonal to lines, and lines leave nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError
from treadle_ir.errors import AxisError
from treadle_numpy.scipy.signal import detrend


@pytest.mark.usefixtures("wide")
@given(st.integers(1, 9), st.lists(st.integers(0, 8), max_size=2), st.integers(-2, 1))
@settings(max_examples=50, deadline=None)
def test_lines(n: int, bp: list[int], axis: int) -> None:
    bp = [each for each in bp if each < n]
    shape = (n, 2) if axis in (0, -2) else (2, n)
    x = np.random.default_rng(n).normal(size=shape)
    found = np.moveaxis(np.asarray(detrend(x, axis, bp=bp)), axis, 0)
    borders = sorted({0, n, *bp})
    for start, stop in pairwise(borders):
        part = np.moveaxis(x, axis, 0)[start:stop]
        places = np.arange(stop - start)
        degree = min(1, stop - start - 1)
        line = np.stack(
            [np.polyval(np.polyfit(places, each, degree), places) for each in part.T], 1
        )
        np.testing.assert_allclose(found[start:stop], part - line, atol=1e-10)


def test_means(staged: Callable[..., Any]) -> None:
    x = np.array([1.0, 2.0, 6.0], np.float32)
    np.testing.assert_array_equal(staged(lambda a: detrend(a, type="constant"), x), [-2, -1, 3])
    assert detrend(np.arange(4)).dtype == np.float32
    assert detrend(np.zeros((2, 0))).shape == (2, 0)


def test_refused() -> None:
    x = np.arange(4.0)
    for more, said in (({"type": "curved"}, "type must be"), ({"bp": 4}, "breakpoints")):
        with pytest.raises(ArgumentError, match=said):
            detrend(x, **more)
    with pytest.raises(AxisError):
        detrend(x, 1)
