"""Sampled products against all of them."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.experimental import sparse

DRAW = np.random.default_rng(5)


def test_elements_of_products() -> None:
    x, y = DRAW.normal(size=(4, 6)), DRAW.normal(size=(6, 5))
    at = np.array([[0, 0], [3, 4], [2, 1], [9, 0]])
    numbers = (((1,), (0,)), ((), ()))
    found = sparse.bcoo_dot_general_sampled(x, y, at, dimension_numbers=numbers)
    product = x @ y
    expected = [product[0, 0], product[3, 4], product[2, 1], 0.0]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    slope = treadle.grad(
        lambda x: sparse.bcoo_dot_general_sampled(x, y, at[:3], dimension_numbers=numbers).sum()
    )(tnp.asarray(x))
    rows = np.zeros((4, 6))
    rows[0], rows[3], rows[2] = y[:, 0], y[:, 4], y[:, 1]
    np.testing.assert_allclose(slope, rows, rtol=1e-5)


def test_batches_and_other_axes() -> None:
    x, y = DRAW.normal(size=(2, 3, 4)), DRAW.normal(size=(4, 2, 5))
    at = DRAW.integers(0, 3, (2, 7, 2))
    numbers = (((2,), (0,)), ((0,), (1,)))
    found = sparse.bcoo_dot_general_sampled(x, y, at, dimension_numbers=numbers)
    product = np.einsum("bik,kbj->bij", x, y)
    expected = [[product[b, i, j] for i, j in at[b]] for b in range(2)]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    whole = sparse.bcoo_dot_general_sampled(
        x, x, np.zeros((1, 0), int), dimension_numbers=(((0, 1, 2), (0, 1, 2)), ((), ()))
    )
    np.testing.assert_allclose(whole, [(x * x).sum()], rtol=1e-5)


def test_mistakes() -> None:
    x = np.ones((2, 3))
    numbers = (((1,), (0,)), ((), ()))
    with pytest.raises(ArgumentError, match="not integers of shape"):
        sparse.bcoo_dot_general_sampled(x, x.T, np.zeros((2, 3), int), dimension_numbers=numbers)
    with pytest.raises(ArgumentError, match="different sizes"):
        sparse.bcoo_dot_general_sampled(x, x, np.zeros((2, 2), int), dimension_numbers=numbers)
