"""Drawn equations: the residual is as small as asked, in as many steps as exact arithmetic takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import linalg as scipys

from treadle_numpy.scipy.sparse.linalg import bicgstab, cg


@pytest.mark.usefixtures("wide")
@given(st.integers(1, 6), st.integers(0, 99), st.booleans())
@settings(max_examples=20, deadline=None)
def test_positive_definite(n: int, seed: int, complex_: bool) -> None:
    random = np.random.default_rng(seed)
    root = random.normal(size=(n, n)) + (1j * random.normal(size=(n, n)) if complex_ else 0)
    matrix, right = root @ root.conj().T + np.eye(n), random.normal(size=n)
    x, info = cg(matrix, right, tol=1e-10, M=np.diag(1 / np.diag(matrix)))
    assert info is None
    np.testing.assert_allclose(
        matrix @ np.asarray(x), right, atol=1e-9 * float(np.linalg.norm(right))
    )


@pytest.mark.usefixtures("wide")
def test_steps_are_those_of_scipy() -> None:
    random = np.random.default_rng(0)
    root = random.normal(size=(8, 8))
    matrix, right = root @ root.T + np.eye(8), random.normal(size=8)
    for ours, theirs in ((cg, scipys.cg), (bicgstab, scipys.bicgstab)):
        for steps in (1, 3):
            expected, _ = theirs(matrix, right, maxiter=steps)
            np.testing.assert_allclose(ours(matrix, right, maxiter=steps)[0], expected)


@pytest.mark.usefixtures("wide")
@given(st.integers(1, 6), st.integers(0, 99), st.booleans())
@settings(max_examples=20, deadline=None)
def test_not_symmetric(n: int, seed: int, complex_: bool) -> None:
    random = np.random.default_rng(seed)
    matrix = random.uniform(-1, 1, (n, n)) + (1j * np.eye(n) if complex_ else 0) + 2 * n * np.eye(n)
    right = random.normal(size=n)
    x, info = bicgstab(matrix, right, tol=1e-10, M=lambda x: x / (2 * n))
    assert info is None
    np.testing.assert_allclose(
        matrix @ np.asarray(x), right, atol=1e-9 * float(np.linalg.norm(right))
    )


def test_breakdown() -> None:
    """A rotation by a right angle: the first step is a division by zero, and the end of the search."""
    x, _ = bicgstab(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 0.0]))
    assert not np.isfinite(np.asarray(x)).all()
