"""The distributions of vectors against SciPy."""

import numpy as np
import pytest
import scipy.stats

from treadle_autodiff import grad
from treadle_ir import ShapeError, UnsupportedError
from treadle_numpy.scipy.stats import dirichlet, multinomial, multivariate_normal

pytestmark = pytest.mark.usefixtures("wide")
COVARIANCE = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 3.0]])
MEAN = np.array([0.5, -1.0, 2.0])


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3)])
def test_multivariate_normal(shape):
    x = np.random.default_rng(1).normal(size=shape)
    expected = scipy.stats.multivariate_normal(MEAN, COVARIANCE)
    found = multivariate_normal.logpdf(x, MEAN, COVARIANCE)
    np.testing.assert_allclose(found, expected.logpdf(x), rtol=1e-13)
    np.testing.assert_allclose(
        multivariate_normal.pdf(x, MEAN, COVARIANCE), expected.pdf(x), rtol=1e-13
    )


def test_multivariate_normal_of_numbers_and_batches():
    found = multivariate_normal.logpdf(np.array([1.0, 2.0]), 0.0, 2.0)
    np.testing.assert_allclose(
        found, scipy.stats.norm.logpdf([1.0, 2.0], 0, np.sqrt(2)), rtol=1e-14
    )
    covariances = np.stack([COVARIANCE, 2 * COVARIANCE])
    found = multivariate_normal.logpdf(MEAN + 1, MEAN, covariances)
    one = [scipy.stats.multivariate_normal(MEAN, c).logpdf(MEAN + 1) for c in covariances]
    np.testing.assert_allclose(found, one, rtol=1e-13)
    assert np.isnan(float(multivariate_normal.logpdf(MEAN, MEAN, -COVARIANCE)))


def test_multivariate_normal_by_the_mean():
    x = np.array([1.0, 2.0, 3.0])
    found = grad(lambda mean: multivariate_normal.logpdf(x, mean, COVARIANCE))(MEAN)
    np.testing.assert_allclose(found, np.linalg.solve(COVARIANCE, x - MEAN), rtol=1e-12)


def test_dirichlet():
    alpha = np.array([0.5, 2.0, 3.0])
    x = np.random.default_rng(2).dirichlet(alpha, 5).T
    expected = scipy.stats.dirichlet(alpha)
    np.testing.assert_allclose(dirichlet.logpdf(x, alpha), expected.logpdf(x), rtol=1e-12)
    np.testing.assert_allclose(dirichlet.pdf(x[:-1], alpha), expected.pdf(x), rtol=1e-9)
    assert np.isneginf(float(dirichlet.logpdf(np.array([0.5, 0.6, 0.1]), alpha)))
    assert np.isneginf(float(dirichlet.logpdf(np.array([-0.5, 1.0, 0.5]), alpha)))
    slopes = grad(lambda a: dirichlet.logpdf(np.array([-0.5, 1.0, 0.5]), a))(alpha)
    np.testing.assert_array_equal(slopes, np.zeros(3))


def test_multinomial():
    p = np.array([0.2, 0.3, 0.5])
    x = np.array([[1, 2, 3], [0, 0, 6], [1, 2, 2], [-1, 4, 3]])
    with np.errstate(all="ignore"):
        expected = scipy.stats.multinomial(6, p).logpmf(x)
    np.testing.assert_allclose(multinomial.logpmf(x, 6, p), expected, rtol=1e-13)
    np.testing.assert_allclose(multinomial.pmf(x, 6, p), np.exp(expected), rtol=1e-13)
    slopes = grad(lambda p: multinomial.logpmf(np.array([0, 0, 6]), 6, p))(
        np.array([0.0, 0.0, 1.0])
    )
    np.testing.assert_array_equal(np.isfinite(slopes), [True, True, True])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: multivariate_normal.logpdf(MEAN[:2], MEAN, COVARIANCE), ShapeError, "x has shape"),
        (
            lambda: multivariate_normal.logpdf(MEAN, MEAN[:2], COVARIANCE),
            ShapeError,
            "mean has shape",
        ),
        (lambda: multivariate_normal.logpdf(MEAN, MEAN, COVARIANCE[:2]), ShapeError, "square"),
        (lambda: multivariate_normal.logpdf(MEAN, MEAN, MEAN), ShapeError, "square"),
        (
            lambda: multivariate_normal.logpdf(MEAN, MEAN, COVARIANCE, True),  # type: ignore[arg-type]  # refused
            UnsupportedError,
            "singular",
        ),
        (lambda: dirichlet.logpdf(MEAN, MEAN[:1]), ShapeError, "alpha must be a vector"),
        (lambda: dirichlet.logpdf(1.0, 1.0), ShapeError, "alpha must be a vector"),
    ],
)
def test_mistakes(call, error, message):
    with pytest.raises(error, match=message):
        call()
