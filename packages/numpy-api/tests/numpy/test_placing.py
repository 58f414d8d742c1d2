"""Diagonals are filled, and values put, as NumPy does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_numpy.numpy import fill_diagonal, put


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (0, 3), (3, 3, 3), (1, 1)])
@pytest.mark.parametrize("values", [5, [1, 2], [[1, 2], [3, 4]]])
def test_numpys_function_gives_the_same(
    staged: Callable[..., Any], shape: tuple[int, ...], values: Any
) -> None:
    x, new = np.zeros(shape, np.float32), np.asarray(values, np.float32)
    expected = x.copy()
    if x.size:
        np.fill_diagonal(expected, new)
    found = staged(lambda a, v: fill_diagonal(a, v, inplace=False), x, new)
    np.testing.assert_array_equal(found, expected)


def test_refused() -> None:
    x = np.zeros((2, 2))
    with pytest.raises(ArgumentError, match="in place"):
        fill_diagonal(x, 1)
    with pytest.raises(UnsupportedError, match="wrap"):
        fill_diagonal(x, 1, True, inplace=False)
    with pytest.raises(ArgumentError, match="no values"):
        fill_diagonal(x, np.zeros(0), inplace=False)
    for shape in ((3,), (2, 2, 3)):
        with pytest.raises(ShapeError):
            fill_diagonal(np.zeros(shape), 1, inplace=False)


@pytest.mark.parametrize("mode", [None, "clip", "wrap"])
def test_put_out_of_range(staged: Callable[..., Any], mode: str | None) -> None:
    """Positions are clipped by default: a program cannot raise as NumPy does."""
    x, places = np.zeros(3, np.float32), np.array([0, 8])
    expected = x.copy()
    np.put(expected, places, 5, mode="wrap" if mode == "wrap" else "clip")
    found = staged(lambda a: put(a, places, 5, mode=mode, inplace=False), x)
    np.testing.assert_array_equal(found, expected)
