"""sinc near 0, where quotients of differences would be lost."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_autodiff import grad, jvp

pytestmark = pytest.mark.usefixtures("wide")


@pytest.mark.parametrize("x", [0.0, 1e-12, 1e-6, 1e-3])
def test_derivatives_near_zero(x: float) -> None:
    # sinc(x) = 1 - (pi x)^2 / 6 + (pi x)^4 / 120 - (pi x)^6 / 5040 ...
    a = math.pi * x
    f: Any = tnp.sinc
    expected = [
        math.pi * (-a / 3 + a**3 / 30),
        math.pi**2 * (-1 / 3 + a**2 / 10),
        math.pi**3 * (a / 5 - a**3 / 42),
        math.pi**4 * (1 / 5 - a**2 / 14),
    ]
    for true in expected:
        f = grad(f)
        assert math.isclose(float(f(np.float64(x))), true, rel_tol=1e-9)


def test_from_the_series_to_the_recurrence() -> None:
    # sinc'(x) = (cos(a) - sin(a) / a) / x, and the series ends at a = 1
    for a in (0.999, 1.0, 1.001, -2.0, 30.0):
        x = a / math.pi
        true = (math.cos(a) - math.sin(a) / a) / x
        assert math.isclose(float(grad(tnp.sinc)(np.float64(x))), true, rel_tol=1e-13)


def test_complex_numbers() -> None:
    z = np.complex128(1 + 2j)
    a = np.pi * z
    _, slope = jvp(tnp.sinc, (z,), (np.complex128(1),))
    assert np.isclose(slope, (np.cos(a) - np.sin(a) / a) / z, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sinc_is_zero_at_whole_numbers_and_at_infinity(dtype: type[np.floating[Any]]) -> None:
    whole = np.array([1, 2, -3, 100, 2000, np.inf, -np.inf], dtype)
    np.testing.assert_array_equal(tnp.sinc(whole), np.zeros(7))
    assert float(tnp.sinc(dtype(0))) == 1.0
    assert np.isnan(float(tnp.sinc(dtype(np.nan))))
    assert float(grad(tnp.sinc)(dtype(np.inf))) == 0.0
    assert float(grad(grad(tnp.sinc))(dtype(-np.inf))) == 0.0


def test_sinc_is_exact_near_and_far() -> None:
    x = np.array([1e-9, 0.3, -0.5, 1.5, 2.25, 1000.5, 100000.25, -4194303.5], np.float32)
    found = np.asarray(tnp.sinc(x), np.float64)
    with mpmath.workdps(30):
        expected = [float(mpmath.sincpi(float(each))) for each in x]
    np.testing.assert_allclose(found, expected, rtol=3e-7)
