"""Matrices made of their size, or of vectors, against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg as expected

from treadle_numpy.scipy import linalg

SIZES = [1, 2, 3, 8, 65, 400]


@pytest.mark.parametrize("n", SIZES)
def test_of_a_size(n: int) -> None:
    np.testing.assert_allclose(linalg.hilbert(n), expected.hilbert(n), rtol=6e-8)
    for full in (False, True):
        np.testing.assert_allclose(linalg.helmert(n, full), expected.helmert(n, full), rtol=6e-8)
    for scale in (None, "n", "sqrtn"):
        found = np.asarray(linalg.dft(n, scale))
        assert found.dtype == np.complex64
        np.testing.assert_allclose(found, expected.dft(n, scale), rtol=1e-7, atol=1e-12 * n**2)


@pytest.mark.filterwarnings("error")
def test_what_is_too_great_is_infinite_without_a_warning() -> None:
    assert linalg.pascal(80)[-1, -1] == np.inf
    assert set(np.asarray(linalg.invhilbert(30))[np.isinf(linalg.invhilbert(30))]) == {
        np.inf,
        -np.inf,
    }


def test_of_nothing() -> None:
    for make in (linalg.dft, linalg.helmert, linalg.hilbert):
        assert make(0).shape == (0, 0)


@pytest.mark.parametrize("n", SIZES[1:])
def test_of_vectors(n: int) -> None:
    a, s = np.random.default_rng(n).uniform(1, 2, (2, n)).astype(np.float32)
    np.testing.assert_allclose(linalg.companion(a), expected.companion(a), rtol=1e-6)
    np.testing.assert_array_equal(linalg.leslie(a, s[1:]), expected.leslie(a, s[1:]))
    batch = np.asarray(linalg.leslie(np.stack([a, s]), np.stack([s[1:], a[1:]])))
    np.testing.assert_array_equal(batch[1], expected.leslie(s, a[1:]))
