"""Elimination and substitution of a few rows, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from treadle_ir.reference.few_rows import are_few, eliminated, substituted, tridiagonal_solved

NUMBERS = st.floats(-10, 10, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3)


@given(st.data())
def test_the_factors_multiply_to_the_rows_permuted(data: Any) -> None:
    m, n = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    a = data.draw(arrays(np.float64, (m, n), elements=NUMBERS))
    lu, pivots, permutation = eliminated(a)
    k = min(m, n)
    lower = np.tril(lu[:, :k], -1) + np.eye(m, k)
    np.testing.assert_allclose(lower @ np.triu(lu[:k]), a[permutation], atol=1e-10)
    assert np.abs(lower).max() <= 1 + 1e-12  # pivoted
    order = np.arange(m)
    for i, pivot in enumerate(pivots):
        order[[i, pivot]] = order[[pivot, i]]
    np.testing.assert_array_equal(order, permutation)
    assert permutation.dtype == pivots.dtype == np.int32


@given(st.data())
def test_substitution_solves(data: Any) -> None:
    n, k = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    a = data.draw(arrays(np.float64, (n, n), elements=NUMBERS))
    b = data.draw(arrays(np.float64, (n, k), elements=NUMBERS))
    for lower in (True, False):
        for unit in (True, False):
            triangle = np.tril(a, -1) if lower else np.triu(a, 1)
            diagonal = np.ones(n) if unit else np.where(np.abs(np.diag(a)) < 1, 1, np.diag(a))
            given = a.copy()
            np.fill_diagonal(given, diagonal)
            x = substituted(given, b, lower=lower, unit_diagonal=unit)
            assert np.isfinite(x).all()
            scale = np.abs(triangle).sum() * np.abs(x).max() + np.abs(b).max() + 1
            np.testing.assert_allclose((triangle + np.diag(diagonal)) @ x, b, atol=1e-12 * scale)


@given(st.data())
def test_tridiagonal_systems_are_solved(data: Any) -> None:
    n, k = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    lower, diagonal, upper = data.draw(arrays(np.float64, (3, n), elements=NUMBERS))
    b = data.draw(arrays(np.float64, (n, k), elements=NUMBERS))
    a = np.diag(diagonal) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1)
    if np.linalg.cond(a) > 1e6:
        return
    np.testing.assert_allclose(a @ tridiagonal_solved(lower, diagonal, upper, b), b, atol=1e-6)


def test_a_singular_tridiagonal_system_has_no_solution() -> None:
    zeros = np.zeros(2)
    assert np.isnan(tridiagonal_solved(zeros, np.array([1.0, 0.0]), zeros, np.ones((2, 1)))).all()


def test_a_zero_on_the_diagonal_divides_as_ieee_754_says() -> None:
    b = np.array([[1.0, -1.0, 0.0, np.nan]])
    for zero, expected in ((0.0, [np.inf, -np.inf]), (-0.0, [-np.inf, np.inf])):
        x = substituted(np.array([[zero]]), b, lower=True, unit_diagonal=False)
        np.testing.assert_array_equal(x, [[*expected, np.nan, np.nan]])


def test_the_first_nan_is_the_pivot() -> None:
    assert eliminated(np.array([[1.0], [np.nan], [3.0]]))[1].tolist() == [1]


@pytest.mark.parametrize(
    ("shape", "dtype", "few"),
    [
        ((3, 3), "f4", True),
        ((9, 9), "f4", False),
        ((2, 3, 3), "f4", False),
        ((3, 3), "c8", False),
        ((0, 0), "f8", False),
    ],
)
def test_which_are_few(shape: Any, dtype: str, few: bool) -> None:
    assert are_few(np.zeros(shape, dtype)) is few
