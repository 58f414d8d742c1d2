"""Questions about special functions and statistics."""

from __future__ import annotations

import math
from typing import Final

from conformance.parity.questions import Drawer, Group, Question, array, call, filled

SPECIAL: Final = ("i0", "i0e", "i1", "i1e", "exp1", "expi", "erfcx", "dawsn", "spence", "log_ndtr")
LOCATED: Final = (
    "norm",
    "cauchy",
    "expon",
    "gumbel_l",
    "gumbel_r",
    "laplace",
    "logistic",
    "uniform",
)


def special(d: Drawer) -> list[Question]:
    """Values and types, of integers too, and with broadcasting.

    Not of `bernoulli`, which JAX sums to 5 digits, nor `owens_t`, which it answers in float64.
    """
    dtype = d.one(("float32", "int32"))
    x = filled(1, (5,), "float32", low=0.2, high=3)
    y = filled(2, (3, 1), dtype, low=1, high=4)
    u = filled(3, (5,), "float32", low=0.1, high=0.9)
    return [
        *(call(f"scipy.special.{name}", x) for name in SPECIAL),
        *(call(f"scipy.special.{name}", y, x) for name in ("gammainc", "gammaincc", "poch")),
        call("scipy.special.betainc", y, 2, u),
        call("scipy.special.polygamma", filled(4, (5,), "int32", low=0, high=4), x),
        call("scipy.special.zeta", y, 1.5),
        call("scipy.special.expn", 2, x),
        call("scipy.special.sici", x),
        call("scipy.special.fresnel", x),
        call("scipy.special.ndtri", u),
        call("scipy.special.hyp1f1", 1.5, 2.5, x),
        call("scipy.special.hyp2f1", 0.5, 1.5, 2.5, u),
        call("lax.igamma", x, u),
        call("lax.bessel_i0e", x),
        call("numpy.i0", x),
    ]


def statistics(d: Drawer) -> list[Question]:
    """Densities, and functions of samples. Of floats: whether densities of integers are weak differs within JAX."""
    x = filled(5, (4, 3), "float32", low=1, high=4)
    u = filled(6, (4,), "float32", low=0.1, high=0.9)
    k = filled(7, (4,), "int32", low=0, high=5)
    axis = d.one((None, 0, 1))
    methods = ("average", "min", "max", "dense", "ordinal")
    return [
        *(call(f"scipy.stats.{name}.logpdf", x, 0.5, 2) for name in LOCATED),
        *(call(f"scipy.stats.{name}.cdf", x, 0.5, 2) for name in LOCATED),
        call("scipy.stats.gamma.logpdf", x, 2.0),
        call("scipy.stats.beta.logpdf", u, 2, 3),
        call("scipy.stats.t.logpdf", x, 3),
        call("scipy.stats.binom.logpmf", k, 5, u),
        call("scipy.stats.poisson.pmf", k, 2.5),
        call("scipy.stats.truncnorm.logpdf", u, 0.0, 2.0),
        call("scipy.stats.mode", k),
        call("scipy.stats.sem", x, axis),
        *(call("scipy.stats.rankdata", x, method, axis=axis) for method in methods),
        call("scipy.stats.multivariate_normal.logpdf", u, 0.0, 2.0),
    ]


def wrong() -> list[Question]:
    """Ask for calls that both reject."""
    x = filled(8, (3,), "float32")
    return [
        call("scipy.special.zeta", 2.0),
        call("scipy.special.polygamma", 1.5, 2.0),
        call("lax.igamma", 1, 2),
        call("lax.betainc", x, x, filled(9, (2,), "float32")),
        call("scipy.stats.rankdata", x, "other"),
        call("scipy.stats.mode", x, nan_policy="omit"),
        call("scipy.stats.mode", x, nan_policy="other"),
    ]


def ends() -> list[Question]:
    """Functions at poles, at infinity, of NaN, and beyond what they are defined for."""
    nan, infinity = math.nan, math.inf
    numbers, one = array([0.0, -0.0, 0.5, infinity, nan], "float32"), array([1.0], "float32")
    unsigned, places = filled(10, (3,), "uint8", low=1, high=4), array([0, 2, 2], "int32")
    return [
        call("lax.digamma", numbers),
        call("numpy.hypot", numbers, array([infinity, nan, 1.0, infinity, infinity], "float32")),
        call("numpy.logaddexp.at", unsigned, places, unsigned, inplace=False),
        call("numpy.maximum.at", unsigned, places, array([2.5], "float32"), inplace=False),
        call("numpy.subtract.at", filled(11, (3,), "int32"), places, unsigned, inplace=False),
        call("scipy.special.kl_div", numbers, array([nan], "float32")),
        call("scipy.special.rel_entr", array([nan, 0.0, 1.0], "float32"), array([nan], "float32")),
        call("scipy.stats.cauchy.isf", array([2.0, -1.0, 0.25], "float32")),
        call("scipy.stats.truncnorm.cdf", one, one, one),
        call("scipy.stats.truncnorm.logpdf", one, array([2.0], "float32"), one),
    ]


GROUPS: Final[dict[str, Group]] = {
    "special": special,
    "statistics": statistics,
    "ends": lambda d: ends(),
}
