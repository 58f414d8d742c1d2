from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy.linalg as linalg
from treadle_autodiff import grad
from treadle_ir import ShapeError

A = np.array([[4.0, 1.0, 0.5], [0.5, -3.0, 0.25], [1.0, -0.5, 2.0]])
B = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]])


@pytest.fixture(autouse=True)
def _wide(wide: None) -> None:
    """In 64 bits."""


@pytest.mark.parametrize("b", [B[:, 0], B, np.stack([B, 2 * B])], ids=["vector", "matrix", "batch"])
@pytest.mark.parametrize("a", [A, np.stack([A, A.T])], ids=["one", "two"])
def test_solve_agrees_with_numpy(a: Any, b: Any, staged: Callable[..., Any]) -> None:
    expected = np.linalg.solve(a, b)
    np.testing.assert_allclose(linalg.solve(a, b), expected, rtol=1e-12)
    np.testing.assert_allclose(staged(linalg.solve, a, b), expected, rtol=1e-12)


def test_solve_takes_no_batch_of_vectors() -> None:
    with pytest.raises(ShapeError, match=r"must be \(..., n, n\) and \(n,\) or \(..., n, k\)"):
        linalg.solve(np.stack([A, A]), B.T)


def test_inverses_and_tensors() -> None:
    np.testing.assert_allclose(linalg.inv(A) @ A, np.eye(3), atol=1e-12)
    tensor = np.arange(36.0).reshape(2, 3, 3, 2) ** 2 + np.eye(6).reshape(2, 3, 3, 2) * 99
    np.testing.assert_allclose(linalg.tensorinv(tensor), np.linalg.tensorinv(tensor), rtol=1e-9)
    right = np.ones((2, 3))
    expected = np.linalg.tensorsolve(tensor, right)
    np.testing.assert_allclose(linalg.tensorsolve(tensor, right), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3, 3, 2), (3, 2)), ((2, 3, 2), (2, 3))],
    ids=["as many elements in another shape", "fewer unknowns than equations"],
)
def test_tensors_that_are_no_square_systems(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="leading shape of a must match"):
        linalg.tensorsolve(np.ones(a), np.ones(b))


def test_the_gradient_of_a_determinant_of_lower_rank_is_the_cofactor() -> None:
    a = np.diag([1.0, 2.0, 3.0, 0.0])
    np.testing.assert_allclose(np.asarray(grad(linalg.det)(a)), np.diag([0, 0, 0, 6.0]), atol=1e-12)
