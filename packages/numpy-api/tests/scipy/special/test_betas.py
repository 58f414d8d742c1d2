"""Beta functions and binomials over the full range against mpmath, and distributions made of them against SciPy."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from treadle_autodiff import grad
from treadle_ir import ShapeError
from treadle_numpy.numpy import asarray
from treadle_numpy.scipy import special, stats

POSITIVE = st.floats(-10, 30).map(lambda exponent: np.float32(10.0**exponent))


def exact(a: Any, b: Any) -> Any:
    with mp.workdps(60):
        x, y = mp.mpf(float(a)), mp.mpf(float(b))
        return mp.loggamma(x) + mp.loggamma(y) - mp.loggamma(x + y)


@given(POSITIVE, POSITIVE)
def test_betaln_of_positive_numbers(a: np.float32, b: np.float32) -> None:
    expected = float(exact(a, b))
    units = (
        abs(float(special.betaln(a, b)) - expected)
        / max(abs(expected), 1)
        / np.finfo(np.float32).eps
    )
    assert units <= 12


@pytest.mark.parametrize(
    ("a", "b"), [(1.0, 1e10), (0.5, 1e20), (3.0, 1e8), (7.0, 8.0), (40.0, 9.0)]
)
def test_beta(a: float, b: float) -> None:
    got = special.beta(np.float32(a), np.float32(b))
    np.testing.assert_allclose(got, float(mp.exp(exact(np.float32(a), np.float32(b)))), rtol=3e-5)


@pytest.mark.parametrize(
    ("a", "b"), [(2.0, 1e6), (20.0, 30.0), (1e5, 1e4), (0.5, 3.0), (-0.5, 1e6)]
)
def test_gradients_of_betaln(a: float, b: float) -> None:
    for place, other in ((a, b), (b, a)):
        with mp.workdps(40):
            expected = float(mp.digamma(place) - mp.digamma(mp.mpf(a) + b))
        got = grad(special.betaln)(np.float32(place), np.float32(other))
        np.testing.assert_allclose(got, expected, rtol=2e-5)


def test_negative_numbers_are_as_in_scipy() -> None:
    a = np.array([-0.5, -0.5, -9.5, 2.0, -20.5, -1.0], np.float32)
    b = np.array([3.0, 1e6, 8.2, -9.5, 10.0, 2.0], np.float32)
    np.testing.assert_allclose(special.betaln(a, b), scipy.special.betaln(a, b), rtol=1e-6)


def test_choices_of_many() -> None:
    np.testing.assert_allclose(special.comb(asarray(1e6), 2.0), 499999500000.0, rtol=1e-5)
    np.testing.assert_allclose(special.poch(asarray(1e6), 2.0), 1000001000000.0, rtol=1e-5)
    with pytest.raises(ShapeError):
        special.betaln(np.ones(2, np.float32), np.ones(3, np.float32))


@pytest.mark.parametrize(
    ("name", "function", "arguments"),
    [
        ("t", "logpdf", (1.5, 1e8)),
        ("t", "logpdf", (0.0, 1e4)),
        ("beta", "logpdf", (1e-6, 1.0, 1e6)),
        ("binom", "logpmf", (2.0, 1e6, 1e-6)),
        ("nbinom", "logpmf", (2.0, 1e6, 0.9999)),
        ("betabinom", "logpmf", (3.0, 10.0, 2.0, 1e6)),
    ],
)
def test_distributions_of_large_parameters(
    name: str, function: str, arguments: tuple[float, ...]
) -> None:
    given = [np.float32(x) for x in arguments]
    expected = getattr(getattr(scipy.stats, name), function)(*map(float, given))
    got = getattr(getattr(stats, name), function)(*given)
    np.testing.assert_allclose(got, expected, rtol=2e-4)
