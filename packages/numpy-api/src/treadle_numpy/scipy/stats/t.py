"""Student's t distribution of `df` degrees of freedom."""

# This module is a public namespace.
from __future__ import annotations

import math

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.scalars import number
from treadle_numpy.scipy.special.betas import lgamma_step
from treadle_numpy.scipy.stats.arguments import located, log1p_of_square

__all__ = ["logpdf", "pdf"]


@composed
def logpdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(1.5, 3.0, 0.0, 2.0)):.4f}")
        -2.0377
    """
    z, scale, df_ = located("t.logpdf", x, loc, scale, df)
    half = 0.5 * df_
    norming = lgamma_step(half, number(0.5, half)) - 0.5 * log(math.pi * df_)
    return norming - log(scale) - 0.5 * (df_ + 1) * log1p_of_square(z / sqrt(df_))


@composed
def pdf(x: ArrayLike, df: ArrayLike, loc: ArrayLike = 0, scale: ArrayLike = 1) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(1.5, 3.0, 0.0, 2.0)):.4f}")
        0.1303
    """
    return exp(logpdf(x, df, loc, scale))
