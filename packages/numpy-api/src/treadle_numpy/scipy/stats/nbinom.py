"""The negative binomial distribution: failures before `n` successes of probability `p`."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.betas import betaln
from treadle_numpy.scipy.special.exponents import xlog1py, xlogy
from treadle_numpy.scipy.stats.arguments import counts, whole, within

__all__ = ["logpmf", "pmf"]


@composed
def logpmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the logarithm of the probability.

    Example:
        >>> print(f"{float(logpmf(2.0, 5.0, 0.3)):.4f}")
        -4.0252
    """
    point, n_, p_ = counts("nbinom.logpmf", k, loc, n, p)
    inside = whole(point) & (point >= 0)
    y = where(inside, point, 0)
    choices = -log(y + n_) - betaln(n_, y + 1)
    value = choices + xlogy(n_, p_) + xlog1py(y, -p_)
    return within(inside, value, -np.inf, point)


@composed
def pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the probability.

    Example:
        >>> print(f"{float(pmf(2.0, 5.0, 0.3)):.4f}")
        0.0179
    """
    return exp(logpmf(k, n, p, loc))
