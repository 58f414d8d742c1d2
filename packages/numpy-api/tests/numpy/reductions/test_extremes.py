"""`minmax` is both extremes, with a start for each."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy.numpy import minmax


def test_both_extremes() -> None:
    x = np.array([[3.0, -1.0], [2.0, 7.0]], np.float32)
    for axis in (None, 0, (0, 1)):
        low, high = minmax(x, axis, keepdims=True)
        np.testing.assert_array_equal(low, x.min(axis, keepdims=True))
        np.testing.assert_array_equal(high, x.max(axis, keepdims=True))
    assert [float(each) for each in minmax(x, initial=0)] == [-1, 7]
    assert [float(each) for each in minmax(x, initial=(-5, 9), where=x > 2)] == [-5, 9]


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="a pair"):
        minmax(np.ones(2), initial=(1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="identity"):
        minmax(np.ones(0))
