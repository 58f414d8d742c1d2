"""Cholesky factors brought up to date."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_numpy.lax.linalg import cholesky_update


@pytest.mark.parametrize("n", [0, 1, 5, 40])
def test_an_updated_factor_is_that_of_the_updated_matrix(n: int) -> None:
    drawn = np.random.default_rng(0)
    r = np.triu(drawn.normal(size=(n, n)) + 3 * np.eye(n)).astype(np.float32)
    w = drawn.normal(size=n).astype(np.float32)
    factor = np.asarray(cholesky_update(r, w))
    assert factor.shape == (n, n)
    assert factor.dtype == np.float32
    np.testing.assert_allclose(factor, np.triu(factor), rtol=0, atol=1e-6)
    wide = r.astype(np.float64)
    expected = wide.T @ wide + np.outer(w, w)
    np.testing.assert_allclose(factor.T @ factor, expected, rtol=0, atol=1e-4)
