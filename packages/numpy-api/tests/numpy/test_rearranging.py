"""Elements moved along axes by shifts that are vectors, known or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_numpy import numpy as tnp

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8"])
@pytest.mark.parametrize(
    ("shift", "axis"), [([1, 2], (0, 1)), ([1, 2], 0), ([4, 1], None), ([2], (0, 1)), ([], ())]
)
def test_vectors_of_shifts(
    shift: list[int], axis: int | tuple[int, ...] | None, dtype: str, staged: Callable[..., Any]
) -> None:
    by = np.array(shift, dtype)
    expected = np.roll(X, tuple(shift), axis)
    np.testing.assert_array_equal(tnp.roll(X, by, axis), expected)
    np.testing.assert_array_equal(staged(lambda s: tnp.roll(X, s, axis), by), expected)


@pytest.mark.parametrize("shift", [np.array([[1, 2]]), np.array([1.0, 2.0]), np.array([1, 2, 3])])
def test_shifts_that_are_no_vector_of_integers_for_the_axes(shift: np.ndarray) -> None:
    with pytest.raises(ArgumentError, match="roll"):
        tnp.roll(X, shift, (0, 1))


def test_axes_may_be_an_array(staged: Callable[..., Any]) -> None:
    order: Any = np.array([1, 0])
    places: Any = np.array([0, 2])
    one: Any = np.array(1)
    np.testing.assert_array_equal(staged(lambda x: x.transpose(order), X), X.T)
    np.testing.assert_array_equal(staged(lambda x: x.transpose(None), X), X.T)
    assert tnp.expand_dims(X, places).shape == np.expand_dims(X, (0, 2)).shape
    assert tnp.expand_dims(X, one).shape == (2, 1, 3)
