"""Positions that a mask function leaves are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.numpy import mask_indices, ones, tril, triu


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("k", [-1, 0, 2])
def test_numpys_function_gives_the_same(n: int, k: int) -> None:
    for ours, numpys in ((triu, np.triu), (tril, np.tril)):
        for found, expected in zip(
            mask_indices(n, ours, k), np.mask_indices(n, numpys, k), strict=True
        ):
            np.testing.assert_array_equal(found, expected)


def test_of_known_size() -> None:
    rows, columns = mask_indices(2, triu, size=5)
    np.testing.assert_array_equal(rows, [0, 0, 1, 0, 0])
    np.testing.assert_array_equal(columns, [0, 1, 1, 0, 0])


def test_refused() -> None:
    with pytest.raises(ArgumentError, match="a function"):
        mask_indices(3, 3)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="a matrix"):
        mask_indices(3, lambda x, k: ones(3))
