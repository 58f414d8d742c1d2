"""The beta distribution of shapes `a` and `b`, from `loc` to `loc + scale`."""

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
from treadle_numpy.scipy.special.incomplete import betainc
from treadle_numpy.scipy.stats.arguments import ending, located, log_of, within

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]


@composed
def cdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(0.25, 2.0, 3.0, 0.0, 1.0)):.4f}")
        0.2617
    """
    z, scale, a_, b_ = located("beta.cdf", x, loc, scale, a, b)
    outside = (z <= 0) | (z >= 1)
    return ending(outside, where(z >= 1, 1, 0), betainc(a_, b_, where(outside, 0.5, z)))


@composed
def logcdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(0.25, 2.0, 3.0, 0.0, 1.0)):.4f}")
        -1.3405
    """
    return log_of(cdf(x, a, b, loc, scale), sf(x, a, b, loc, scale))


@composed
def logpdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(0.25, 2.0, 3.0, 0.0, 1.0)):.4f}")
        0.5232
    """
    z, scale, a_, b_ = located("beta.logpdf", x, loc, scale, a, b)
    inside = (z >= 0) & (z <= 1)
    y = where(inside, z, 0.5)
    value = xlogy(a_ - 1, y) + xlog1py(b_ - 1, -y) - betaln(a_, b_) - log(scale)
    return within(inside, value, -np.inf, z)


@composed
def logsf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(0.25, 2.0, 3.0, 0.0, 1.0)):.4f}")
        -0.3034
    """
    return log_of(sf(x, a, b, loc, scale), cdf(x, a, b, loc, scale))


@composed
def pdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(0.25, 2.0, 3.0, 0.0, 1.0)):.4f}")
        1.6875
    """
    return exp(logpdf(x, a, b, loc, scale))


@composed
def sf(x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(0.25, 2.0, 3.0, 0.0, 1.0)):.4f}")
        0.7383
    """
    z, scale, a_, b_ = located("beta.sf", x, loc, scale, a, b)
    outside = (z <= 0) | (z >= 1)
    return ending(outside, where(z >= 1, 0, 1), betainc(b_, a_, where(outside, 0.5, 1 - z)))
