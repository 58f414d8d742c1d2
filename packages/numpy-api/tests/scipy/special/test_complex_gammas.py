"""Gamma functions of complex numbers against SciPy's, and their laws."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import example, given, settings, strategies as st

from treadle_autodiff import jvp
from treadle_numpy.scipy.special import erfcx, gamma, loggamma


def off(z: Any, true: Any) -> Any:
    """The errors in units in the last place of the modulus, or of 1."""
    unit = np.finfo(np.asarray(z).dtype).eps
    return np.abs(np.asarray(z) - true) / np.maximum(1, np.abs(true)) / unit


@pytest.mark.parametrize("scale", [0.1, 1, 5, 40, 1e3])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_logarithms_against_scipys(scale: float, dtype: Any, wide: None) -> None:
    random = np.random.default_rng(0)
    z = (scale * (random.normal(size=1000) + 1j * random.normal(size=1000))).astype(dtype)
    assert np.max(off(loggamma(z), scipy.special.loggamma(z.astype(complex)))) < 30


@given(st.floats(-30, 30), st.floats(-30, 30))
@example(-2.5, 0.0)
@example(-2.5, -0.0)
@example(2.0, 0.0)
@settings(deadline=None)
def test_laws(x: float, y: float) -> None:
    z = np.complex64(complex(x, y))
    value, mirrored = complex(loggamma(z)), complex(loggamma(np.conj(z)))
    if not cmath.isfinite(value):  # at the poles
        assert z.imag == 0
        assert z.real <= 0
        return
    assert mirrored == value.conjugate()
    if abs(value.real) < 40 and abs(z) > 1e-3:
        next_one = complex(loggamma(z + np.complex64(1)))
        assert cmath.exp(next_one - value - cmath.log(z)) == pytest.approx(1, abs=2e-3)


def test_real_ones_are_those_of_real_numbers() -> None:
    x = np.array([0.3, 1.0, 2.0, 7.5], np.float32)
    np.testing.assert_allclose(loggamma(x + 0j).real, loggamma(x), atol=2e-6)
    np.testing.assert_allclose(gamma(x + 0j), gamma(x), rtol=5e-6)


@pytest.mark.parametrize("z", [0.3 + 2j, 1.0, 2.0, -1.5 + 0.1j, -7.2 - 3j, 30.0])
def test_the_slope_is_the_digamma_function(z: complex, wide: None) -> None:
    _, slope = jvp(loggamma, (np.complex128(z),), (np.complex128(1),))
    assert complex(slope) == pytest.approx(complex(scipy.special.digamma(complex(z))), rel=1e-13)


@pytest.mark.parametrize("z", [1 + 1j, 2 - 3j, -1.5 + 0.2j, 0.3])
def test_the_functions_themselves(z: complex, wide: None) -> None:
    one = np.complex128(z)
    assert complex(gamma(one)) == pytest.approx(complex(scipy.special.gamma(z)), rel=1e-13)
    assert complex(erfcx(one)) == pytest.approx(complex(scipy.special.erfcx(z)), rel=1e-12)
