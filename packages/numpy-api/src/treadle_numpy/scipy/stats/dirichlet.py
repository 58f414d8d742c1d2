"""The Dirichlet distribution."""

# This module is a public namespace.
from __future__ import annotations

import numpy as np

from treadle_ir import Array, ShapeError
from treadle_ir.calling import composed
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.reductions.logical import all
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.scipy.special.exponents import xlogy
from treadle_numpy.scipy.special.gammas import gammaln

__all__ = ["logpdf", "pdf"]


@composed
def logpdf(x: ArrayLike, alpha: ArrayLike) -> Array:
    """Return the logarithm of the density on the simplex of dimension `k - 1`.

    The last coordinate may be left out. A point counts as one of the simplex if its coordinates add up to 1 within
    1e-6.

    Shapes:
        x: [k or k - 1, *shape]
        alpha: [k]
        result: [*shape]

    Raises:
        ShapeError: sizes do not fit.

    Example:
        >>> import numpy as np
        >>> print(f"{float(logpdf(np.array([0.2, 0.3, 0.5]), np.array([1.0, 2.0, 3.0]))):.4f}")
        1.5041
    """
    point, shape = [array_of(v) for v in promote("dirichlet.logpdf", x, alpha, inexact=True)]
    if shape.ndim != 1 or not point.ndim or point.shape[0] not in (shape.size, shape.size - 1):
        raise ShapeError(
            f"dirichlet.logpdf: x and alpha have shapes {point.shape} and {shape.shape}, but alpha must be a vector of "
            "the size of the first axis of x, or one more",
        )
    if point.shape[0] == shape.size - 1:
        point = concatenate([point, 1 - sum(point, axis=0, keepdims=True)])
    shape = shape.reshape((shape.size, *[1] * (point.ndim - 1)))
    inside = all(point >= 0, axis=0) & (abs(sum(point, axis=0) - 1) < 1e-6)
    terms = xlogy(shape - 1, where(inside, point, 0.5))
    norming = gammaln(sum(shape)) - sum(gammaln(shape))
    return where(inside, sum(terms, axis=0) + norming, -np.inf)


@composed
def pdf(x: ArrayLike, alpha: ArrayLike) -> Array:
    """Return the density; see `logpdf`.

    Example:
        >>> import numpy as np
        >>> print(f"{float(pdf(np.array([0.2, 0.3, 0.5]), np.array([1.0, 2.0, 3.0]))):.4f}")
        4.5000
    """
    return exp(logpdf(x, alpha))
