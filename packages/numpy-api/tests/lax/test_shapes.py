"""Broadcasting to another array's shape and to a number of axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.lax import broadcast_like, broadcast_to_rank, shape_as_value

X = np.arange(3.0, dtype=np.float32)


def test_broadcast_like() -> None:
    other: Any
    for other in (np.zeros((2, 3)), X, np.zeros((4, 1, 3))):
        np.testing.assert_array_equal(broadcast_like(X, other), np.broadcast_to(X, other.shape))
    np.testing.assert_array_equal(broadcast_like(X[:, None], np.zeros((3, 2))), np.stack([X, X], 1))
    assert broadcast_like(2.0, X).shape == (3,)
    for other in (np.zeros((2, 4)), np.zeros((2, 1)), 1.0):
        with pytest.raises(ShapeError):
            broadcast_like(X, other)


def test_broadcast_to_rank() -> None:
    assert broadcast_to_rank(X, 3).shape == (1, 1, 3)
    assert broadcast_to_rank(X, 0).shape == (3,)
    with pytest.raises(ArgumentError, match="broadcast_to_rank: rank must be an integer"):
        broadcast_to_rank(X, 2.0)  # type: ignore[arg-type]


def test_shape_as_value() -> None:
    found = shape_as_value((2, 3))
    assert found.dtype == np.int32
    assert found.tolist() == [2, 3]
    assert shape_as_value(()).shape == (0,)
