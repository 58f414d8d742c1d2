"""The exponential distribution from `loc` on, of mean `loc + scale`."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, expm1, log, log1p
from treadle_numpy.numpy.ufuncs.extremes import maximum
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.stats.arguments import located, log1mexp, placed, within

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.2212
    """
    z, scale = located("expon.cdf", x, loc, scale)
    return -expm1(-maximum(z, 0))


@composed
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(1.5, 1.0, 2.0)):.4f}")
        -1.5087
    """
    z, scale = located("expon.logcdf", x, loc, scale)
    inside = z > 0
    return within(inside, log1mexp(where(inside, z, 1)), -np.inf, z)


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -0.9431
    """
    z, scale = located("expon.logpdf", x, loc, scale)
    inside = z >= 0
    return within(inside, -where(inside, z, 0) - log(scale), -np.inf, z)


@composed
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(1.5, 1.0, 2.0)):.4f}")
        -0.2500
    """
    z, scale = located("expon.logsf", x, loc, scale)
    return -maximum(z, 0)


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.3894
    """
    return exp(logpdf(x, loc, scale))


@composed
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.2, 1.0, 2.0)):.4f}")
        1.4463
    """
    return placed("expon.ppf", q, loc, scale, lambda q: -log1p(-q))


@composed
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 1.0, 2.0)):.4f}")
        0.7788
    """
    z, scale = located("expon.sf", x, loc, scale)
    return exp(-maximum(z, 0))
