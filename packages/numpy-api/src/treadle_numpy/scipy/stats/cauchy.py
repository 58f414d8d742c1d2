"""The Cauchy distribution."""

# This module is a public namespace.
from __future__ import annotations

import math

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import divide
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.numpy.ufuncs.trigonometry import arctan2, tan
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.stats.arguments import located, log1p_of_square, log_of, placed

__all__ = ["cdf", "isf", "logcdf", "logpdf", "logsf", "pdf", "ppf", "sf"]


def _quantile(q: Array) -> Array:
    """Compute `tan(pi (q - 1/2))`, by the cotangent in the tails, where that rounds less."""
    middle = abs(q - 0.5) < 0.25
    near = tan(math.pi * where(middle, q - 0.5, 0))
    # from the nearer end
    side = where(q > 0.5, 1 - q, q)
    far = divide(1, tan(math.pi * where(middle, 0.25, side)))
    return where(middle, near, where(q > 0.5, far, -far))


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.5780
    """
    z, scale = located("cauchy.cdf", x, loc, scale)
    return arctan2(1, -z) / math.pi


@composed
def isf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the inverse of the survival function.

    Example:
        >>> print(f"{float(isf(0.3, 1.0, 2.0)):.4f}")
        2.4531
    """
    return placed("cauchy.isf", q, loc, scale, lambda q: -_quantile(q))


@composed
def logcdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the distribution function.

    Example:
        >>> print(f"{float(logcdf(1.5, 1.0, 2.0)):.4f}")
        -0.5482
    """
    return log_of(cdf(x, loc, scale), sf(x, loc, scale))


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -1.8985
    """
    z, scale = located("cauchy.logpdf", x, loc, scale)
    return -log1p_of_square(z) - log(math.pi * scale)


@composed
def logsf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the survival function.

    Example:
        >>> print(f"{float(logsf(1.5, 1.0, 2.0)):.4f}")
        -0.8627
    """
    return log_of(sf(x, loc, scale), cdf(x, loc, scale))


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.1498
    """
    return exp(logpdf(x, loc, scale))


@composed
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.3, 1.0, 2.0)):.4f}")
        -0.4531
    """
    return placed("cauchy.ppf", q, loc, scale, lambda q: _quantile(q))


@composed
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 1.0, 2.0)):.4f}")
        0.4220
    """
    z, scale = located("cauchy.sf", x, loc, scale)
    return arctan2(1, z) / math.pi
