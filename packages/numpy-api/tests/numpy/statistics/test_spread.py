"""Variances of what is selected, in reverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_autodiff import grad
from treadle_ir import ArgumentError, Array
from treadle_numpy import ArrayLike

pytestmark = pytest.mark.usefixtures("wide")


X = np.array([1.0, np.nan, 3.0, 8.0])


def test_what_is_left_out_has_no_part_in_the_gradient() -> None:
    # d var / dx_i = 2 (x_i - mean) / n
    np.testing.assert_allclose(grad(tnp.nanvar)(X), [-2.0, 0.0, -2 / 3, 8 / 3], rtol=1e-15)
    deviation = np.nanstd(X)
    expected = np.array([-1.0, 0.0, -1 / 3, 4 / 3]) / deviation
    np.testing.assert_allclose(grad(tnp.nanstd)(X), expected, rtol=1e-15)


@pytest.mark.parametrize("axis", [None, 0])
def test_where_that_broadcasts(axis: int | None) -> None:
    x = np.array([[1.0, 2.0], [np.inf, 5.0], [4.0, -1.0]])
    where = np.array([[True], [False], [True]])

    def total(x: ArrayLike) -> Array:
        return tnp.sum(tnp.var(x, axis, where=where))

    np.testing.assert_allclose(total(x), np.sum(np.var(x[[0, 2]], axis)), rtol=1e-15)
    assert np.all(np.isfinite(grad(total)(x)))


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
@pytest.mark.parametrize("ddof", [0, 1])
def test_no_observations_have_no_covariance(shape: tuple[int, ...], ddof: int) -> None:
    assert np.isnan(tnp.cov(np.zeros(shape, np.float32), ddof=ddof)).all()


def test_ddof_and_its_other_name_are_not_given_together() -> None:
    x = np.array([1.0, 2.0, 6.0])
    for ours, numpys in ((tnp.var, np.var), (tnp.std, np.std)):
        np.testing.assert_allclose(ours(x, ddof=0, correction=1), numpys(x, ddof=1), rtol=1e-15)
        for correction in (0, 1):
            with pytest.raises(ValueError, match="ddof and correction"):
                ours(x, ddof=1, correction=correction)
        with pytest.raises(ArgumentError, match="correction must be a number"):
            ours(x, correction="1")  # type: ignore[arg-type]


@pytest.mark.parametrize("where", [None, np.array([True, True, False, True])])
def test_degrees_of_freedom_may_be_an_array(where: np.ndarray | None) -> None:
    x = np.array([1.0, 2.0, 6.0, 4.0])
    for degrees in (0.5, 1, 5):
        chosen = x if where is None else x[where]
        expected = np.var(chosen, ddof=degrees) if degrees < len(chosen) else np.nan
        count: Any = np.array(degrees)
        np.testing.assert_allclose(tnp.var(x, ddof=count, where=where), expected, rtol=1e-12)
        np.testing.assert_allclose(tnp.var(x, correction=count, where=where), expected, rtol=1e-12)
    # of s / (n - d): s / (n - d)²
    slope = grad(lambda d: tnp.var(x, ddof=d))(1.0)
    np.testing.assert_allclose(slope, np.var(x) * 4 / 9, rtol=1e-12)
    with pytest.raises(ArgumentError, match="ddof must be a number"):
        tnp.var(x, ddof=np.ones(2))  # type: ignore[arg-type]
