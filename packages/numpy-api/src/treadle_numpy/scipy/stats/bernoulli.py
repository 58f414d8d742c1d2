"""The Bernoulli distribution: 1 with probability `p`, else 0."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.exponents import xlog1py, xlogy
from treadle_numpy.scipy.stats.arguments import counts, parameters, within

__all__ = ["cdf", "logpmf", "pmf", "ppf"]


@composed
def logpmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the logarithm of the probability.

    Example:
        >>> print(f"{float(logpmf(1.0, 0.3)):.4f}")
        -1.2040
    """
    point, p_ = counts("bernoulli.logpmf", k, loc, p)
    inside = (point == 0) | (point == 1)
    y = where(inside, point, 0)
    value = xlogy(y, p_) + xlog1py(1 - y, -p_)
    return within(inside, value, -np.inf, point)


@composed
def pmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the probability.

    Example:
        >>> print(f"{float(pmf(1.0, 0.3)):.4f}")
        0.3000
    """
    return exp(logpmf(k, p, loc))


@composed
def cdf(k: ArrayLike, p: ArrayLike) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.0, 0.3)):.4f}")
        1.0000
    """
    y, p_ = parameters("bernoulli.cdf", k, p)
    value = where(y < 0, 0, where(y < 1, 1 - p_, 1))
    return within(y == y, value, y, y)


@composed
def ppf(q: ArrayLike, p: ArrayLike) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.9, 0.3)):.4f}")
        1.0000
    """
    y, p_ = parameters("bernoulli.ppf", q, p)
    one = p_**0  # of the type of both
    value = where(y <= 1 - p_, one - 1, where(y <= 1, one, np.nan))
    return where(y >= 0, value, np.nan)
