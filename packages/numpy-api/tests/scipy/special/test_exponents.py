"""logsumexp with weights, some of them 0, and of infinities; entr at 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.special

from treadle_autodiff import grad, jvp, vjp
from treadle_numpy.scipy.special import boxcox, boxcox1p, entr, kl_div, logit, logsumexp, rel_entr

pytestmark = pytest.mark.usefixtures("wide")


def test_slopes_by_weights_of_zero() -> None:
    x, b = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.5])
    total = np.sum(b * np.exp(x))
    np.testing.assert_allclose(grad(lambda b: logsumexp(x, b=b))(b), np.exp(x) / total, rtol=1e-14)
    np.testing.assert_allclose(
        grad(lambda x: logsumexp(x, b=b))(x), b * np.exp(x) / total, rtol=1e-14
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_weighs_nothing_may_be_anything(dtype: type[np.floating]) -> None:
    b = np.array([0.0, 1.0], dtype)
    for value in (1000.0, np.inf, -np.inf, np.nan):
        x = np.array([value, 0.5], dtype)
        assert logsumexp(x, b=b) == 0.5
        _, slope = jvp(lambda x: logsumexp(x, b=b), (x,), (np.ones(2, dtype),))
        assert slope == 1.0


def test_entr_at_zero_and_below() -> None:
    slopes = grad(lambda x: np.float64(1.0) * entr(x))
    assert slopes(np.float64(0.0)) == np.inf
    assert slopes(np.float64(-1.0)) == 0.0
    assert slopes(np.float64(1.0)) == -1.0
    assert grad(slopes)(np.float64(-1.0)) == 0.0
    assert grad(slopes)(np.float64(0.5)) == -2.0
    x = np.array([-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf, np.nan])
    np.testing.assert_array_equal(entr(x), scipy.special.entr(x))


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-6), (np.float64, 2e-12)])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("power", [0.0, 1e-9, 1e-3, -5e-3, 9.9e-3])
def test_derivatives_of_boxcox_by_powers_near_zero(
    power: float, order: int, dtype: type[np.floating], tolerance: float
) -> None:
    function = boxcox
    for _ in range(order):
        function = grad(function, 1)
    x = dtype(2.0)
    logarithm = float(np.log(2.0))
    # the Taylor series of (x^p - 1) / p at p = 0, differentiated term by term
    true = sum(
        logarithm ** (n + 1)
        / math.factorial(n + 1)
        * math.perm(n, order)
        * float(dtype(power)) ** (n - order)
        for n in range(order, 20)
    )
    assert math.isclose(float(function(x, dtype(power))), true, rel_tol=tolerance)


@pytest.mark.parametrize("function", [boxcox, boxcox1p])
def test_boxcox_at_the_ends_of_its_domain(function: Any) -> None:
    x = np.array([0, -1, np.inf, np.nan, 0, 0, 0.5, 1, 2, 3, 1e30, 1, np.inf, np.nan, 1e38])
    power = np.array([0, 0, 0, 0, 1, -1, 0, 0, 1e-3, 2, 3, -2, 1, 1, -1e-3])
    expected = getattr(scipy.special, function.__name__)(x, power)
    np.testing.assert_allclose(function(x, power), expected, rtol=1e-13)


@pytest.mark.parametrize(("function", "end"), [(boxcox, 0.0), (boxcox1p, -1.0)])
def test_the_slope_of_boxcox_of_power_0_is_that_of_the_logarithm_at_its_end(
    function: Any, end: float
) -> None:
    assert jvp(function, (end, 0.0), (1.0, 0.0)) == (-np.inf, np.inf)
    assert vjp(function, end, 0.0)[1](1.0) == (np.inf, 0.0)


def test_logsumexp_of_nothing_but_minus_infinity() -> None:
    x = np.array([-np.inf, -np.inf], np.float32)
    np.testing.assert_allclose(logsumexp(x), -np.inf)


def test_logit_to_units_in_the_last_place() -> None:
    drawn = np.random.default_rng(0)
    x = np.concatenate([drawn.uniform(0, 1, 2000), 10 ** drawn.uniform(-37, 0, 2000)])
    x = x[x < 1].astype(np.float32)
    x = x[(x > 0) & (x < 1)]
    true = scipy.special.logit(x.astype(np.float64))
    # near 1/2 the scale of the quotient, which is near 1
    scale = np.maximum(np.abs(true), 1.0).astype(np.float32)
    assert np.max(np.abs(np.asarray(logit(x)) - true) / np.spacing(scale)) < 2


def test_logit_at_ends_and_beyond() -> None:
    x = np.array([0.0, 1.0, -0.5, 1.5, np.nan], np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(logit(x), [-np.inf, np.inf, np.nan, np.nan, np.nan])
        slopes = [grad(logit)(np.float32(p)) for p in (0.0, 0.25, 1.0)]
    np.testing.assert_allclose(slopes, [np.inf, 16 / 3, np.inf], rtol=1e-6)
    z = np.complex64(2 - 1j)
    np.testing.assert_allclose(logit(z), np.log(z) - np.log(1 - z), rtol=1e-5)


def test_a_number_with_many_weights_is_summed_with_each() -> None:
    b = np.array([1.0, 2.0, 0.5])
    expected = scipy.special.logsumexp(2.0, b=b)
    for axis in (None, 0):
        found = logsumexp(2.0, axis, b)
        assert found.shape == ()
        np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize("greatest", [1e300, np.inf])
def test_what_is_left_out_has_no_slope(greatest: float) -> None:
    x = np.array([1.0, -2e300, greatest])
    for where, slopes in (([True, False, False], [1, 0, 0]), ([False] * 3, [0, 0, 0])):
        mask = np.array(where)
        np.testing.assert_array_equal(grad(lambda x, m=mask: logsumexp(x, where=m))(x), slopes)


def test_boxcox_of_complex_numbers() -> None:
    x = np.array([0.3 + 0.2j, -1.5 + 0.4j, 1.0 + 1e-3j])
    for power in (0.5, 1e-4, 1 - 2j):
        expected = (x**power - 1) / power  # which itself has lost what a difference by 1e-4 loses
        np.testing.assert_allclose(boxcox(x, power), expected, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(boxcox1p(x - 1, power), expected, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(boxcox(x, 0.0), np.log(x), rtol=1e-14)


NUMBERS = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.25])


@pytest.mark.parametrize("name", ["rel_entr", "kl_div"])
def test_relative_entropies_at_all_pairs_of_special_numbers(name: str) -> None:
    p, q = (x.ravel() for x in np.meshgrid(NUMBERS, NUMBERS))
    with np.errstate(all="ignore"):
        expected = scipy.special.rel_entr(p, q)
        if (
            name == "kl_div"
        ):  # SciPy's own says infinity also where an infinite number is taken from it
            expected = expected - p + q
    found = {"rel_entr": rel_entr, "kl_div": kl_div}[name](p, q)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)
