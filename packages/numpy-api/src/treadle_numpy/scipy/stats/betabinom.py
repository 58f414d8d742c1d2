"""The beta-binomial distribution: `n` trials whose probability has the beta distribution of `a` and `b`."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.betas import betaln, log_of_choices
from treadle_numpy.scipy.stats.arguments import counts, whole, within

__all__ = ["logpmf", "pmf"]


@composed
def logpmf(k: ArrayLike, n: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the logarithm of the probability.

    Example:
        >>> print(f"{float(logpmf(2.0, 5.0, 1.5, 2.0)):.4f}")
        -1.5459
    """
    point, n_, a_, b_ = counts("betabinom.logpmf", k, loc, n, a, b)
    inside = whole(point) & (point >= 0) & (point <= n_)
    y = where(inside, point, 0)
    value = log_of_choices(n_, y) + betaln(y + a_, n_ - y + b_) - betaln(a_, b_)
    return within(inside, value, -np.inf, point)


@composed
def pmf(k: ArrayLike, n: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0) -> Array:
    """Return the probability.

    Example:
        >>> print(f"{float(pmf(2.0, 5.0, 1.5, 2.0)):.4f}")
        0.2131
    """
    return exp(logpmf(k, n, a, b, loc))
