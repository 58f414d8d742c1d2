"""The Pareto distribution of shape `b`, from `loc + scale` on."""

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
def cdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(3.0, 2.0, 0.0, 1.5)):.4f}")
        0.7500
    """
    z, scale, b_ = located("pareto.cdf", x, loc, scale, b)
    return -expm1(-b_ * log(maximum(z, 1)))


@composed
def logcdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(3.0, 2.0, 0.0, 1.5)):.4f}")
        -0.2877
    """
    z, scale, b_ = located("pareto.logcdf", x, loc, scale, b)
    inside = z > 1
    return within(inside, log1mexp(b_ * log(where(inside, z, 2))), -np.inf, z)


@composed
def logpdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(3.0, 2.0, 0.0, 1.5)):.4f}")
        -1.7918
    """
    z, scale, b_ = located("pareto.logpdf", x, loc, scale, b)
    inside = z >= 1
    value = log(b_) - (b_ + 1) * log(where(inside, z, 1)) - log(scale)
    return within(inside, value, -np.inf, z)


@composed
def logsf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(3.0, 2.0, 0.0, 1.5)):.4f}")
        -1.3863
    """
    z, scale, b_ = located("pareto.logsf", x, loc, scale, b)
    return -b_ * log(maximum(z, 1))


@composed
def pdf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(3.0, 2.0, 0.0, 1.5)):.4f}")
        0.1667
    """
    return exp(logpdf(x, b, loc, scale))


@composed
def ppf(q: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.3, 2.0, 0.0, 1.5)):.4f}")
        1.7928
    """
    return placed("pareto.ppf", q, loc, scale, lambda q, b: exp(-log1p(-q) / b), b)


@composed
def sf(x: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(3.0, 2.0, 0.0, 1.5)):.4f}")
        0.2500
    """
    z, scale, b_ = located("pareto.sf", x, loc, scale, b)
    return exp(-b_ * log(maximum(z, 1)))
