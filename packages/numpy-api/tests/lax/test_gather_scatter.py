"""Taking slices at vectors of positions, and subtracting at places."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_ir.errors import AxisError
from treadle_numpy.lax import ScatterDimensionNumbers, index_take, scatter_sub

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


def test_index_take() -> None:
    i, j = np.array([1, 0, 1]), np.array([2, 0, 1])
    np.testing.assert_array_equal(index_take(X, (i,), (0,)), X[i])
    np.testing.assert_array_equal(index_take(X, (i, j), (0, 1)), X[i, j])
    np.testing.assert_array_equal(index_take(X, (j, i), (2, 0)), X[i, :, j])
    np.testing.assert_array_equal(
        index_take(X, (np.array([9, -5]),), (1,)), X[:, [2, 0]].swapaxes(0, 1)
    )
    with pytest.raises(AxisError, match="index_take: axis 3 is out of bounds"):
        index_take(X, (i,), (3,))
    for vectors, axes in [((i,), (0, 1)), ((i, j[:2]), (0, 1)), ((), ()), ((i[None],), (0,))]:
        with pytest.raises(ArgumentError, match="must be one vector of one length"):
            index_take(X, vectors, axes)


def test_scatter_sub() -> None:
    numbers = ScatterDimensionNumbers((1, 2), (0,), (0,))
    places, updates = np.array([[1], [1]]), np.ones((2, 3, 4), np.float32)
    expected = X.copy()
    np.subtract.at(expected, [1, 1], updates)
    np.testing.assert_array_equal(scatter_sub(X, places, updates, numbers), expected)
