"""Vectors replaced by the nearest of a code book."""

from __future__ import annotations

from treadle_ir import Array, ShapeError
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.reductions.extremes import min
from treadle_numpy.numpy.reductions.positions import argmin
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.ufuncs.arithmetic import multiply, subtract
from treadle_numpy.numpy.ufuncs.powers import sqrt, square
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote

__all__ = ["vq"]


def vq(obs: ArrayLike, code_book: ArrayLike, check_finite: bool = True) -> tuple[Array, Array]:
    """Return for each observation the position of the nearest code, and the distance to it.

    Shapes:
        obs: [n, d], or [n]
        code_book: [k, d], or [k]
        result: [n] and [n]

    Differs from SciPy: `check_finite` does nothing, since a program cannot raise.

    Raises:
        ShapeError: the two differ in their numbers of axes (one or two) or of coordinates, or there are no codes.

    Example:
        >>> import numpy as np
        >>> codes, distances = vq(np.array([[0.0, 1.0], [5.0, 5.0]]), np.array([[4.0, 5.0], [0.0, 0.0]]))
        >>> print(codes, distances)
        [1 0] [1. 1.]
    """
    flags("vq", check_finite=check_finite)
    x, codes = [array_of(v) for v in promote("vq", obs, code_book, inexact=True)]
    if x.ndim != codes.ndim or x.ndim not in (1, 2):
        raise ShapeError(
            f"vq: observations and code book must both have one or two axes, got {x.shape} and {codes.shape}"
        )
    if x.ndim == 1:
        x, codes = expand_dims(x, 1), expand_dims(codes, 1)
    if x.shape[1] != codes.shape[1] or not codes.shape[0]:
        raise ShapeError(
            f"vq: observations and codes must have as many coordinates, and there must be a code: "
            f"got {x.shape} and {codes.shape}"
        )
    apart = subtract(expand_dims(x, 1), expand_dims(codes, 0))
    each = multiply(apart, apart.conj()).real if is_complex(apart.dtype) else square(apart)
    squares = sum(each, -1)
    return argmin(squares, -1), sqrt(min(squares, -1))
