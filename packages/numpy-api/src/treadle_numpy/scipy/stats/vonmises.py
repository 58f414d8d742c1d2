"""The von Mises distribution of concentration `kappa`, of angles."""

# This module is a public namespace.
from __future__ import annotations

import math

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.numpy.ufuncs.trigonometry import sin
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.scipy.special.bessels import i0e
from treadle_numpy.scipy.stats.arguments import parameters

__all__ = ["logpdf", "pdf"]


@composed
def logpdf(x: ArrayLike, kappa: ArrayLike) -> Array:
    """Return the logarithm of the density.

    Example:
        >>> print(f"{float(logpdf(0.5, 1.5)):.4f}")
        -1.0203
    """
    angle, concentration = parameters("vonmises.logpdf", x, kappa)
    norming = math.log(2 * math.pi) + log(i0e(concentration))
    return -2 * concentration * sin(0.5 * angle) ** 2 - norming


@composed
def pdf(x: ArrayLike, kappa: ArrayLike) -> Array:
    """Return the density.

    Example:
        >>> print(f"{float(pdf(0.5, 1.5)):.4f}")
        0.3605
    """
    return exp(logpdf(x, kappa))
