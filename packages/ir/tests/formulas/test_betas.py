"""The incomplete beta function against mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest
import scipy.special

from treadle_ir.formulas import betas
from treadle_ir.reference.special.engine import evaluated


def truth(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def points(seed, count, most):
    random = np.random.default_rng(seed)
    a, b = 10 ** random.uniform(-2, most, (2, count))
    mean = a / (a + b)
    x = mean + random.normal(size=count) * 3 * np.sqrt(mean * (1 - mean) / (a + b + 1))
    return a, b, np.clip(x, 1e-6, 1 - 1e-6)


@pytest.mark.parametrize(("dtype", "most"), [(np.float64, 3.0), (np.float32, 2.0)])
def test_error_is_bounded(errors, dtype, most):
    a, b, x = points(1, 80, most)
    keep = evaluated(betas.regularized_incomplete_beta, a, b, x) > 1e-30
    xs = [v[keep].astype(dtype) for v in (a, b, x)]
    assert np.max(errors(betas.regularized_incomplete_beta, truth, *xs, dtype=dtype)) < 200


def test_great_parameters():
    a = np.array([1e4, 1e6, 1e8])
    b = 1.3 * a
    x = a / (a + b) * (1 - 1 / np.sqrt(a))
    value = evaluated(betas.regularized_incomplete_beta, a, b, x)
    np.testing.assert_allclose(value, scipy.special.betainc(a, b, x), rtol=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "x", "expected"),
    [
        (0.0, 1.0, 0.5, 1.0),
        (1.0, 0.0, 0.5, 0.0),
        (0.0, 0.0, 0.5, math.nan),
        (math.inf, 1.0, 0.5, 0.0),
        (1.0, math.inf, 0.5, 1.0),
        (2.0, 3.0, 0.0, 0.0),
        (2.0, 3.0, 1.0, 1.0),
        (2.0, 3.0, -0.5, math.nan),
        (2.0, 3.0, 1.5, math.nan),
        (-1.0, 3.0, 0.5, math.nan),
        (2.0, 3.0, math.nan, math.nan),
    ],
)
def test_ends(a, b, x, expected):
    operands = [np.array([v]) for v in (a, b, x)]
    value = evaluated(betas.regularized_incomplete_beta, *operands)
    np.testing.assert_equal(value, [expected])


def test_reflection():
    a, b, x = points(2, 200, 2.0)
    x = np.round(x * 1024) / 1024  # 1 - x is exact
    value = evaluated(betas.regularized_incomplete_beta, a, b, x)
    other = evaluated(betas.regularized_incomplete_beta, b, a, 1 - x)
    np.testing.assert_allclose(value + other, 1, rtol=1e-14)
