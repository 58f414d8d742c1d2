"""gaussian_kde against SciPy's."""

import numpy as np
import pytest
import scipy.stats

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_ir.tree import tree_flatten, tree_unflatten
from treadle_numpy import random
from treadle_numpy.scipy.stats import gaussian_kde

pytestmark = pytest.mark.usefixtures("wide")
SAMPLES = np.random.default_rng(1).normal(size=(2, 30))
WEIGHTS = np.random.default_rng(2).uniform(0.1, 1, 30)
POINTS = np.random.default_rng(3).normal(size=(2, 7))


@pytest.mark.parametrize("method", [None, "scott", "silverman", 0.3, lambda kde: 0.5])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_agrees_with_scipy(method, weights):
    found = gaussian_kde(SAMPLES, method, weights)
    expected = scipy.stats.gaussian_kde(SAMPLES, method, weights)
    for name in ("covariance", "inv_cov", "neff", "weights"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
    assert (found.d, found.n) == (2, 30)
    np.testing.assert_allclose(found(POINTS), expected(POINTS), rtol=1e-12)
    np.testing.assert_allclose(
        found.logpdf(POINTS), expected.logpdf(POINTS), rtol=1e-11, atol=1e-13
    )
    other, one = scipy.stats.gaussian_kde(POINTS), gaussian_kde(POINTS)
    np.testing.assert_allclose(found.integrate_kde(one), expected.integrate_kde(other), rtol=1e-12)
    gauss = np.array([0.5, 0.25]), np.array([[1.0, 0.2], [0.2, 2.0]])
    np.testing.assert_allclose(
        found.integrate_gaussian(*gauss), expected.integrate_gaussian(*gauss), rtol=1e-12
    )


def test_integral_of_one_dimension():
    found, expected = gaussian_kde(SAMPLES[0]), scipy.stats.gaussian_kde(SAMPLES[0])
    np.testing.assert_allclose(
        found.integrate_box_1d(-1.0, 0.5), expected.integrate_box_1d(-1.0, 0.5), rtol=1e-12
    )


def test_samples_have_the_estimated_mean():
    kde = gaussian_kde(SAMPLES, weights=WEIGHTS)
    drawn = kde.resample(random.key(0), (4000,))
    assert drawn.shape == (2, 4000)
    mean = np.average(SAMPLES, axis=1, weights=WEIGHTS)
    spread = np.sqrt(np.diag(np.cov(np.asarray(drawn))) / 4000)
    assert np.all(np.abs(np.mean(np.asarray(drawn), axis=1) - mean) < 5 * spread)


def test_it_is_a_pytree():
    kde = gaussian_kde(SAMPLES)
    leaves, structure = tree_flatten(kde)
    again = tree_unflatten(structure, leaves)
    np.testing.assert_array_equal(again.pdf(POINTS), kde.pdf(POINTS))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gaussian_kde(np.ones((2, 3, 4))), ShapeError, "dataset has shape"),
        (lambda: gaussian_kde(np.ones(1)), ArgumentError, "one element"),
        (lambda: gaussian_kde(np.arange(2.0), "other"), ArgumentError, "bw_method is 'other'"),
        (
            lambda: gaussian_kde(np.arange(2.0), weights=np.ones(1)),
            ShapeError,
            "weights have shape",
        ),
        (lambda: gaussian_kde(SAMPLES).pdf(np.ones((3, 2))), ShapeError, "points have dimension 3"),
        (lambda: gaussian_kde(SAMPLES).integrate_box_1d(0.0, 1.0), ShapeError, "one dimension"),
        (lambda: gaussian_kde(SAMPLES).integrate_gaussian(0.0, 1.0), ShapeError, "mean and cov"),
        (
            lambda: gaussian_kde(SAMPLES).integrate_kde(gaussian_kde(SAMPLES[0])),
            ShapeError,
            "2 and 1",
        ),
        (lambda: gaussian_kde(SAMPLES).integrate_box(0.0, 1.0), UnsupportedError, "boxes"),
        (lambda: gaussian_kde(SAMPLES).set_bandwidth(), UnsupportedError, "bandwidth"),
    ],
)
def test_mistakes(call, error, message):
    with pytest.raises(error, match=message):
        call()
