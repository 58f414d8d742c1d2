"""Random numbers have the distributions they say: the test of Kolmogorov and Smirnov, counts of whole numbers, moments.

Keys are fixed, so a test that passes always passes. The level of 1e-3 is where a right sampler fails for one key in a
thousand; wrong by more than about two percent of probability somewhere, it fails for any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
import scipy.stats as stats

import treadle
import treadle.random as random

COUNT: Final = 8000
LEVEL: Final = 1e-3
KEY: Final = 2026


class Case(NamedTuple):
    """A call, and the distribution of its numbers."""

    name: str
    arguments: tuple[Any, ...]
    true: Any


CONTINUOUS: Final = [
    Case("uniform", (), stats.uniform()),
    Case("normal", (), stats.norm()),
    Case("exponential", (), stats.expon()),
    Case("gumbel", (), stats.gumbel_r()),
    Case("laplace", (), stats.laplace()),
    Case("logistic", (), stats.logistic()),
    Case("cauchy", (), stats.cauchy()),
    Case("maxwell", (), stats.maxwell()),
    Case("lognormal", (0.5,), stats.lognorm(0.5)),
    Case("truncated_normal", (-1.0, 2.0), stats.truncnorm(-1, 2)),
    Case("rayleigh", (2.0,), stats.rayleigh(scale=2)),
    Case("weibull_min", (2.0, 1.5), stats.weibull_min(1.5, scale=2)),
    Case("pareto", (2.5,), stats.pareto(2.5)),
    Case("triangular", (1.0, 2.0, 4.0), stats.triang(1 / 3, 1, 3)),
    *[Case("gamma", (a,), stats.gamma(a)) for a in (0.1, 0.7, 1.0, 2.5, 40.0)],
    *[Case("loggamma", (a,), stats.loggamma(a)) for a in (0.3, 3.0)],
    Case("beta", (2.0, 3.0), stats.beta(2, 3)),
    Case("beta", (0.3, 0.6), stats.beta(0.3, 0.6)),
    Case("chisquare", (3.0,), stats.chi2(3)),
    Case("f", (5.0, 7.0), stats.f(5, 7)),
    Case("t", (3.0,), stats.t(3)),
    Case("generalized_normal", (1.5,), stats.gennorm(1.5)),
    Case("wald", (0.7,), stats.invgauss(0.7)),
    Case("wald", (1e4,), stats.invgauss(1e4)),  # where the textbook formula cancels
    Case("double_sided_maxwell", (1.0, 2.0), None),
]
WHOLE: Final = [
    Case("randint", (3, 10), stats.randint(3, 10)),
    Case("bernoulli", (0.3,), stats.bernoulli(0.3)),
    Case("geometric", (0.2,), stats.geom(0.2)),
    *[Case("poisson", (rate,), stats.poisson(rate)) for rate in (0.2, 3.0, 9.9, 10.0, 37.5, 400.0)],
    *[
        Case("binomial", (n, p), stats.binom(n, p))
        for n, p in ((1, 0.4), (10, 0.3), (10, 0.8), (40, 0.5), (200, 0.1), (200, 0.9), (2000, 0.3))
    ],
]


def named(case: Case) -> str:
    return f"{case.name}{case.arguments}"


def drawn(case: Case, count: int = COUNT) -> np.ndarray:
    """Numbers of a case, in double precision."""
    keywords: dict[str, Any] = {} if case.name == "randint" else {"shape": (count,)}
    arguments = ((count,), *case.arguments) if case.name == "randint" else case.arguments
    key = random.key(KEY)
    return np.asarray(getattr(random, case.name)(key, *arguments, **keywords)).astype(np.float64)


def maxwell_of_two_sides(x: np.ndarray) -> np.ndarray:
    """The distribution function of double_sided_maxwell(1, 2)."""
    z = (x - 1) / 2
    return 0.5 + 0.5 * np.sign(z) * stats.maxwell.cdf(abs(z))


@pytest.mark.parametrize("case", CONTINUOUS, ids=named)
def test_continuous(case: Case) -> None:
    function: Callable[..., Any] = maxwell_of_two_sides if case.true is None else case.true.cdf
    numbers = drawn(case)
    assert numbers.shape == (COUNT,)
    assert stats.kstest(numbers, function).pvalue > LEVEL


@pytest.mark.parametrize("case", WHOLE, ids=named)
def test_whole(case: Case) -> None:
    """A chi-square test, of numbers that are expected at least ten times, and the rest in one bin on each side."""
    numbers = drawn(case)
    values = np.arange(int(numbers.min()), int(numbers.max()) + 1)
    np.testing.assert_array_equal(numbers, np.round(numbers))
    expected = COUNT * case.true.pmf(values)
    often = values[expected >= 10]
    inside = [(numbers == value).sum() for value in often]
    bins = [
        (numbers < often[0]).sum(),
        *inside,
        (numbers > often[-1]).sum(),
    ]
    true = COUNT * np.array(
        [case.true.cdf(often[0] - 1), *case.true.pmf(often), case.true.sf(often[-1])]
    )
    kept = true > 1e-9
    assert np.array(bins)[~kept].sum() == 0
    statistic = ((np.array(bins)[kept] - true[kept]) ** 2 / true[kept]).sum()
    assert stats.chi2.sf(statistic, max(kept.sum() - 1, 1)) > LEVEL


def test_rademacher() -> None:
    signs = np.asarray(random.rademacher(random.key(KEY), (COUNT,)))
    assert set(signs.tolist()) == {-1, 1}
    assert abs(signs.mean()) < 4 / np.sqrt(COUNT)


def test_dirichlet() -> None:
    alpha = np.array([0.5, 2.0, 3.5])
    shares = np.asarray(random.dirichlet(random.key(KEY), alpha, (COUNT,))).astype(np.float64)
    np.testing.assert_allclose(shares.sum(-1), 1, rtol=1e-6)
    for i, a in enumerate(alpha):
        assert stats.kstest(shares[:, i], stats.beta(a, alpha.sum() - a).cdf).pvalue > LEVEL


@pytest.mark.parametrize("p", [1.0, 2.0, 3.5])
def test_ball(p: float) -> None:
    points = np.asarray(random.ball(random.key(KEY), 3, p, (COUNT,))).astype(np.float64)
    lengths = (abs(points) ** p).sum(-1) ** (1 / p)
    # the volume inside of a radius is its third power; each direction is as likely as its opposite
    assert stats.kstest(lengths**3, stats.uniform.cdf).pvalue > LEVEL
    assert (abs((points > 0).mean(0) - 0.5) < 4 * 0.5 / np.sqrt(COUNT)).all()


def test_multinomial() -> None:
    p = np.array([0.2, 0.5, 0.05, 0.25])
    counts = np.asarray(random.multinomial(random.key(KEY), 30, p, shape=(COUNT,)))
    assert (counts.sum(-1) == 30).all()
    for i, each in enumerate(p):
        case = stats.binom(30, each)
        mean, deviation = case.mean(), case.std()
        assert abs(counts[:, i].mean() - mean) < 4 * deviation / np.sqrt(COUNT)
        assert abs(counts[:, i].var() / deviation**2 - 1) < 0.08
    covariance = np.cov(counts.T)
    np.testing.assert_allclose(covariance, 30 * (np.diag(p) - np.outer(p, p)), atol=0.4)


@pytest.mark.parametrize("shape", [(), (2000,)])
def test_categorical_and_choice(shape: tuple[int, ...]) -> None:
    p = np.array([0.1, 0.2, 0.3, 0.4])
    keys = random.key(KEY)
    for places in (
        random.categorical(keys, np.log(p), shape=shape),
        random.choice(keys, 4, shape, p=p),
    ):
        assert places.shape == shape
        if shape:
            shares = np.bincount(np.asarray(places), minlength=4) / 2000
            assert (abs(shares - p) < 4 * np.sqrt(p * (1 - p) / 2000)).all()


@pytest.mark.parametrize(
    "case",
    [
        Case("gamma", (0.5,), stats.gamma(0.5)),
        Case("poisson", (20.0,), stats.poisson(20)),
        Case("binomial", (50, 0.4), stats.binom(50, 0.4)),
        Case("t", (4.0,), stats.t(4)),
    ],
    ids=named,
)
def test_wide(case: Case) -> None:
    """64 bits: moments."""
    with treadle.enable_x64(True):
        numbers = drawn(case)
        mean, variance = case.true.stats(moments="mv")
        assert abs(numbers.mean() - mean) < 4 * np.sqrt(variance / COUNT)
        assert abs(numbers.var() / variance - 1) < 0.25


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["gamma", "chisquare", "t", "beta"])
def test_narrow(name: str, dtype: str) -> None:
    """16 bits: means."""
    arguments = {"gamma": (2.0,), "chisquare": (3.0,), "t": (8.0,), "beta": (2.0, 2.0)}[name]
    true = {"gamma": 2.0, "chisquare": 3.0, "t": 0.0, "beta": 0.5}[name]
    numbers = getattr(random, name)(random.key(KEY), *arguments, shape=(2000,), dtype=dtype)
    assert str(numbers.dtype) == dtype
    assert abs(np.asarray(numbers).astype(np.float64).mean() - true) < 0.12


@pytest.mark.parametrize("name", ["gamma", "loggamma", "poisson"])
def test_vmap_draws_what_a_loop_draws(name: str) -> None:
    keys = random.split(random.key(0), 3)
    a = np.array([0.3, 2.0, 30.0], np.float32)
    draw = getattr(random, name)
    batched = treadle.vmap(lambda key, a: draw(key, a, (4,)))(keys, a)
    np.testing.assert_array_equal(
        batched, [np.asarray(draw(keys[i], a[i], (4,))) for i in range(3)]
    )


def level(name: str, a: float, number: float) -> float:
    """The distribution function of a gamma float, or of its logarithm."""
    true = stats.gamma(a) if name == "gamma" else stats.loggamma(a)
    return float(true.cdf(number))


@pytest.mark.parametrize("a", [0.05, 0.7, 1.0, 4.0, 60.0])
@pytest.mark.parametrize("name", ["gamma", "loggamma"])
def test_derivatives_keep_the_level(name: str, a: float) -> None:
    """A number that moves with the concentration stays at its level of the distribution function."""
    with treadle.enable_x64(True):
        draw = getattr(random, name)
        for seed in range(3):
            key = random.key(seed)
            number = float(draw(key, a))
            slope = float(treadle.grad(lambda a, key=key: draw(key, a))(a))
            step = 1e-5 * a
            levels = [level(name, a + h, number + h * slope) for h in (-step, step)]
            flat = abs(levels[1] - levels[0]) / (2 * step)
            steep = abs(level(name, a + step, number) - level(name, a - step, number)) / (2 * step)
            assert flat < 1e-5 * steep + 1e-9


def test_derivatives_of_what_is_made_of_gamma_floats() -> None:
    """The mean of the derivatives is the derivative of the mean: 2 / 3 ** 2 of beta(1, 2), 1 of chi-square."""
    keys = random.key(KEY)
    beta = treadle.grad(lambda a: random.beta(keys, a, 2.0, (COUNT,)).mean())(1.0)
    assert abs(float(beta) - 2 / 9) < 0.01
    assert (
        abs(float(treadle.grad(lambda d: random.chisquare(keys, d, (COUNT,)).mean())(3.0)) - 1)
        < 0.05
    )


def test_the_logarithm_of_what_underflows_has_derivatives() -> None:
    for a in (1e-3, 1e-6, 1e-20):
        number, slope = treadle.value_and_grad(lambda a: random.loggamma(random.key(0), a))(a)
        # u ** (1 / a) for a uniform number u, nearly: its logarithm falls as 1 / a
        assert abs(float(slope) * a / float(-number) - 1) < 0.02
