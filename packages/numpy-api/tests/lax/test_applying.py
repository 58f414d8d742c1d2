"""A function applied at places, as often as they are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.lax import ScatterDimensionNumbers, scatter_apply

NUMBERS = ScatterDimensionNumbers((), (0,), (0,))


def test_repeated_places(staged: Any) -> None:
    x, places = np.array([2.0, 3.0, 5.0], np.float32), np.array([[1], [1], [2], [7]])

    def run(values: Any) -> Any:
        return scatter_apply(values, places, lambda y: y * y, NUMBERS, update_shape=(4,))

    np.testing.assert_array_equal(run(x), [2, 81, 25])
    np.testing.assert_array_equal(staged(run, x), [2, 81, 25])


def test_unique_places() -> None:
    x, places = np.array([2.0, 3.0, 5.0], np.float32), np.array([[1], [2]])
    found = scatter_apply(
        x, places, lambda y: y * y, NUMBERS, update_shape=(2,), unique_indices=True
    )
    np.testing.assert_array_equal(found, [2, 9, 25])


def test_errors() -> None:
    x, places = np.ones(3, np.float32), np.array([[1]])
    with pytest.raises(ShapeError, match=r"func returned the shape \(1,\) for an array of shape"):
        scatter_apply(x, places, lambda y: y[:1], NUMBERS, update_shape=(1,))
    with pytest.raises(ArgumentError, match="func must be a function"):
        scatter_apply(x, places, 2.0, NUMBERS, update_shape=(1,))  # type: ignore[arg-type]
