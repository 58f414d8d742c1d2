"""Broadcasting to another array's shape and to a number of axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.lax import broadcast_like, broadcast_shapes, broadcast_to_rank, shape_as_value

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


SHAPES: list[Any] = [
    (),
    (1,),
    (3,),
    (0,),
    (2, 1),
    (1, 3),
    (2, 3),
    (0, 1),
    (4, 1, 3),
    [2, 3],
    (np.int64(2), 3),
]


@pytest.mark.parametrize("first", SHAPES, ids=str)
def test_two_shapes_are_joined_as_by_numpy(first: Any) -> None:
    for second in SHAPES:
        try:
            expected = np.broadcast_shapes(tuple(first), tuple(second))
        except ValueError:
            with pytest.raises(ShapeError, match="ncompatible shapes"):
                broadcast_shapes(first, second)
        else:
            found = broadcast_shapes(first, second)
            assert found == expected
            assert {type(size) for size in found} <= {int}


def test_sizes_of_two_shapes_are_looked_at() -> None:
    assert [type(size) for size in broadcast_shapes((2, True), (2, 1))] == [int, int]
    assert broadcast_shapes((1 << 40,), (1,)) == (1 << 40,)
    for shape in ((2, -1), (-1, 1), (1 << 40, 1 << 40)):
        with pytest.raises(ShapeError):
            broadcast_shapes(shape, (1, 1))
    with pytest.raises(ArgumentError):
        broadcast_shapes((2, 2.0), (2, 1))  # type: ignore[arg-type]
