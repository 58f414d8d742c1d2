"""Every function of every distribution against SciPy: parameters drawn, the whole line, outside of the support."""

import importlib
import inspect
import itertools
from typing import Any

import numpy as np
import pytest
import scipy.stats

from treadle_autodiff import grad
from treadle_numpy.scipy import stats

pytestmark = pytest.mark.usefixtures("wide")
COUNT = 200
# Intervals of the parameters of shape.
SHAPES = {
    "bernoulli": [(0, 1)],
    "beta": [(0.3, 9), (0.3, 9)],
    "betabinom": [(5, 30), (0.5, 4), (0.5, 4)],
    "binom": [(5, 30), (0, 1)],
    "cauchy": [],
    "chi2": [(0.5, 30)],
    "expon": [],
    "gamma": [(0.3, 20)],
    "gennorm": [(0.5, 4)],
    "geom": [(0.05, 1)],
    "gumbel_l": [],
    "gumbel_r": [],
    "laplace": [],
    "logistic": [],
    "nbinom": [(1, 10), (0.05, 1)],
    "norm": [],
    "pareto": [(0.5, 6)],
    "poisson": [(0.1, 60)],
    "t": [(0.5, 30)],
    "truncnorm": [(-4, -1), (0, 5)],
    "uniform": [],
    "vonmises": [(0.1, 50)],
    "wrapcauchy": [(0.05, 0.95)],
}
CALLS = [
    (name, function)
    for name in SHAPES
    for function in importlib.import_module(f"treadle_numpy.scipy.stats.{name}").__all__
]
BOUNDED = {
    "beta": (-0.3, 1.3),
    "uniform": (-0.3, 1.3),
    "wrapcauchy": (-1, 7),
    "vonmises": (-3.1, 3.1),
}
MANY = {"poisson.entropy": 1e-10}


def drawn(name, function):
    """Arguments: the point, parameters of shape, location and scale."""
    random = np.random.default_rng(1)
    arguments = list(inspect.signature(getattr(getattr(stats, name), function)).parameters)
    shapes = [random.uniform(*interval, COUNT) for interval in SHAPES[name]]
    if name in ("binom", "betabinom"):
        shapes[0] = np.floor(shapes[0])
    location, scale = random.normal(size=COUNT), random.uniform(0.3, 3, COUNT)
    if function in ("ppf", "isf"):
        point = random.uniform(0, 1, COUNT)
        point[:4] = [1, 0.25, -0.5, 1.5]
    elif "k" in arguments:
        point = np.floor(random.uniform(-2, 30, COUNT))
    elif name in BOUNDED:
        point = random.uniform(*BOUNDED[name], COUNT)
        point = point * scale + location if "scale" in arguments else point
    else:
        point = random.normal(size=COUNT) * 10 ** random.uniform(-1, 1.5, COUNT)
    given = [point] * (function != "entropy") + shapes
    return [*given, location, scale] if "scale" in arguments else given


@pytest.mark.parametrize(("name", "function"), CALLS)
def test_agrees_with_scipy(name, function):
    arguments = drawn(name, function)
    with np.errstate(all="ignore"):
        expected = getattr(getattr(scipy.stats, name), function)(*arguments)
    found = np.asarray(getattr(getattr(stats, name), function)(*arguments))
    rtol = MANY.get(f"{name}.{function}", 1e-11)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-300)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_gradients_are_finite_where_the_density_is_smooth(name):
    module = getattr(stats, name)
    function = module.logpdf if hasattr(module, "logpdf") else module.logpmf
    arguments = drawn(name, function.__name__)
    for i in range(1 if hasattr(module, "logpmf") else 0, len(arguments)):
        for k in range(0, COUNT, 40):
            point = [float(x[k]) for x in arguments]
            slope = float(grad(function, i)(*point))
            assert np.isfinite(slope), (name, i, point)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_nan_gives_nan(name):
    module = getattr(stats, name)
    function = module.logpdf if hasattr(module, "logpdf") else module.logpmf
    shapes = [0.5 * (low + high) for low, high in SHAPES[name]]
    assert np.isnan(float(function(np.nan, *shapes)))


