"""Hypergeometric functions against mpmath, and as elementary functions."""

import mpmath as mp
import numpy as np

from treadle_ir.formulas import hypergeometric
from treadle_ir.reference.special.engine import evaluated


def test_hyp1f1_of_positive_parameters(errors):
    random = np.random.default_rng(1)
    a = random.uniform(0.1, 8, 60)
    b, x = a + random.uniform(0.1, 8, 60), random.uniform(-60, 60, 60)
    assert np.max(errors(hypergeometric.hyp1f1, mp.hyp1f1, a, b, x)) < 30


def test_hyp1f1_far_to_the_left(errors):
    random = np.random.default_rng(2)
    a, b, x = random.uniform(0.1, 8, 20), random.uniform(0.1, 8, 20), -random.uniform(610, 5000, 20)
    assert np.max(errors(hypergeometric.hyp1f1, mp.hyp1f1, a, b, x)) < 100


def test_hyp2f1_of_positive_parameters(errors):
    random = np.random.default_rng(3)
    a, b = random.uniform(0.1, 4, (2, 60))
    c, x = b + random.uniform(0.1, 4, 60), random.uniform(-3, 0.95, 60)
    assert np.max(errors(hypergeometric.hyp2f1, mp.hyp2f1, a, b, c, x)) < 30


def test_elementary_cases():
    x = np.linspace(-2, 0.9, 30)
    one = np.ones(30)
    value = evaluated(hypergeometric.hyp1f1, one, 2 * one, x)
    np.testing.assert_allclose(value, np.expm1(x) / x, rtol=1e-14)
    value = evaluated(hypergeometric.hyp2f1, one, one, 2 * one, x)
    np.testing.assert_allclose(value, -np.log1p(-x) / x, rtol=1e-14)
    # polynomials
    value = evaluated(hypergeometric.hyp2f1, -2 * one, 3 * one, 2 * one, x)
    np.testing.assert_allclose(value, 1 - 3 * x + 2 * x * x, atol=1e-13)


def test_at_one_it_is_the_sum_of_gauss():
    value = evaluated(hypergeometric.hyp2f1, *[np.array([v]) for v in (0.5, 0.25, 2.0, 1.0)])
    np.testing.assert_allclose(value, float(mp.hyp2f1(0.5, 0.25, 2, 1)), rtol=1e-14)
    value = evaluated(hypergeometric.hyp2f1, *[np.array([v]) for v in (1.0, 1.0, 2.0, 1.0)])
    assert value == np.inf


def test_poles_and_nan():
    nan = np.array([np.nan])
    one, pole = np.array([1.0]), np.array([-2.0])
    assert np.isnan(evaluated(hypergeometric.hyp1f1, one, pole, one))
    assert np.isnan(evaluated(hypergeometric.hyp2f1, one, one, pole, 0.5 * one))
    assert np.isnan(evaluated(hypergeometric.hyp2f1, one, one, one, 2 * one))
    for i in range(3):
        operands = [nan if i == k else one for k in range(3)]
        assert np.isnan(evaluated(hypergeometric.hyp1f1, *operands))
