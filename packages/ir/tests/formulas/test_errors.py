"""Relatives of the error function against mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest
import scipy.special

from treadle_ir.formulas import errors as formulas
from treadle_ir.reference.special.engine import evaluated

F64, F32 = np.float64, np.float32


@pytest.mark.parametrize(("dtype", "least"), [(F64, -26.0), (F32, -9.0)])
def test_erfcx(errors, dtype, least):
    random = np.random.default_rng(1)
    x = np.concatenate([random.uniform(least, 26, 60), 10 ** random.uniform(-3, 1.4, 40)])

    def truth(x):
        return mp.exp(x * x) * mp.erfc(x)

    assert np.max(errors(formulas.erfcx, truth, x, dtype=dtype)) < 8


@pytest.mark.parametrize(("dtype", "tail", "bound"), [(F64, -300, 4), (F32, -37, 8)])
def test_erfc_inv(errors, dtype, tail, bound):
    random = np.random.default_rng(2)
    y = np.concatenate([random.uniform(0.01, 1.99, 40), 10 ** random.uniform(tail, 0, 40)]).astype(
        dtype
    )

    def truth(y):
        near = float(scipy.special.erfcinv(float(y)))
        return mp.findroot(lambda t: mp.log(mp.erfc(t) / y), near)

    assert np.max(errors(formulas.erfc_inv, truth, y, dtype=dtype)) < bound
    ends = evaluated(formulas.erfc_inv, np.array([0.0, 2.0, 1.0, -0.1, 2.1, np.nan]))
    np.testing.assert_array_equal(ends, [np.inf, -np.inf, 0, np.nan, np.nan, np.nan])


@pytest.mark.parametrize("dtype", [F64, F32])
def test_dawson(errors, dtype):
    random = np.random.default_rng(3)
    x = np.concatenate([random.uniform(-8, 8, 60), 10 ** random.uniform(-3, 1.3, 40), [2.5, 5.0]])

    def truth(x):
        return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)

    assert np.max(errors(formulas.dawson, truth, x, dtype=dtype)) < 4
    ends = evaluated(formulas.dawson, np.array([0.0, -0.0, np.inf, -np.inf, np.nan]))
    np.testing.assert_array_equal(ends, [0, 0, 0, 0, np.nan])


def test_owens_t(errors):
    random = np.random.default_rng(4)
    h, a = random.uniform(-6, 6, 40), 10 ** random.uniform(-2, 2, 40)
    h, a = np.append(h, [0.0, 1e-3]), np.append(a, [2.0, 0.5])

    def truth(h, a):
        end = min(a, 14 / max(abs(h), mp.mpf("0.01")))
        points = mp.linspace(0, min(end, 1), 5) + ([end] if end > 1 else [])
        return mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), points) / (
            2 * mp.pi
        )

    assert np.max(errors(formulas.owens_t, truth, h, a)) < 50


@pytest.mark.parametrize(
    ("h", "a", "expected"),
    [
        (1.0, math.inf, 0.5 * 0.15865525393145707),
        (math.inf, 1.0, 0.0),
        (0.0, 1.0, 0.125),
        (1.0, 0.0, 0.0),
        (math.nan, 1.0, math.nan),
        (0.0, math.inf, 0.25),
    ],
)
def test_owens_t_at_ends(h, a, expected):
    value = evaluated(formulas.owens_t, np.array([h, -h]), np.array([a, a]))
    np.testing.assert_allclose(value, [expected, expected], rtol=1e-15)
    other = evaluated(formulas.owens_t, np.array([h]), np.array([-a]))
    np.testing.assert_allclose(other, [-expected], rtol=1e-15)
