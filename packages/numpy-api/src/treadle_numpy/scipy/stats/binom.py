"""The binomial distribution: successes in `n` trials of probability `p`."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.betas import log_of_choices
from treadle_numpy.scipy.special.exponents import xlog1py, xlogy
from treadle_numpy.scipy.stats.arguments import counts, whole, within

__all__ = ["logpmf", "pmf"]


@composed
def logpmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the logarithm of the probability.

    Example:
        >>> print(f"{float(logpmf(2.0, 5.0, 0.3)):.4f}")
        -1.1754
    """
    point, n_, p_ = counts("binom.logpmf", k, loc, n, p)
    inside = whole(point) & (point >= 0) & (point <= n_)
    y = where(inside, point, 0)
    value = log_of_choices(n_, y) + xlogy(y, p_) + xlog1py(n_ - y, -p_)
    return within(inside, value, -np.inf, point)


@composed
def pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the probability.

    Example:
        >>> print(f"{float(pmf(2.0, 5.0, 0.3)):.4f}")
        0.3087
    """
    return exp(logpmf(k, n, p, loc))
