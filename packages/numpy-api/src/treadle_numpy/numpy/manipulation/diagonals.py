"""Diagonals and triangles of matrices."""

from __future__ import annotations

from treadle_ir import Array, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.errors import integer
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.creation.matrices import eye, lower_mask
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.reductions.sums import sum as total_of
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.promote import as_weak
from treadle_numpy.operands.scalars import zero_like

__all__ = ["diag", "diagflat", "diagonal", "trace", "tril", "triu"]


@composed
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the elements of the diagonals of the matrices in two axes, along a new last axis.

    Raises:
        ShapeError: there are fewer than two axes.

    Example:
        >>> import numpy as np
        >>> print(diagonal(np.arange(4).reshape(2, 2)))
        [0 3]
    """
    offset = integer("diagonal", "offset", offset)
    x = coerce_array("diagonal", 0, a)
    if x.ndim < 2:
        raise ShapeError(f"diagonal: the array has shape {x.shape}, but needs at least two axes")
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2:]
    first_row, first_column = max(-offset, 0), max(offset, 0)
    count = max(0, min(rows - first_row, columns - first_column))
    if not count:
        return filled((*x.shape[:-2], 0), x.dtype.type(0))
    block = slice_along(
        slice_along(x, x.ndim - 2, first_row, first_row + count),
        x.ndim - 1,
        first_column,
        first_column + count,
    )
    # In a row-major count x count block the diagonal is every (count + 1)-th element.
    flat = ops.reshape(block, shape=(*x.shape[:-2], count * count))
    ndim = flat.ndim
    return ops.slice(
        flat, start=(0,) * ndim, limit=flat.shape, strides=(1,) * (ndim - 1) + (count + 1,)
    )


@composed
def trace(
    a: ArrayLike,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: None = None,
) -> Array:
    """Return the sum of a matrix' diagonal.

    Example:
        >>> import numpy as np
        >>> print(trace(np.array([[1, 2], [3, 4]])))
        5
    """
    named_only("trace", out=out)
    offset = integer("trace", "offset", offset)
    return total_of(diagonal(a, offset, axis1, axis2), -1, dtype)


@composed
def diag(v: ArrayLike, k: int = 0) -> Array:
    """Return a matrix with a vector on its diagonal; of a matrix, its diagonal.

    Raises:
        ShapeError: there are more than two axes, or none.

    Example:
        >>> import numpy as np
        >>> print(diag(np.array([1, 2, 3])))
        [[1 0 0]
         [0 2 0]
         [0 0 3]]
    """
    k = integer("diag", "k", k)
    x = coerce_array("diag", 0, v)
    if x.ndim == 1:
        made = diagflat(x, k)
        return as_weak(made) if operand_type(x).weak else made
    if x.ndim == 2:
        return diagonal(x, k)
    raise ShapeError("diag input must be 1d or 2d")


@composed
def diagflat(v: ArrayLike, k: int = 0) -> Array:
    """Return a matrix with the elements on its diagonal.

    Example:
        >>> import numpy as np
        >>> print(diagflat(np.array([1, 2, 3])))
        [[1 0 0]
         [0 2 0]
         [0 0 3]]
    """
    k = integer("diagflat", "k", k)
    x = ravel(v)
    count = x.size
    side = count + builtin_abs(k)
    zero = x.dtype.type(0)  # not weak
    rows = ops.pad(x, zero, low=(max(-k, 0),), high=(max(k, 0),), interior=(0,)) if k else x
    return ops.select(
        eye(side, k=k, dtype=bool),
        ops.broadcast_in_dim(rows, shape=(side, side), dimensions=(0,)),
        filled((side, side), zero),
    )


def builtin_abs(k: int) -> int:
    """Return the absolute value of a Python integer."""
    return -k if k < 0 else k


@composed
def tril(m: ArrayLike, k: int = 0) -> Array:
    """Return the matrix with zeros above a diagonal.

    Example:
        >>> import numpy as np
        >>> print(tril(np.array([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]
    """
    k = integer("tril", "k", k)
    return _triangle("tril", m, k, True)


@composed
def triu(m: ArrayLike, k: int = 0) -> Array:
    """Return the matrix with zeros below a diagonal.

    Example:
        >>> import numpy as np
        >>> print(triu(np.array([[1, 2], [3, 4]])))
        [[1 2]
         [0 4]]
    """
    k = integer("triu", "k", k)
    return _triangle("triu", m, k, False)


def _triangle(name: str, m: ArrayLike, k: int, lower: bool) -> Array:
    x = coerce_array(name, 0, m)
    if x.ndim < 2:
        raise ShapeError(f"Argument to {name} must be at least 2D, but its shape is {x.shape}")
    mask = broadcast_to_shape(lower_mask(x.shape[-2], x.shape[-1], k if lower else k - 1), x.shape)
    zero = zero_like(x)
    return ops.select(mask, x, zero) if lower else ops.select(mask, zero, x)
