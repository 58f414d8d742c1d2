"""The geometric distribution: trials of probability `p` until the first success."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.exponents import xlog1py
from treadle_numpy.scipy.stats.arguments import counts, whole, within

__all__ = ["logpmf", "pmf"]


@composed
def logpmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the logarithm of the probability.

    Example:
        >>> print(f"{float(logpmf(2.0, 0.3)):.4f}")
        -1.5606
    """
    point, p_ = counts("geom.logpmf", k, loc, p)
    inside = whole(point) & (point >= 1)
    y = where(inside, point, 1)
    value = xlog1py(y - 1, -p_) + log(p_)
    return within(inside, value, -np.inf, point)


@composed
def pmf(k: ArrayLike, p: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the probability.

    Example:
        >>> print(f"{float(pmf(2.0, 0.3)):.4f}")
        0.2100
    """
    return exp(logpmf(k, p, loc))
