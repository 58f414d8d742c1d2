"""The wrapped Cauchy distribution of shape `c`, of angles from 0 to 2 pi."""

# This module is a public namespace.
from __future__ import annotations

import math

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, log, log1p
from treadle_numpy.numpy.ufuncs.trigonometry import sin
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.stats.arguments import parameters, within

__all__ = ["logpdf", "pdf"]


@composed
def logpdf(x: ArrayLike, c: ArrayLike) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(0.5, 0.3)):.4f}")
        -1.3585
    """
    angle, shape = parameters("wrapcauchy.logpdf", x, c)
    inside = (angle >= 0) & (angle <= 2 * math.pi)
    square = (1 - shape) ** 2 + 4 * shape * sin(0.5 * where(inside, angle, 0)) ** 2
    value = log1p(-shape * shape) - math.log(2 * math.pi) - log(square)
    return within(inside, value, -np.inf, angle)


@composed
def pdf(x: ArrayLike, c: ArrayLike) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(0.5, 0.3)):.4f}")
        0.2570
    """
    return exp(logpdf(x, c))
