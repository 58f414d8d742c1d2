"""The incomplete gamma functions against mpmath, over series, fraction, transition and tails."""

import math

import mpmath as mp
import numpy as np
import pytest

from treadle_ir import ReferenceEvaluator, evaluating, ops
from treadle_ir.formulas import gammas
from treadle_ir.reference.special.engine import evaluated

F32 = np.float32


def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def points(seed, count=120, most=4.0):
    random = np.random.default_rng(seed)
    a = 10 ** random.uniform(-3, most, count)
    return a, a * np.exp(random.normal(size=count) * np.minimum(3, 4 / np.sqrt(a)))


@pytest.mark.parametrize(("formula", "truth"), [(gammas.igamma, lower), (gammas.igammac, upper)])
@pytest.mark.parametrize("dtype", [np.float64, F32])
def test_error_grows_with_the_logarithm_of_the_result(errors, formula, truth, dtype):
    a, x = points(1) if dtype == np.float64 else points(2, 60, 3.0)
    values = evaluated(formula, a, x)
    keep = values > (1e-300 if dtype == np.float64 else 1e-36)
    a, x, values = a[keep].astype(dtype), x[keep].astype(dtype), values[keep]
    apart = errors(formula, truth, a, x, dtype=dtype)
    assert np.all(apart <= 50 - 2 * np.log(values))


def test_regions_meet(errors):
    # next to the borders between series, fraction and transition
    a, x = np.meshgrid(
        [0.3, 1.0, 1.1, 5.0, 99.9, 100.0, 101.0, 2e3],
        [0.699, 0.701, 0.999, 1.0, 1.001, 1.299, 1.301],
    )
    x = (a * x).ravel()
    a = a.ravel()
    keep = evaluated(gammas.igamma, a, x) > 1e-200
    a, x = a[keep], x[keep]
    bound = 50 - 2 * np.log(evaluated(gammas.igamma, a, x))
    assert np.all(errors(gammas.igamma, lower, a, x) <= bound)
    near = np.abs(x / a - 1) < 0.29
    assert np.max(errors(gammas.igammac, upper, a[near], x[near])) < 60


def test_derivative_by_a(errors):
    a, x = points(3, 40, 3.0)
    x = np.clip(x, 1e-3, None)
    keep = (evaluated(gammas.igammac, a, x) > 1e-12) & (evaluated(gammas.igamma, a, x) > 1e-12)

    def truth(a, x):
        with mp.workdps(60):
            return -mp.diff(lambda a: upper(a, x), a)

    assert np.max(errors(gammas.igamma_grad_a, truth, a[keep], x[keep])) < 100


def test_gradient_of_samples(errors):
    a, x = points(4, 40, 3.0)
    x = np.clip(x, 1e-3, None)

    def truth(a, x):
        with mp.workdps(60):
            change = mp.diff(lambda a: upper(a, x), a)
            return change / mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))

    assert np.max(errors(gammas.random_gamma_grad, truth, a, x)) < 100
    # far in the tail, where the density underflows
    value = evaluated(gammas.random_gamma_grad, np.array([2.0]), np.array([2000.0]))
    assert 1 < value[0] < 2000


def test_samples_below_the_normal_numbers_do_not_change():
    a, x = np.array([0.05, 2, 0, 0.05], F32), np.array([1e-40, 0, 1e-40, 2e-38], F32)
    with evaluating(ReferenceEvaluator()):
        found = np.asarray(ops.random_gamma_grad(a, x))
    np.testing.assert_array_equal(found[:3], [0, 0, math.nan])
    assert found[3] > 0
    assert evaluated(gammas.random_gamma_grad, np.array([0.05]), np.array([1e-40]))[0] > 0


@pytest.mark.parametrize(
    ("a", "x", "expected"),
    [
        (0.0, 0.0, math.nan),
        (0.0, 1.0, 1.0),
        (0.0, math.inf, 1.0),
        (1.0, 0.0, 0.0),
        (1.0, math.inf, 1.0),
        (math.inf, 1.0, 0.0),
        (math.inf, math.inf, math.nan),
        (-1.0, 1.0, math.nan),
        (1.0, -1.0, math.nan),
        (math.nan, 1.0, math.nan),
        (1.0, math.nan, math.nan),
    ],
)
def test_ends(a, x, expected):
    low = evaluated(gammas.igamma, np.array([a]), np.array([x]))
    high = evaluated(gammas.igammac, np.array([a]), np.array([x]))
    np.testing.assert_equal(low, [expected])
    np.testing.assert_equal(high, [1 - expected])


@pytest.mark.parametrize(
    ("a", "x", "expected"),
    [
        (math.nan, 1.0, math.nan),
        (1.0, math.nan, math.nan),
        (-1.0, 1.0, math.nan),
        (0.0, 1.0, math.nan),
        (1.0, 0.0, 0.0),
        (1.0, math.inf, 0.0),
    ],
)
def test_derivative_by_a_at_the_ends(a, x, expected):
    found = evaluated(gammas.igamma_grad_a, np.array([a]), np.array([x]))
    np.testing.assert_equal(found, [expected])


def test_both_add_up_to_one():
    a, x = points(5, 500)
    total = evaluated(gammas.igamma, a, x) + evaluated(gammas.igammac, a, x)
    np.testing.assert_allclose(total, 1, rtol=4e-16)


def test_elements_do_not_depend_on_each_other():
    a, x = points(6, 50)
    together = evaluated(gammas.igamma, a, x)
    alone = [evaluated(gammas.igamma, a[i : i + 1], x[i : i + 1])[0] for i in range(50)]
    np.testing.assert_array_equal(together, alone)
