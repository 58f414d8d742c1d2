"""What the solvers have in common: trees, guesses, stopping, derivatives, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad
from treadle_ir import ArgumentError, ShapeError
from treadle_ir.errors import StructureError
from treadle_numpy import numpy as tnp
from treadle_numpy.scipy.sparse.linalg import bicgstab, cg, gmres

SOLVERS = (cg, bicgstab, gmres)
MATRIX = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])
RIGHT = np.array([1.0, -2.0, 0.5])


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Callable[..., Any]:
    found: Callable[..., Any] = request.param
    return found


@pytest.mark.usefixtures("wide")
def test_trees(solver: Callable[..., Any]) -> None:
    def apply(x: Any) -> Any:
        flat = tnp.stack([x["a"], *x["b"]])
        y = MATRIX @ flat
        return {"a": y[0], "b": y[1:]}

    found, _ = solver(apply, {"a": RIGHT[0], "b": RIGHT[1:]}, tol=1e-12)
    expected = np.linalg.solve(MATRIX, RIGHT)
    np.testing.assert_allclose(found["a"], expected[0])
    np.testing.assert_allclose(found["b"], expected[1:])


@pytest.mark.usefixtures("wide")
def test_derivatives(solver: Callable[..., Any]) -> None:
    """Of c' inv(A) b: by b, inv(A)' c; by A, -inv(A)' c x'."""
    c = np.array([1.0, 2.0, -1.0])
    matrix = MATRIX + (0 if solver is cg else np.triu(MATRIX, 1))

    def value(a: Any, b: Any) -> Any:
        return c @ solver(a, b, x0=RIGHT, tol=1e-13)[0]

    by_a, by_b = grad(value, argnums=(0, 1))(matrix, RIGHT)
    back = np.linalg.solve(matrix.T, c)
    np.testing.assert_allclose(by_b, back)
    np.testing.assert_allclose(by_a, -np.outer(back, np.linalg.solve(matrix, RIGHT)))


@pytest.mark.usefixtures("wide")
def test_derivatives_of_hermitian_equations() -> None:
    matrix = MATRIX + 1j * np.array([[0, 1, 0], [-1, 0, 0.5], [0, -0.5, 0]])
    right = RIGHT * (1 + 2j)
    c = np.array([1.0, 2.0, -1.0])
    found = grad(lambda b: c @ cg(matrix, b, tol=1e-13)[0], holomorphic=True)(right)
    np.testing.assert_allclose(found, np.linalg.solve(matrix.T, c))


def test_stopping(solver: Callable[..., Any]) -> None:
    np.testing.assert_array_equal(solver(MATRIX, RIGHT, maxiter=0)[0], np.zeros(3))
    np.testing.assert_array_equal(solver(MATRIX, RIGHT, atol=9.0)[0], np.zeros(3))
    np.testing.assert_array_equal(solver(MATRIX, RIGHT, RIGHT, tol=99.0)[0], RIGHT)
    np.testing.assert_array_equal(solver(MATRIX, 0 * RIGHT)[0], np.zeros(3))


def test_no_residual_is_below_a_negative_tolerance(solver: Callable[..., Any]) -> None:
    expected = np.linalg.solve(MATRIX, RIGHT)
    for tolerances in ({"tol": -1.0}, {"tol": 0.0, "atol": -9.0}):
        np.testing.assert_allclose(solver(MATRIX, RIGHT, **tolerances)[0], expected, rtol=1e-5)


def test_preconditioned(solver: Callable[..., Any]) -> None:
    """With the inverse, one step is enough."""
    matrix = np.diag([1.0, 10.0, 100.0]).astype(np.float32)
    found, _ = solver(matrix, RIGHT, M=np.linalg.inv(matrix), maxiter=1)
    np.testing.assert_allclose(found, RIGHT / np.diag(matrix), rtol=1e-5)


def test_shapes_and_types(solver: Callable[..., Any]) -> None:
    columns = np.stack([RIGHT, 2 * RIGHT], 1).astype(np.float32)
    found, _ = solver(MATRIX.astype(np.float32), columns)
    np.testing.assert_allclose(found, np.linalg.solve(MATRIX, columns), rtol=1e-3)
    assert found.dtype == np.float32
    assert solver(np.eye(2, dtype=np.float32), np.array([1, 2]))[0].dtype == np.float32
    assert solver(np.eye(2) + 0j, np.ones(2, np.float32))[0].dtype == np.complex64
    assert solver(np.zeros((0, 0)), np.zeros(0))[0].shape == (0,)


def test_refused(solver: Callable[..., Any]) -> None:
    for arguments, error, said in (
        (([1], RIGHT), ArgumentError, "a function or a square matrix"),
        ((MATRIX[:2], RIGHT), ShapeError, "a square matrix"),
        ((MATRIX, RIGHT[:2]), ShapeError, "first axis of b"),
        ((MATRIX, {"a": RIGHT}), ShapeError, "b must be an array"),
        ((MATRIX, RIGHT, RIGHT[:2]), ShapeError, "x0"),
        ((MATRIX, RIGHT, (RIGHT,)), StructureError, "x0"),
        ((lambda x: x[:2], RIGHT), ShapeError, "the result of A"),
    ):
        with pytest.raises(error, match=said):
            solver(*arguments)
    for more in ({"maxiter": -1}, {"maxiter": 2.5}, {"tol": "small"}, {"atol": [1.0]}, {"tol": 1j}):
        with pytest.raises(ArgumentError):
            solver(MATRIX, RIGHT, **more)
