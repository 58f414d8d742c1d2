"""The gamma distribution of shape `a`."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.exponents import xlogy
from treadle_numpy.scipy.special.gammas import gammaln
from treadle_numpy.scipy.special.incomplete import gammainc, gammaincc
from treadle_numpy.scipy.stats.arguments import ending, located, log_of, within

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]


@composed
def cdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 2.0, 0.0, 2.0)):.4f}")
        0.1734
    """
    z, scale, a_ = located("gamma.cdf", x, loc, scale, a)
    outside = z <= 0
    return ending(outside, 0, gammainc(a_, where(outside, 1, z)))


@composed
def logcdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(1.5, 2.0, 0.0, 2.0)):.4f}")
        -1.7524
    """
    return log_of(cdf(x, a, loc, scale), sf(x, a, loc, scale))


@composed
def logpdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 2.0, 0.0, 2.0)):.4f}")
        -1.7308
    """
    z, scale, a_ = located("gamma.logpdf", x, loc, scale, a)
    inside = z >= 0
    y = where(inside, z, 1)
    value = xlogy(a_ - 1, y) - y - gammaln(a_) - log(scale)
    return within(inside, value, -np.inf, z)


@composed
def logsf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(1.5, 2.0, 0.0, 2.0)):.4f}")
        -0.1904
    """
    return log_of(sf(x, a, loc, scale), cdf(x, a, loc, scale))


@composed
def pdf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 2.0, 0.0, 2.0)):.4f}")
        0.1771
    """
    return exp(logpdf(x, a, loc, scale))


@composed
def sf(x: ArrayLike, a: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 2.0, 0.0, 2.0)):.4f}")
        0.8266
    """
    z, scale, a_ = located("gamma.sf", x, loc, scale, a)
    outside = z <= 0
    return ending(outside, 1, gammaincc(a_, where(outside, 1, z)))
