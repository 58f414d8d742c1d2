"""Polynomials through points, by least squares."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags, integer, refused
from treadle_numpy.numpy.contraction.products import matmul, outer
from treadle_numpy.numpy.creation.matrices import vander
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.linalg.ranks import lstsq
from treadle_numpy.numpy.linalg.systems import inv
from treadle_numpy.numpy.manipulation.axes import matrix_transpose
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply
from treadle_numpy.numpy.ufuncs.logic import equal
from treadle_numpy.numpy.ufuncs.parts import conjugate, real
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import promote

__all__ = ["polyfit"]


@composed(loops=True)
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Array | tuple[Array, ...]:
    """Return the polynomial of a degree that is nearest to points (x, y) by least squares, the highest coefficient
    first.

    Shapes:
        x: [n]
        y: [n] or [n, k], for k polynomials
        w: [n], a weight for each residual (before it is squared)
        result: [deg + 1] or [deg + 1, k]

    Args:
        x: where.
        y: the values.
        deg: the degree.
        rcond: singular values below this part of the greatest count as 0; n times the type's eps by default.
        full: return residuals, rank, singular values and `rcond`, too.
        w: weights.
        cov: return the covariance of the coefficients, too: scaled by the mean square of the residuals, or, if it is
            "unscaled", for weights that are 1 / sigma.

    Differs from NumPy: there is no warning where the rank is deficient. Integers become floats.

    Raises:
        ArgumentError: the degree is negative, or there are too few points to scale the covariance.
        ShapeError: x and y differ in size, there are no points, or w is not a vector of that size.

    Example:
        >>> import numpy as np
        >>> x = np.arange(4.0)
        >>> print([f"{float(c):.2f}" for c in polyfit(x, 2 * x + 1, 1)])
        ['2.00', '1.00']
    """
    flags("polyfit", full=full)
    if not isinstance(cov, str):
        flags("polyfit", cov=cov)
    elif cov != "unscaled":
        raise refused("polyfit", "cov", "true, false or 'unscaled'", cov)
    order = integer("polyfit", "deg", deg) + 1
    if order < 1:
        raise ArgumentError(f"polyfit: the degree must be 0 or more, got {deg}")
    given = [x, y] if w is None else [x, y, w]
    points, values, *weights = [array_of(v) for v in promote("polyfit", *given, inexact=True)]
    if points.ndim != 1 or values.ndim not in (1, 2) or points.shape != values.shape[:1]:
        raise ShapeError(
            f"polyfit: x must be a vector and y have as many rows, got {points.shape} and {values.shape}"
        )
    if not points.size:
        raise ShapeError("polyfit: there are no points")
    left, right = vander(points, order), values
    for weight in weights:
        if weight.shape != points.shape:
            raise ShapeError(
                f"polyfit: w must have one weight for each point, got {weight.shape} for {points.size} points"
            )
        left = multiply(left, expand_dims(weight, 1))
        right = multiply(right, expand_dims(weight, 1) if values.ndim == 2 else weight)
    # columns of unit length make the singular values depend on the shapes of the powers, not on their sizes
    squares = multiply(left, conjugate(left)) if is_complex(left.dtype) else multiply(left, left)
    lengths = sqrt(real(sum(squares, 0)))
    lengths = where(equal(lengths, 0), 1, lengths)
    cut = points.size * float(finfo(points.dtype).eps) if rcond is None else rcond
    scaled = divide(left, lengths)
    found, residuals, rank, singular = lstsq(scaled, right, cut)
    coefficients = divide(found, expand_dims(lengths, 1) if values.ndim == 2 else lengths)
    if full:
        limit = coerce_array("polyfit", 3, cut)
        return coefficients, residuals, rank, singular, limit
    if not cov:
        return coefficients
    base = divide(inv(matmul(matrix_transpose(scaled), scaled)), outer(lengths, lengths))
    if isinstance(cov, str):
        return coefficients, base if values.ndim == 1 else expand_dims(base, 2)
    if points.size <= order:
        raise ArgumentError(
            "polyfit: the number of points must exceed the order to scale the covariance",
            fix="pass cov='unscaled', or more points",
        )
    factor = divide(residuals, points.size - order)
    if values.ndim == 1:
        return coefficients, multiply(base, factor)
    return coefficients, multiply(expand_dims(base, 2), factor)
