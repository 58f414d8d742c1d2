"""Drawn equations, bases that are full and restarted, and spaces that are exhausted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError
from treadle_numpy import numpy as tnp
from treadle_numpy.scipy.sparse.linalg import gmres

METHODS = ("batched", "incremental")


@pytest.mark.usefixtures("wide")
@given(
    st.integers(1, 7),
    st.integers(0, 99),
    st.booleans(),
    st.integers(2, 9),
    st.sampled_from(METHODS),
)
@settings(max_examples=30, deadline=None)
def test_equations(n: int, seed: int, complex_: bool, restart: int, method: str) -> None:
    random = np.random.default_rng(seed)
    matrix = random.uniform(-1, 1, (n, n)) + (1j * np.eye(n) if complex_ else 0) + n * np.eye(n)
    right = random.normal(size=n)
    x, info = gmres(matrix, right, tol=1e-10, restart=restart, solve_method=method)
    assert info == 0
    np.testing.assert_allclose(
        matrix @ np.asarray(x), right, atol=1e-9 * float(np.linalg.norm(right))
    )


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("method", METHODS)
def test_a_basis_has_the_least_residual(method: str) -> None:
    random = np.random.default_rng(1)
    matrix, right = random.normal(size=(8, 8)), random.normal(size=8)
    space = np.stack([np.linalg.matrix_power(matrix, k) @ right for k in range(3)], 1)
    weights, *_ = np.linalg.lstsq(matrix @ space, right, rcond=None)
    x, _ = gmres(matrix, right, restart=3, maxiter=1, solve_method=method)
    np.testing.assert_allclose(x, space @ weights)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("method", METHODS)
def test_exhausted_spaces(method: str) -> None:
    """The right-hand side is in a space of two dimensions that the map keeps."""
    matrix, right = np.diag([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 0.0, 0.0, 1.0])
    x, info = gmres(matrix, right, tol=1e-14, solve_method=method)
    assert info == 0
    np.testing.assert_allclose(x, [1, 0, 0, 0.25], atol=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_a_rotation(method: str) -> None:
    x, _ = gmres(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 0.0]), solve_method=method)
    np.testing.assert_allclose(x, [0, 1], atol=1e-6)


def test_info_and_refusals() -> None:
    matrix, right = np.eye(2), np.ones(2)
    assert gmres(matrix * np.nan, right, np.full(2, np.nan))[1] == -1
    for more in ({"solve_method": "other"}, {"restart": 0}, {"restart": 1.5}):
        with pytest.raises(ArgumentError, match="gmres"):
            gmres(matrix, right, **more)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_narrow_floats(dtype: str, method: str) -> None:
    a, b = tnp.add(tnp.eye(3, dtype=dtype), 1), tnp.arange(3.0).astype(dtype)
    x, info = gmres(a, b, solve_method=method)
    assert x.dtype == dtype
    assert info == 0
    np.testing.assert_allclose(np.asarray(x, np.float32), [-0.75, 0.25, 1.25], atol=1e-2)
