"""The chi-squared distribution of `df` degrees of freedom."""

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
def cdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 3.0, 0.0, 2.0)):.4f}")
        0.1386
    """
    z, scale, df_ = located("chi2.cdf", x, loc, scale, df)
    outside = z <= 0
    return ending(outside, 0, gammainc(0.5 * df_, where(outside, 1, 0.5 * z)))


@composed
def logcdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(1.5, 3.0, 0.0, 2.0)):.4f}")
        -1.9761
    """
    return log_of(cdf(x, df, loc, scale), sf(x, df, loc, scale))


@composed
def logpdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 3.0, 0.0, 2.0)):.4f}")
        -2.1309
    """
    z, scale, df_ = located("chi2.logpdf", x, loc, scale, df)
    inside = z >= 0
    y = 0.5 * where(inside, z, 1)
    value = xlogy(0.5 * df_ - 1, y) - y - gammaln(0.5 * df_) - log(2 * scale)
    return within(inside, value, -np.inf, z)


@composed
def logsf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(1.5, 3.0, 0.0, 2.0)):.4f}")
        -0.1492
    """
    return log_of(sf(x, df, loc, scale), cdf(x, df, loc, scale))


@composed
def pdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 3.0, 0.0, 2.0)):.4f}")
        0.1187
    """
    return exp(logpdf(x, df, loc, scale))


@composed
def sf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 3.0, 0.0, 2.0)):.4f}")
        0.8614
    """
    z, scale, df_ = located("chi2.sf", x, loc, scale, df)
    outside = z <= 0
    return ending(outside, 1, gammaincc(0.5 * df_, where(outside, 1, 0.5 * z)))