@pytest.mark.parametrize(
    ("name", "function", "arguments"),
    [
        ("norm", "logcdf", (-1e4,)),
        ("norm", "isf", (1e-300,)),
        ("cauchy", "cdf", (-1e20,)),
        ("truncnorm", "logpdf", (30.5, 30.0, 31.0)),
        ("gumbel_r", "logsf", (40.0,)),
    ],
)
def test_tails(name, function, arguments):
    found = float(getattr(getattr(stats, name), function)(*arguments))
    expected = getattr(getattr(scipy.stats, name), function)(*arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(("name", "shapes"), [("cauchy", ()), ("t", (3.0,))])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_tails_of_which_the_square_overflows(name, shapes, dtype):
    x = np.array([-0.9, 0.9, 0.2, -0.2, 0.1, 1e-3], dtype) ** 3 * np.finfo(dtype).max
    found = np.asarray(getattr(stats, name).logpdf(x, *np.array(shapes, dtype)))
    with np.errstate(all="ignore"):
        terms = [getattr(scipy.stats, name).logpdf(1e50, *shapes) for _ in x]
    power = {"cauchy": 2, "t": 4}[name]  # the density falls as this power of x
    expected = terms - power * (np.log(np.abs(x.astype(np.float64))) - np.log(1e50))
    np.testing.assert_allclose(found, expected, rtol=1e-6 if dtype == np.float32 else 1e-13)


@pytest.mark.parametrize(("name", "sign"), [("gumbel_l", 1), ("gumbel_r", -1)])
def test_the_density_at_infinity_is_none(name, sign):
    module = getattr(stats, name)
    ends = np.array([sign, -sign], np.float32) * np.inf
    np.testing.assert_array_equal(module.logpdf(ends), [-np.inf, -np.inf])
    np.testing.assert_array_equal(module.pdf(ends), [0, 0])


def test_entropy_has_the_shape_of_all_arguments() -> None:
    assert stats.poisson.entropy(2.0, np.ones(3)).shape == (3,)
    assert stats.poisson.entropy(np.ones(2), np.ones((3, 1))).shape == (3, 2)


@pytest.mark.parametrize(
    ("distribution", "parameters", "below", "above"),
    [
        (stats.beta, (2.0, 3.0), -0.5, 1.5),
        (stats.beta, (0.5, 0.5), -0.5, 1.5),
        (stats.gamma, (2.0,), -0.5, None),
        (stats.gamma, (0.5,), -0.5, None),
        (stats.chi2, (3.0,), -0.5, None),
        (stats.chi2, (1.0,), -0.5, None),
    ],
)
def test_no_slope_beyond_a_support(
    distribution: Any, parameters: Any, below: float, above: float | None
) -> None:
    for function, at in ((distribution.logcdf, below), (distribution.logsf, above)):
        if at is not None:
            assert function(at, *parameters) == -np.inf
    functions = (distribution.cdf, distribution.sf, distribution.logcdf, distribution.logsf)
    for function, at in itertools.product(functions, (below, above)):
        if at is not None:
            assert grad(lambda x: function(x, *parameters))(at) == 0  # noqa: B023
            assert grad(grad(lambda x: function(x, *parameters)))(at) == 0  # noqa: B023
            assert np.isnan(function(at, *[-1.0 for _ in parameters]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_far_tails_of_gumbel_distributions(dtype: Any) -> None:
    for x in (3.0, 7.0, 12.0, 15.0, 20.0, 40.0, 300.0, 2000.0):
        at = dtype(x)
        exact = np.log(-np.expm1(-np.exp(-x))) if x < 30 else -x
        near = 4 * float(np.finfo(dtype).eps)
        np.testing.assert_allclose(float(stats.gumbel_r.logsf(at)), exact, rtol=near)
        np.testing.assert_allclose(float(stats.gumbel_l.logcdf(-at)), exact, rtol=near)
        assert np.isclose(float(grad(stats.gumbel_l.logcdf)(-at)), 1, atol=0.03)


@pytest.mark.parametrize(("dtype", "x"), [(np.float32, 1e30), (np.float64, 1e300)])
def test_a_normal_distribution_without_bounds_where_nothing_is_left(dtype: Any, x: float) -> None:
    at, most = dtype(x), dtype(np.inf)
    for a in (-most, dtype(20)):
        assert stats.truncnorm.logsf(at, a, most) == -np.inf
        assert stats.truncnorm.sf(at, a, most) == 0
        assert stats.truncnorm.logcdf(-at, -most, -a) == -np.inf
        assert stats.truncnorm.cdf(-at, -most, -a) == 0


@pytest.mark.parametrize("name", ["cauchy", "gumbel_l", "gumbel_r", "logistic", "norm"])
def test_slopes_of_quantiles_are_reciprocals_of_densities(name: str) -> None:
    quantile = getattr(stats, name).ppf
    inner = np.array([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
    truth = getattr(scipy.stats, name)
    for q, slope in zip(inner, 1 / truth.pdf(truth.ppf(inner)), strict=True):
        np.testing.assert_allclose(float(grad(quantile)(q)), slope, rtol=1e-9)
    for end, value in ((0.0, -np.inf), (1.0, np.inf)):
        assert (float(quantile(end)), float(grad(quantile)(end))) == (value, np.inf)


@pytest.mark.parametrize("name", ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"])
@pytest.mark.parametrize("limits", [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0), (0.0, np.nan)])
def test_a_truncation_to_nothing_has_no_distribution(
    name: str, limits: tuple[float, float]
) -> None:
    """As SciPy says: NaN, and no probability of 1 at the one point."""
    x = np.array([-1.0, 1.0, 1.5, 3.0])
    assert np.isnan(getattr(scipy.stats.truncnorm, name)(x, *limits)).all()
    assert np.isnan(np.asarray(getattr(stats.truncnorm, name)(x, *limits))).all()
