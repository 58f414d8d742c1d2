"""Roots of triangular matrices by blocks: their squares, compared with roots by columns and SciPy's."""

import numpy as np
import pytest
import scipy.linalg

from treadle_ir.settings import X64
from treadle_numpy import scipy as tsp
from treadle_numpy.scipy.linalg import roots


@pytest.fixture(autouse=True)
def double():
    """In double precision."""
    with X64.override(True):
        yield


def triangular(n, seed=0):
    """A complex triangular matrix with eigenvalues in the right half plane."""
    drawn = np.random.default_rng([n, seed])
    x = np.triu(drawn.standard_normal((n, n)) + 1j * drawn.standard_normal((n, n)), 1) / n**0.5
    return x + np.diag(1 + drawn.random(n) + 1j * drawn.standard_normal(n))


@pytest.mark.parametrize("n", [129, 192])
def test_the_square_of_a_root_by_blocks_is_the_matrix(n):
    t = triangular(n)
    r = np.asarray(roots.triangular_root(t))
    np.testing.assert_allclose(r @ r, t, atol=1e-12)
    assert not np.tril(r, -1).any()
    assert (np.diag(r).real > 0).all()


@pytest.mark.parametrize("n", [1, 3, 7, 8, 20])
def test_blocks_give_what_columns_give(n, monkeypatch):
    t = triangular(n)
    expected = np.asarray(roots.triangular_root(t))
    monkeypatch.setattr(roots, "BLOCK", 4)
    np.testing.assert_allclose(np.asarray(roots._by_blocks(t)), expected, atol=1e-12)


def test_batches_go_by_blocks_too(monkeypatch):
    t = np.stack([triangular(7, seed) for seed in range(3)])
    monkeypatch.setattr(roots, "BLOCK", 3)
    r = np.asarray(roots._by_blocks(t))
    np.testing.assert_allclose(r @ r, t, atol=1e-12)


def test_two_zeros_on_the_diagonal_do_no_harm(monkeypatch):
    t = np.diag([0.0, 4, 0, 9, 1]).astype(complex)
    monkeypatch.setattr(roots, "BLOCK", 2)
    np.testing.assert_allclose(np.asarray(roots._by_blocks(t)), np.sqrt(t), atol=1e-15)


@pytest.mark.parametrize("n", [32, 33, 60, 140])
def test_roots_of_real_matrices_have_the_signs_of_principal_ones(n):
    """Also where eigenvalues are negative, or come in pairs."""
    a = np.random.default_rng(n).standard_normal((n, n))
    found = np.asarray(tsp.linalg.sqrtm.__wrapped__(a))
    np.testing.assert_allclose(found @ found, a, atol=1e-9)
    np.testing.assert_allclose(found, scipy.linalg.sqrtm(a), atol=1e-8)
    assert (np.linalg.eigvals(found).real > -1e-9).all()
