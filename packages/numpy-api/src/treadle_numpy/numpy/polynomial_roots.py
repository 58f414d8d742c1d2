"""Polynomials and their roots: the eigenvalues of the companion matrix."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import complex_of
from treadle_ir.errors import flags
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.lax.control.scan import scan
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.creation.matrices import eye
from treadle_numpy.numpy.linalg.eigenvalues import eigvals
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.rearranging import roll
from treadle_numpy.numpy.manipulation.shapes import ravel, reshape
from treadle_numpy.numpy.reductions.running import cumprod
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.sorting import argsort
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import divide, negative
from treadle_numpy.numpy.ufuncs.logic import equal
from treadle_numpy.numpy.ufuncs.signs import absolute
from treadle_numpy.operands.arrays import array_of, filled
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import truth

__all__ = ["poly", "roots"]


@composed(numbers=["seq_of_zeros"], loops=True)
def poly(seq_of_zeros: ArrayLike) -> Array:
    """Return the polynomial with given roots, or the characteristic polynomial of a matrix; the highest coefficient,
    1, first.

    Shapes:
        seq_of_zeros: [n], or [n, n]
        result: [n + 1]; [] where there are no roots

    Differs from NumPy: coefficients of complex roots stay complex, also of conjugate pairs.

    Raises:
        ShapeError: it is neither a vector nor a square matrix.

    Example:
        >>> print(poly(np.array([1.0, 2.0], np.float32)))
        [ 1. -3.  2.]
    """
    zeros = array_of(promote("poly", seq_of_zeros, inexact=True)[0])
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.size:
        zeros = eigvals(zeros)
    elif zeros.ndim > 1:
        raise ShapeError(
            f"poly: the roots must be a vector or a square matrix, got shape {zeros.shape}"
        )
    zeros = ravel(zeros)
    count, one = zeros.size, zeros.dtype.type(1)
    if not count:
        return filled((), one)

    def step(coefficients: Array, zero: Array) -> tuple[Array, None]:
        # times (x - zero): less the coefficients before, times the root
        before = ops.pad(slice_along(coefficients, 0, 0, count), one * 0, low=[1], high=[0])
        wide = ops.broadcast_in_dim(zero, shape=(count + 1,), dimensions=())
        return ops.subtract(coefficients, ops.multiply(wide, before)), None

    start = ops.pad(filled((1,), one), one * 0, low=[0], high=[count])
    return scan(step, start, zeros)[0]


def roots(p: ArrayLike, *, strip_zeros: bool = True) -> Array:
    """Return the roots of a polynomial, the highest coefficient first; complex. On the CPU only, as `linalg.eigvals`.

    Shapes:
        p: [n]
        result: [m], the degree; [n - 1] where `strip_zeros` is false

    The degree depends on leading zeros, so elements must be known, unless `strip_zeros` is false: then there is a NaN
    at the end for each leading zero.

    Raises:
        ShapeError: the coefficients are not a vector.
        ConcretizationError: while tracing, with `strip_zeros`.

    Example:
        >>> found = roots(np.array([1.0, -3.0, 2.0], np.float32))
        >>> print(sorted(f"{float(root.real):.3f}" for root in found))
        ['1.000', '2.000']
    """
    flags("roots", strip_zeros=strip_zeros)
    x = array_of(promote("roots", p, inexact=True)[0])
    if x.ndim != 1:
        raise ShapeError(f"roots: the coefficients must be a vector, got shape {x.shape}")
    last = 0
    if strip_zeros:
        known = concrete_mask("roots", truth("roots", 0, x), "pass strip_zeros=False")
        places = np.flatnonzero(known)
        if not places.size:
            return filled((0,), complex_of(x.dtype).type(0))
        last = x.size - 1 - int(places[-1])
        x = slice_along(x, 0, int(places[0]), int(places[-1]) + 1)
    nothing = filled((last,), complex_of(x.dtype).type(0))
    degree = x.size - 1
    if degree < 1:
        return nothing
    if not strip_zeros:
        return _all_roots(x)
    return concatenate([_eigenvalues(x), nothing])


def _all_roots(x: Array) -> Array:
    """As many roots as there are coefficients after the first; NaN for each leading zero, where the degree is lower.

    With the leading zeros at the other end the polynomial has a root at zero more for each of them: the smallest ones.
    """
    zeros = sum(cumprod(equal(x, 0)))
    found = _eigenvalues(roll(x, -zeros))
    added = argsort(argsort(absolute(found))) < zeros
    order = argsort(added)
    return where(take(added, order), np.nan, take(found, order))


def _eigenvalues(x: Array) -> Array:
    """Return the roots of a polynomial whose first coefficient is not zero."""
    degree = x.size - 1
    first = reshape(slice_along(x, 0, 0, 1), ())
    row = reshape(negative(divide(slice_along(x, 0, 1, x.size), first)), (1, degree))
    companion = concatenate([row, eye(degree - 1, degree, dtype=x.dtype)])
    return eigvals(companion)
