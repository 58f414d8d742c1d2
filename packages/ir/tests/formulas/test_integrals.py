"""Exponential, trigonometric and Fresnel integrals, and the dilogarithm, against mpmath."""

import mpmath as mp
import numpy as np
import pytest

from treadle_ir.formulas import integrals
from treadle_ir.reference.special.engine import evaluated

F64, F32 = np.float64, np.float32


@pytest.mark.parametrize("dtype", [F64, F32])
def test_expn(errors, dtype):
    random = np.random.default_rng(1)
    n = random.integers(0, 30, 100)
    x = 10 ** random.uniform(-3, 1.8, 100)

    def truth(n, x):
        return mp.expint(n, x)

    assert np.max(errors(integrals.expn, truth, n, x, dtype=dtype)) < 50


@pytest.mark.parametrize("dtype", [F64, F32])
def test_expi(errors, dtype):
    random = np.random.default_rng(2)
    x = np.concatenate([random.uniform(-30, 0, 40), random.uniform(0.5, 60, 60)])
    assert np.max(errors(integrals.expi, mp.ei, x, dtype=dtype)) < 12
    near = np.linspace(0.3, 0.45, 40)
    values = np.array([float(mp.ei(v)) for v in near])
    np.testing.assert_allclose(evaluated(integrals.expi, near), values, rtol=1e-15, atol=3e-16)


@pytest.mark.parametrize("dtype", [F64, F32])
def test_spence(errors, dtype):
    random = np.random.default_rng(3)
    x = np.concatenate([random.uniform(0, 4, 60), 10 ** random.uniform(-8, 8, 40)]).astype(dtype)

    def truth(x):
        return mp.re(mp.polylog(2, 1 - x))

    assert np.max(errors(integrals.spence, truth, x, dtype=dtype)) < 12


@pytest.mark.parametrize("dtype", [F64, F32])
def test_trigonometric_integrals(errors, dtype):
    random = np.random.default_rng(4)
    x = np.concatenate([random.uniform(-20, 20, 40), 10 ** random.uniform(-3, 2, 40), [4.0]])
    assert np.max(errors(integrals.sine_integral, mp.si, x, dtype=dtype)) < 4
    x = np.abs(x).astype(dtype)
    values = np.array([float(mp.ci(float(v))) for v in x])
    apart = np.abs(evaluated(integrals.cosine_integral, x.astype(F64)) - values)
    assert np.all(apart <= 4 * 2.0**-52 * np.maximum(np.abs(values), 0.5))


@pytest.mark.parametrize("dtype", [F64, F32])
def test_fresnel_integrals(errors, dtype):
    random = np.random.default_rng(5)
    x = np.concatenate([random.uniform(-6, 6, 40), 10 ** random.uniform(-3, 1.5, 40), [1.6]])
    bound = 4 + np.abs(x)
    assert np.all(errors(integrals.fresnel_sine, mp.fresnels, x, dtype=dtype) < bound)
    assert np.all(errors(integrals.fresnel_cosine, mp.fresnelc, x, dtype=dtype) < bound)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (integrals.expi, [-np.inf, np.inf, 0, np.nan]),
        (integrals.spence, [np.pi**2 / 6, -np.inf, np.nan, np.nan]),
        (integrals.sine_integral, [0, np.pi / 2, -np.pi / 2, np.nan]),
        (integrals.cosine_integral, [-np.inf, 0, np.nan, np.nan]),
        (integrals.fresnel_sine, [0, 0.5, -0.5, np.nan]),
        (integrals.fresnel_cosine, [0, 0.5, -0.5, np.nan]),
    ],
)
def test_ends(formula, expected):
    value = evaluated(formula, np.array([0.0, np.inf, -np.inf, np.nan]))
    np.testing.assert_allclose(value, expected, rtol=1e-15)


def test_expn_at_ends():
    n = np.array([0.0, 1.0, 2.0, 3.0, 1.5, -1.0, 2.0, 2.0])
    x = np.array([0.0, 0.0, 0.0, np.inf, 1.0, 1.0, -1.0, np.nan])
    expected = [np.inf, np.inf, 1, 0, np.nan, np.nan, np.nan, np.nan]
    np.testing.assert_array_equal(evaluated(integrals.expn, n, x), expected)
