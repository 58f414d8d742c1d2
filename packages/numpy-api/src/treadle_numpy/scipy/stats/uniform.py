"""The uniform distribution from `loc` to `loc + scale`."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.ufuncs.exponentials import log
from treadle_numpy.numpy.ufuncs.extremes import clip
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted
from treadle_numpy.scipy.stats.arguments import located, placed, within

__all__ = ["cdf", "logpdf", "pdf", "ppf"]


@composed
def cdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the distribution function.

    Example:
        >>> print(f"{float(cdf(1.5, 1.0, 2.0)):.4f}")
        0.2500
    """
    z, scale = located("uniform.cdf", x, loc, scale)
    return converted(clip(z, 0, 1), z.dtype)  # not weak


@composed
def logpdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 1.0, 2.0)):.4f}")
        -0.6931
    """
    z, scale = located("uniform.logpdf", x, loc, scale)
    return within((z >= 0) & (z <= 1), -log(scale), -np.inf, z)


@composed
def pdf(x: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 1.0, 2.0)):.4f}")
        0.5000
    """
    z, scale = located("uniform.pdf", x, loc, scale)
    return within((z >= 0) & (z <= 1), 1 / scale, 0, z)


@composed
def ppf(q: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the quantile function, the inverse of `cdf`.

    Example:
        >>> print(f"{float(ppf(0.3, 1.0, 2.0)):.4f}")
        1.6000
    """
    return placed("uniform.ppf", q, loc, scale, lambda q: q)
