"""The Faddeeva function in complex64, which takes fewer terms, against SciPy's."""

from __future__ import annotations

import numpy as np
import scipy.special

from treadle_numpy.scipy.special import wofz


def test_errors_relative_to_the_modulus() -> None:
    drawn = np.random.default_rng(0)
    z = (drawn.uniform(-6, 6, 2000) + 1j * drawn.exponential(2.0, 2000)).astype(np.complex64)
    true = scipy.special.wofz(z.astype(np.complex128))
    assert np.max(np.abs(np.asarray(wofz(z)) - true) / np.abs(true)) < 1e-6


def test_halves_are_complex64() -> None:
    assert wofz(np.float16(0.5)).dtype == np.complex64


def test_nothing_is_left_at_infinity() -> None:
    ends = np.array([np.inf, -np.inf, 1j * np.inf, 1.0 + 1j * np.inf], np.complex64)
    np.testing.assert_array_equal(wofz(ends), np.zeros(4))
    np.testing.assert_array_equal(wofz(np.array([np.inf, -np.inf], np.float32)), np.zeros(2))
    assert np.isnan(wofz(np.float32(np.nan)))
