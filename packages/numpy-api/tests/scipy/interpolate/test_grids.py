"""Interpolation on grids is exact for what it is exact for, and says which grids it cannot take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_numpy.scipy.interpolate import RegularGridInterpolator

GRID = (np.array([0.0, 1.0, 3.0]), np.array([-1.0, 0.5, 2.0, 2.5]))
MESH = np.meshgrid(*GRID, indexing="ij")


@pytest.mark.usefixtures("wide")
@given(st.lists(st.floats(-3, 3), min_size=4, max_size=4), st.floats(-4, 6), st.floats(-4, 6))
@settings(max_examples=60, deadline=None)
def test_linear_functions_are_exact(a: list[float], x: float, y: float) -> None:
    """Also where they are extrapolated; x * y is linear along each axis."""
    values = a[0] + a[1] * MESH[0] + a[2] * MESH[1] + a[3] * MESH[0] * MESH[1]
    found = RegularGridInterpolator(GRID, values, fill_value=None)(np.array([x, y]))
    np.testing.assert_allclose(found, a[0] + a[1] * x + a[2] * y + a[3] * x * y, atol=1e-9)


@pytest.mark.usefixtures("wide")
@given(st.floats(0, 3), st.floats(-1, 2.5))
@settings(max_examples=60, deadline=None)
def test_nearest(x: float, y: float) -> None:
    values = np.arange(12.0).reshape(3, 4)
    places = [np.abs(each - v) for each, v in zip(GRID, (x, y), strict=True)]
    ties = [np.flatnonzero(np.isclose(d, d.min(), atol=1e-12)) for d in places]
    found = float(RegularGridInterpolator(GRID, values, "nearest")(np.array([x, y]))[()])
    assert found in values[np.ix_(*ties)]


@pytest.mark.usefixtures("wide")
def test_outside_nan_and_further_axes(staged: Callable[..., Any]) -> None:
    values = np.stack([MESH[0], MESH[1]], axis=-1)
    inside, outside, nothing = [0.5, 0.0], [3.5, 0.0], [np.nan, 0.0]
    found = RegularGridInterpolator(GRID, values)(np.array([[inside, outside], [nothing, inside]]))
    nothing_there = [np.nan, np.nan]
    expected = [[inside, nothing_there], [nothing_there, inside]]
    np.testing.assert_allclose(found, expected, atol=1e-15)
    filled = RegularGridInterpolator(GRID, values, fill_value=-1.0)
    np.testing.assert_allclose(
        staged(filled, np.array([inside, outside])), [inside, [-1.0, -1.0]], atol=1e-15
    )
    np.testing.assert_allclose(
        filled((np.array([0.5, 1.0]), np.array([0.0]))), [[0.5, 0.0], [1.0, 0.0]], atol=1e-15
    )
    assert filled(np.zeros((0, 2))).shape == (0, 2)


def test_refused() -> None:
    values = np.ones((3, 4))
    for points, grid_values, said in (
        (GRID, values[:2], "3 points along axis 0, but 2 values"),
        (GRID, values[0], "2 axes of points"),
        ((GRID[0][:1], GRID[1]), values, "two real numbers or more"),
    ):
        with pytest.raises(ShapeError, match=said):
            RegularGridInterpolator(points, grid_values)
    with pytest.raises(ArgumentError, match="ascend strictly"):
        RegularGridInterpolator((GRID[0][::-1], GRID[1]), values)
    with pytest.raises(UnsupportedError, match="'cubic'"):
        RegularGridInterpolator(GRID, values, "cubic")
    with pytest.raises(UnsupportedError, match="bounds_error"):
        RegularGridInterpolator(GRID, values, bounds_error=True)
    with pytest.raises(ArgumentError, match="fill_value"):
        RegularGridInterpolator(GRID, values, fill_value=1j)
    with pytest.raises(ShapeError, match="2 coordinates"):
        RegularGridInterpolator(GRID, values)(np.ones(3))
