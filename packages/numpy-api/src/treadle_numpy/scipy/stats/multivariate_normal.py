"""The normal distribution of vectors."""

# This module is a public namespace.
from __future__ import annotations

import math

from treadle_ir import Array, ShapeError, UnsupportedError
from treadle_ir.calling import composed
from treadle_numpy.lax.linalg.systems import triangular_solve
from treadle_numpy.numpy.linalg.factorisations import cholesky
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.ufuncs.exponentials import exp, log
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import common_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.scipy.stats import norm

__all__ = ["logpdf", "pdf"]


@composed
def logpdf(x: ArrayLike, mean: ArrayLike, cov: ArrayLike, allow_singular: None = None) -> Array:
    """Return the logarithm of the density; NaN where the covariance is not positive definite.

    A scalar covariance makes the elements of `x` numbers of their own, each with the density of one dimension.

    Shapes:
        x: [*shape, d] or a scalar
        mean: [*shape, d] or a scalar
        cov: [*shape, d, d] or a scalar
        result: [*shape]

    Raises:
        ShapeError: sizes do not fit.
        UnsupportedError: `allow_singular` is given.

    Example:
        >>> import numpy as np
        >>> print(f"{float(logpdf(np.array([1.0, 2.0]), 0.0, np.array([[1.0, 0.5], [0.5, 2.0]]))):.4f}")
        -3.2605
    """
    if allow_singular is not None:
        raise UnsupportedError("multivariate_normal.logpdf: allow_singular is not supported")
    return _log_density(x, mean, cov)


@composed
def _log_density(x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> Array:
    name = "multivariate_normal.logpdf"
    point, centre, covariance = [array_of(v) for v in promote(name, x, mean, cov, inexact=True)]
    if not covariance.ndim:
        return norm.logpdf(point, centre, covariance**0.5)
    if covariance.ndim < 2 or covariance.shape[-1] != covariance.shape[-2]:
        raise ShapeError(f"{name}: cov has shape {covariance.shape}, but must be square matrices")
    size = covariance.shape[-1]
    for argument, array in (("x", point), ("mean", centre)):
        if array.ndim and array.shape[-1] not in (1, size):
            raise ShapeError(
                f"{name}: {argument} has shape {array.shape}, but cov has {covariance.shape}: the last sizes must be "
                "equal"
            )
    offset = point - centre
    batch = common_shape(name, [offset.shape[:-1], covariance.shape[:-2]])
    root = cholesky(covariance)
    diagonal = root.diagonal(axis1=-2, axis2=-1)
    offset = broadcast_to(offset, (*batch, size))
    root = broadcast_to(root, (*batch, size, size))
    white = triangular_solve(root, offset[..., None], left_side=True, lower=True)[..., 0]
    norming = 0.5 * size * math.log(2 * math.pi) + sum(log(diagonal), axis=-1)
    return -0.5 * sum(white * white, axis=-1) - norming


@composed
def pdf(x: ArrayLike, mean: ArrayLike, cov: ArrayLike) -> Array:
    """Return the density; see `logpdf`.

    Example:
        >>> import numpy as np
        >>> print(f"{float(pdf(np.array([1.0, 2.0]), 0.0, np.array([[1.0, 0.5], [0.5, 2.0]]))):.4f}")
        0.0384
    """
    return exp(logpdf(x, mean, cov))
