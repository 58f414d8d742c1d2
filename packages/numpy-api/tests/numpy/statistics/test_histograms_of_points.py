"""Histograms of points are NumPy's: by number of bins and by edges, with ranges, weights and densities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.numpy import histogram2d, histogramdd

EDGES = np.array([-1.0, 0.0, 0.5, 2.0])
BINS = st.integers(1, 4) | st.just(EDGES)


@pytest.mark.usefixtures("wide")
@given(
    d=st.integers(1, 3),
    count=st.integers(1, 30),
    data=st.data(),
    weighted=st.booleans(),
    density=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_numpys_function_gives_the_same(
    d: int, count: int, data: st.DataObject, weighted: bool, density: bool
) -> None:
    random = np.random.default_rng(count)
    points = random.normal(size=(count, d))
    points[-1] = 0.5  # on an edge
    points[0] = 0.25  # within all edges: densities have a sum to be divided by
    bins = data.draw(st.integers(1, 4) | st.tuples(*[BINS] * d).map(list))
    limits = st.just((-1.0, 1.5))
    within = data.draw(st.none() | st.tuples(*[st.none() | limits] * d).map(list))
    weights = random.uniform(1, 2, size=count) if weighted else None
    found, edges = histogramdd(points, bins, within, weights, density)
    expected, borders = np.histogramdd(points, bins, within, density, weights)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)
    for one, other in zip(edges, borders, strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("bins", [3, (2, 3), EDGES, [2, EDGES], [EDGES, EDGES]])
def test_in_two_dimensions(staged: Callable[..., Any], bins: Any) -> None:
    random = np.random.default_rng(3)
    x, y = random.normal(size=(2, 20)).astype(np.float32)
    for found, expected in zip(histogram2d(x, y, bins), np.histogram2d(x, y, bins), strict=True):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)
    counts = staged(lambda a, b: histogram2d(a, b, bins)[0], x, y)
    np.testing.assert_array_equal(counts, np.histogram2d(x, y, bins)[0])


def test_refused() -> None:
    x = np.arange(4.0)
    with pytest.raises(ShapeError, match="vectors of one size"):
        histogram2d(x, x[:3])
    with pytest.raises(ShapeError, match="points, coordinates"):
        histogramdd(x)
    with pytest.raises(ArgumentError, match="one item for each of 1"):
        histogramdd(x[:, None], [2, 3])
    with pytest.raises(ArgumentError, match="range"):
        histogram2d(x, x, 2, [(0, 1)])
    with pytest.raises(ShapeError, match="one weight for each point"):
        histogram2d(x, x, 2, weights=x[:2])
    with pytest.raises(ArgumentError, match="one bin or more"):
        histogram2d(x, x, 0)
