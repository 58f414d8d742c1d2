"""The Laplace distribution."""

# This module is a public namespace.
from __future__ import annotations

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.stats.arguments import located

__all__ = ["cdf", "logpdf", "pdf"]


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.6106
    """
    z, scale = located("laplace.cdf", x, loc, scale)
    half = 0.5 * exp(-abs(z))
    return where(z < 0, half, 1 - half)


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -1.6363
    """
    z, scale = located("laplace.logpdf", x, loc, scale)
    return -abs(z) - log(2 * scale)


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.1947
    """
    return exp(logpdf(x, loc, scale))
