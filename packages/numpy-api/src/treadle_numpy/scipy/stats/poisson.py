"""The Poisson distribution of mean `mu`."""

# This module is a public namespace.
from __future__ import annotations

import math
from typing import Final

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_arrays
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.numpy.ufuncs.rounding import floor
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted
from treadle_numpy.scipy.special.exponents import xlogy
from treadle_numpy.scipy.special.gammas import gammaln
from treadle_numpy.scipy.special.incomplete import gammaincc
from treadle_numpy.scipy.stats.arguments import counts, parameters, whole, within

__all__ = ["cdf", "entropy", "logpmf", "pmf"]


_MANY: Final = 64  # from this mean on the asymptotic series is exact to 1e-9
_TERMS: Final = 200  # of the sum below


@composed
def logpmf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the logarithm of the probability.

    Example:
        >>> print(f"{float(logpmf(2.0, 2.5)):.4f}")
        -1.3606
    """
    point, mu_ = counts("poisson.logpmf", k, loc, mu)
    inside = whole(point) & (point >= 0)
    y = where(inside, point, 0)
    value = xlogy(y, mu_) - gammaln(y + 1) - mu_
    return within(inside, value, -np.inf, point)


@composed
def pmf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the probability.

    Example:
        >>> print(f"{float(pmf(2.0, 2.5)):.4f}")
        0.2565
    """
    return exp(logpmf(k, mu, loc))


@composed
def cdf(k: ArrayLike, mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(2.0, 2.5)):.4f}")
        0.5438
    """
    y, mu_ = counts("poisson.cdf", k, loc, mu)
    return where(y < 0, 0, gammaincc(floor(maximum(y, 0)) + 1, mu_))


@composed
def entropy(mu: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the entropy, in nats; `loc` does not change it.

    Example:
        >>> print(f"{float(entropy(2.5)):.4f}")
        1.8307
    """
    mean, _ = broadcast_arrays(*parameters("poisson.entropy", mu, loc))
    small = mean < _MANY
    few = where(small, mean, 1)
    total = few * 0
    for k in range(_TERMS):
        probability = exp(xlogy(k, few) - few - math.lgamma(k + 1))
        total = total - xlogy(probability, probability)
    many = where(small, _MANY, mean)
    series = 1 / 12 + (1 / 24 + (19 / 360 + 9 / 80 / many) / many) / many
    asymptotic = 0.5 * log(2 * math.pi * math.e * many) - series / many
    result = where(mean < 0, np.nan, where(small, total, asymptotic))
    return converted(result, result.dtype)  # not weak
