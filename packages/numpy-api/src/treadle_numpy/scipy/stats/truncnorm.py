"""The normal distribution within `a` to `b` standard deviations of its mean."""

# This module is a public namespace.
from __future__ import annotations

import math

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.stats.arguments import located, log_interval, within

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]


@composed
def cdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(0.5, -1.0, 2.0, 0.0, 1.5)):.4f}")
        0.5765
    """
    return exp(logcdf(x, a, b, loc, scale))


@composed
def logcdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(0.5, -1.0, 2.0, 0.0, 1.5)):.4f}")
        -0.5508
    """
    z, scale, *limits = located("truncnorm.logcdf", x, loc, scale, a, b)
    valid, a_, b_ = _interval(*limits)
    inside = (z > a_) & (z < b_)
    value = log_interval(a_, where(inside, z, b_)) - log_interval(a_, b_)
    return where(valid, within(inside, value, where(z >= b_, 0, -np.inf), z), np.nan)


@composed
def logpdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(0.5, -1.0, 2.0, 0.0, 1.5)):.4f}")
        -1.1798
    """
    z, scale, *limits = located("truncnorm.logpdf", x, loc, scale, a, b)
    valid, a_, b_ = _interval(*limits)
    inside = (z >= a_) & (z <= b_)
    y = where(inside, z, a_)
    value = -0.5 * (y * y + math.log(2 * math.pi)) - log(scale) - log_interval(a_, b_)
    return where(valid, within(inside, value, -np.inf, z), np.nan)


@composed
def logsf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(0.5, -1.0, 2.0, 0.0, 1.5)):.4f}")
        -0.8592
    """
    z, scale, *limits = located("truncnorm.logsf", x, loc, scale, a, b)
    valid, a_, b_ = _interval(*limits)
    inside = (z > a_) & (z < b_)
    value = log_interval(where(inside, z, a_), b_) - log_interval(a_, b_)
    return where(valid, within(inside, value, where(z <= a_, 0, -np.inf), z), np.nan)


@composed
def pdf(
    x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1
) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(0.5, -1.0, 2.0, 0.0, 1.5)):.4f}")
        0.3073
    """
    return exp(logpdf(x, a, b, loc, scale))


@composed
def sf(x: ArrayLike, a: ArrayLike, b: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(0.5, -1.0, 2.0, 0.0, 1.5)):.4f}")
        0.4235
    """
    return exp(logsf(x, a, b, loc, scale))


def _interval(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return whether `a < b`, and the limits, with 0 and 1 in their place where it is not, to avoid a division by 0."""
    valid = a < b
    return valid, where(valid, a, 0), where(valid, b, 1)
