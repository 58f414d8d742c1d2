"""The logistic distribution."""

# This module is a public namespace.
from __future__ import annotations

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.ufuncs.exponentials import exp, log, logaddexp
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.exponents import expit, logit
from treadle_numpy.scipy.stats.arguments import located, placed

__all__ = ["cdf", "isf", "logpdf", "pdf", "ppf", "sf"]


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.5622
    """
    z, scale = located("logistic.cdf", x, loc, scale)
    return expit(z)


@composed
def isf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the inverse of the survival function.

    Example:
        >>> print(f"{float(isf(0.3, 1.0, 2.0)):.4f}")
        2.6946
    """
    return placed("logistic.isf", x, loc, scale, lambda q: -logit(q))


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -2.0950
    """
    z, scale = located("logistic.logpdf", x, loc, scale)
    return -2 * logaddexp(0.5 * z, -0.5 * z) - log(scale)


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.1231
    """
    return exp(logpdf(x, loc, scale))


@composed
def ppf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.3, 1.0, 2.0)):.4f}")
        -0.6946
    """
    return placed("logistic.ppf", x, loc, scale, lambda q: logit(q))


@composed
def sf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the survival function, `1 - cdf` without the cancellation.

    Example:
        >>> print(f"{float(sf(1.5, 1.0, 2.0)):.4f}")
        0.4378
    """
    z, scale = located("logistic.sf", x, loc, scale)
    return expit(-z)
