"""Mode, ranks and standard errors, against SciPy and with NaN, ties, and no elements."""

import numpy as np
import pytest
import scipy.stats

from treadle_ir import ArgumentError, UnsupportedError
from treadle_numpy.scipy.stats import mode, rankdata, sem

pytestmark = pytest.mark.usefixtures("wide")


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_mode(axis, keepdims):
    x = np.random.default_rng(1).integers(0, 4, (3, 4, 5))
    found = mode(x, axis, keepdims=keepdims)
    expected = scipy.stats.mode(x, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(found.mode, expected.mode)
    np.testing.assert_array_equal(found.count, expected.count)


def test_mode_counts_nan_as_a_value():
    found = mode(np.array([np.nan, np.nan, 2.0]))
    assert np.isnan(found.mode)
    assert found.count == 2
    found = mode(np.zeros((2, 0)), axis=1)
    np.testing.assert_array_equal(found.mode, [np.nan, np.nan])
    np.testing.assert_array_equal(found.count, [0, 0])


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_rankdata(method, axis):
    x = np.random.default_rng(2).integers(0, 4, (3, 4, 5))
    expected = scipy.stats.rankdata(x, method, axis=axis)
    found = np.asarray(rankdata(x, method, axis=axis))
    np.testing.assert_array_equal(found, np.reshape(expected, found.shape))


def test_rankdata_of_nan_and_of_nothing():
    found = rankdata(np.array([[1.0, np.nan], [2.0, 1.0]]), axis=1)
    np.testing.assert_array_equal(found, [[np.nan, np.nan], [2, 1]])
    assert rankdata(np.zeros((2, 0)), axis=1).shape == (2, 0)
    assert rankdata(np.zeros(0)).shape == (0,)
    np.testing.assert_array_equal(rankdata(3.0), [1])


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("policy", ["propagate", "omit"])
def test_sem(axis, policy):
    x = np.random.default_rng(3).normal(size=(5, 6))
    x[2, 3] = np.nan
    expected = scipy.stats.sem(x, axis, nan_policy=policy)
    np.testing.assert_allclose(sem(x, axis, nan_policy=policy), expected, rtol=1e-14)
    assert sem(x, axis, keepdims=True).ndim == 2


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mode(np.array([1.0]), nan_policy="omit"), UnsupportedError, "nan_policy='omit'"),
        (
            lambda: rankdata(np.array([1.0]), nan_policy="raise"),
            UnsupportedError,
            "nan_policy='raise'",
        ),
        (lambda: sem(np.array([1.0]), nan_policy="other"), ArgumentError, "nan_policy is 'other'"),
        (lambda: rankdata(np.array([1.0]), "other"), ArgumentError, "method is 'other'"),
    ],
)
def test_mistakes(call, error, message):
    with pytest.raises(error, match=message):
        call()
