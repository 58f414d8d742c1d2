"""Zeta functions against Euler-Maclaurin sums of 200 terms, and mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest

from treadle_ir.formulas import zetas
from treadle_ir.formulas.table import formula_of
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.special.engine import evaluated


def hurwitz(s, q):
    """mpmath's own loses digits for great q."""
    total = sum((q + k) ** -s for k in range(200))
    end = q + 200
    total += end ** (1 - s) / (s - 1) + end**-s / 2
    factor = s * end ** (-s - 1)
    for j in range(1, 20):
        total += mp.bernoulli(2 * j) / mp.factorial(2 * j) * factor
        factor *= (s + 2 * j - 1) * (s + 2 * j) / end**2
    return total


@pytest.mark.parametrize(("dtype", "most", "bound"), [(np.float64, 2.0, 12), (np.float32, 1.0, 40)])
def test_zeta(errors, dtype, most, bound):
    random = np.random.default_rng(1)
    s = (1 + 10 ** random.uniform(-3, most, 60)).astype(dtype)
    q = (10 ** random.uniform(-2, most, 60)).astype(dtype)
    assert np.max(errors(zetas.zeta, hurwitz, s, q, dtype=dtype)) < bound


def test_zeta_of_negative_arguments(errors):
    random = np.random.default_rng(2)
    s, q = random.integers(2, 9, 40) * 1.0, -random.uniform(0, 30, 40)

    def truth(s, q):
        steps = int(mp.ceil(-q))
        return sum((q + k) ** -int(s) for k in range(steps)) + hurwitz(s, q + steps)

    # where odd terms do not cancel
    even = s % 2 == 0
    assert np.max(errors(zetas.zeta, truth, s[even], q[even])) < 30


@pytest.mark.parametrize(
    ("s", "q", "expected"),
    [
        (1.0, 2.0, math.inf),
        (0.5, 2.0, math.nan),
        (2.0, -1.0, math.inf),
        (3.0, -1.0, math.nan),
        (2.5, -1.5, math.nan),
        (math.inf, 2.0, 0.0),
        (math.inf, 1.0, 1.0),
        (2.0, math.inf, 0.0),
        (math.nan, 1.0, math.nan),
        (2.0, math.nan, math.nan),
    ],
)
def test_zeta_at_ends(s, q, expected):
    np.testing.assert_equal(evaluated(zetas.zeta, np.array([s]), np.array([q])), [expected])


@pytest.mark.parametrize(("dtype", "bound"), [(np.float64, 16), (np.float32, 30)])
def test_polygamma(errors, dtype, bound):
    random = np.random.default_rng(3)
    n = random.integers(1, 12, 60).astype(dtype)
    x = (10 ** random.uniform(-2, 2, 60)).astype(dtype)
    if dtype == np.float32:
        n = np.minimum(n, 5)

    def truth(n, x):
        return mp.polygamma(int(n), x)

    assert np.max(errors(zetas.polygamma, truth, n, x, dtype=dtype)) < bound
    odd = n % 2 == 1
    assert np.max(errors(zetas.polygamma, truth, n[odd], -x[odd] % 7 - 7, dtype=dtype)) < bound


def test_polygamma_at_ends():
    n = np.array([0.0, 1.0, 2.0, 1.5, -1.0, 1.0, 1.0, 300.0])
    x = np.array([1.0, -1.0, -1.0, 1.0, 1.0, np.inf, np.nan, 500.0])
    value = evaluated(zetas.polygamma, n, x)
    expected = [-float(mp.euler), np.inf, np.nan, np.nan, np.nan, 0.0, np.nan]
    np.testing.assert_allclose(value[:-1], expected, rtol=1e-15)
    # neither the factorial nor the power is a float64
    np.testing.assert_allclose(value[-1], float(mp.polygamma(300, 500)), rtol=1e-12)


def test_zeta_is_infinitely_steep_at_its_pole():
    one, q = np.array([1.0, 1.0]), np.array([1.0, 2.5])
    slope = formula_of(e.FormulaDerivative("zeta", (1, 0)))
    np.testing.assert_array_equal(evaluated(zetas.zeta, one, q), [np.inf, np.inf])
    np.testing.assert_array_equal(evaluated(slope, one, q), [-np.inf, -np.inf])
