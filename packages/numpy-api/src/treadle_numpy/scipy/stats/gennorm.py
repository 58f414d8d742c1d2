"""The generalised normal distribution of shape `beta`."""

# This module is a public namespace.
from __future__ import annotations

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.gammas import gammaln
from treadle_numpy.scipy.special.incomplete import gammaincc
from treadle_numpy.scipy.stats.arguments import parameters

__all__ = ["cdf", "logpdf", "pdf"]


@composed
def cdf(x: ArrayLike, beta: ArrayLike) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(0.5, 1.5)):.4f}")
        0.7417
    """
    y, shape = parameters("gennorm.cdf", x, beta)
    upper = 0.5 * gammaincc(1 / shape, abs(y) ** shape)
    return where(y < 0, upper, 1 - upper)


@composed
def logpdf(x: ArrayLike, beta: ArrayLike) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(0.5, 1.5)):.4f}")
        -0.9444
    """
    y, shape = parameters("gennorm.logpdf", x, beta)
    return log(0.5 * shape) - gammaln(1 / shape) - abs(y) ** shape


@composed
def pdf(x: ArrayLike, beta: ArrayLike) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(0.5, 1.5)):.4f}")
        0.3889
    """
    return exp(logpdf(x, beta))
