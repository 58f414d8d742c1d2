"""The normal distribution; `loc` is the mean, `scale` the standard deviation."""

# This module is a public namespace.
from __future__ import annotations

import math

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.normals import log_ndtr, ndtr, ndtri
from treadle_numpy.scipy.stats.arguments import located, placed

__all__ = ["cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.5987
    """
    z, scale = located("norm.cdf", x, loc, scale)
    return ndtr(z)


@composed
def isf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the inverse of the survival function.

    Example:
        >>> print(f"{float(isf(0.3, 1.0, 2.0)):.4f}")
        2.0488
    """
    return placed("norm.isf", q, loc, scale, lambda q: -ndtri(q))


@composed
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(1.5, 1.0, 2.0)):.4f}")
        -0.5130
    """
    z, scale = located("norm.logcdf", x, loc, scale)
    return log_ndtr(z)


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -1.6433
    """
    z, scale = located("norm.logpdf", x, loc, scale)
    return -0.5 * (z * z + math.log(2 * math.pi)) - log(scale)


@composed
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(1.5, 1.0, 2.0)):.4f}")
        -0.9131
    """
    z, scale = located("norm.logsf", x, loc, scale)
    return log_ndtr(-z)


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.1933
    """
    return exp(logpdf(x, loc, scale))


@composed
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.3, 1.0, 2.0)):.4f}")
        -0.0488
    """
    return placed("norm.ppf", q, loc, scale, lambda q: ndtri(q))


@composed
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 1.0, 2.0)):.4f}")
        0.4013
    """
    z, scale = located("norm.sf", x, loc, scale)
    return ndtr(-z)
