from __future__ import annotations

import numpy as np
import pytest

import treadle_numpy.numpy.linalg as linalg
from treadle_ir import ArgumentError

TALL = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 7.0]])
DEFICIENT = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])


@pytest.fixture(autouse=True)
def _wide(wide: None) -> None:
    """In 64 bits."""


@pytest.mark.parametrize("a", [TALL, TALL.T, DEFICIENT, DEFICIENT.T])
def test_pseudo_inverses_satisfy_penroses_equations(a: np.ndarray) -> None:
    p = np.asarray(linalg.pinv(a))
    for left, right in ((a @ p @ a, a), (p @ a @ p, p), (a @ p, (a @ p).T), (p @ a, (p @ a).T)):
        np.testing.assert_allclose(left, right, atol=1e-12)


@pytest.mark.parametrize("a", [TALL, TALL.T, DEFICIENT])
def test_least_squares_agree_with_numpy(a: np.ndarray) -> None:
    b = np.arange(1.0, 1 + a.shape[0])
    x, _, rank, values = linalg.lstsq(a, b)
    expected, _, true_rank, true_values = np.linalg.lstsq(a, b)
    np.testing.assert_allclose(x, expected, atol=1e-12)
    np.testing.assert_allclose(values, true_values, atol=1e-12)
    assert int(rank) == true_rank


def test_ranks_by_relative_and_absolute_limits() -> None:
    a = np.diag([4.0, 2.0, 1.0])
    assert int(linalg.matrix_rank(a)) == 3
    assert int(linalg.matrix_rank(a, 0.3)) == 2
    assert int(linalg.matrix_rank(a, tol=3.0)) == 1
    assert int(linalg.matrix_rank(np.zeros(3))) == 0
    with pytest.raises(ArgumentError, match="only one of tol or rtol"):
        linalg.matrix_rank(a, 0.3, tol=3.0)


def test_condition_numbers_agree_with_numpy() -> None:
    a = np.array([[4.0, 1.0], [2.0, -3.0]])
    for p in (None, 1, -1, 2, -2, "fro", "nuc", np.inf):
        np.testing.assert_allclose(linalg.cond(a, p), np.linalg.cond(a, p), rtol=1e-12)
