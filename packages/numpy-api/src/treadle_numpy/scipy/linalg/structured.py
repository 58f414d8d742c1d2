"""Matrices made of vectors, each element at the places that the structure says: of batches of vectors too."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, ShapeError, ops, type_of
from treadle_ir.calling import composed, matrices
from treadle_ir.errors import names, shown
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.ufuncs.parts import conj
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of, filled
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import literal, zero_like
from treadle_numpy.operands.shapes import as_index
from treadle_numpy.scipy.linalg import in_numpy

__all__ = [
    "block_diag",
    "circulant",
    "companion",
    "convolution_matrix",
    "fiedler",
    "fiedler_companion",
    "hankel",
    "leslie",
    "toeplitz",
]


def _vectors(name: str, position: int, x: ArrayLike) -> Array:
    """Return an argument as vectors in the last axis; a number is a vector of one element."""
    array = coerce_array(name, position, x)
    return array if array.ndim else ops.reshape(array, shape=(1,))


def _zeros(batch: tuple[int, ...], count: int, x: Array) -> Array:
    return filled((*batch, count), literal(0, x))


def _pair(name: str, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Return two arguments as vectors of one element type and batch."""
    one, other = [array_of(each) for each in promote(name, x, y)]
    one, other = (_vectors(name, i, each) for i, each in enumerate((one, other)))
    batch = common_shape(name, [one.shape[:-1], other.shape[:-1]])
    return (
        broadcast_to_shape(one, (*batch, one.shape[-1])),
        broadcast_to_shape(other, (*batch, other.shape[-1])),
    )


def _placed(x: Array, places: np.ndarray[Any, Any]) -> Array:
    """Return the elements of vectors at these places."""
    if x.shape[-1] == 0:
        return filled((*x.shape[:-1], *places.shape), literal(0, x))
    found: Array = x[..., places]
    return found


@composed(loops=True, host=in_numpy.toeplitz)
def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Matrices with constant diagonals: c is the first column, r the first row, but for its first element.

    Without r it is the conjugate of c. Unlike in SciPy arrays with more axes are batches of vectors. The result is
    never weak.

    Example:
        >>> import numpy as np
        >>> print(toeplitz(np.array([1, 2, 3])))
        [[1 2 3]
         [2 1 2]
         [3 2 1]]
    """
    column = _vectors("toeplitz", 0, c)
    pair = _pair("toeplitz", column, conj(column) if r is None else r)
    column, row = [array_of(converted(x, x.dtype)) for x in pair]
    m, n = column.shape[-1], row.shape[-1]
    # The diagonals, the lowest first. Each row is a part of them, the last row the first part.
    diagonals = concatenate([column[..., ::-1], row[..., 1:]], axis=-1)
    if 0 in (m, n):
        return filled((*column.shape[:-1], m, n), literal(0, column))
    axis = diagonals.ndim - 1
    starts = m - 1 - ops.iota(shape=(m, 1), dimension=0, dtype=matrices.I32)
    return ops.gather(
        diagonals,
        starts,
        offset_dims=(*range(axis), axis + 1),
        collapsed_slice_dims=(),
        start_index_map=(axis,),
        slice_sizes=(*diagonals.shape[:-1], n),
        mode="promise_in_bounds",
    )


@composed
def hankel(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Matrices with constant antidiagonals: c is the first column, r the last row (zeros), but for its first element.

    Example:
        >>> import numpy as np
        >>> print(hankel(np.array([1, 2, 3])))
        [[1 2 3]
         [2 3 0]
         [3 0 0]]
    """
    column = _vectors("hankel", 0, c)
    last: ArrayLike = _zeros(column.shape[:-1], column.shape[-1], column) if r is None else r
    column, row = _pair("hankel", column, last)
    both = concatenate([column, row[..., 1:]], axis=-1)
    return _placed(both, np.arange(column.shape[-1])[:, None] + np.arange(row.shape[-1]))


@composed
def circulant(c: ArrayLike) -> Array:
    """Matrices of which each column is the one before, moved down by one; the first one is c.

    Example:
        >>> import numpy as np
        >>> print(circulant(np.array([1, 2, 3])))
        [[1 3 2]
         [2 1 3]
         [3 2 1]]
    """
    x = _vectors("circulant", 0, c)
    n = x.shape[-1]
    return _placed(x, (np.arange(n)[:, None] - np.arange(n)) % max(n, 1))


@composed
def companion(a: ArrayLike) -> Array:
    """Return the companion matrices of polynomials, whose eigenvalues are their roots; highest coefficient first.

    Raises:
        ShapeError: there are fewer than two coefficients.

    Example:
        >>> import numpy as np
        >>> print(companion(np.array([1.0, -3.0, 2.0], np.float32)))
        [[ 3. -2.]
         [ 1.  0.]]
    """
    (x,) = [array_of(each) for each in promote("companion", a, inexact=True)]
    if x.ndim == 0 or x.shape[-1] < 2:
        raise ShapeError(
            f"companion: the length of `a` along the last axis must be at least 2; got shape {x.shape}"
        )
    return _below(-x[..., 1:] / x[..., :1], literal(1, x))


def _below(first: Array, beneath: Operand) -> Array:
    """Matrices of a first row and a subdiagonal: a number, or vectors."""
    n = first.shape[-1]
    batch = first.shape[:-1]
    shape = (*batch, n, n)
    row, column = [
        ops.iota(shape=shape, dimension=len(batch) + i, dtype=np.dtype(np.int32)) for i in (0, 1)
    ]
    if beneath.shape:
        spread = ops.broadcast_in_dim(
            concatenate([array_of(beneath), _zeros(batch, 1, first)], axis=-1),
            shape=shape,
            dimensions=(*range(len(batch)), len(batch) + 1),
        )
    else:
        spread = ops.broadcast_in_dim(beneath, shape=shape, dimensions=())
    mask = ops.compare(row, ops.add(column, np.int32(1)), direction="eq")
    rest = ops.select(mask, spread, zero_like(first))
    top = ops.broadcast_in_dim(first, shape=shape, dimensions=(*range(len(batch)), len(batch) + 1))
    return ops.select(ops.compare(row, np.int32(0), direction="eq"), top, rest)


@composed
def leslie(f: ArrayLike, s: ArrayLike) -> Array:
    """Leslie's matrices of populations: fecundities f in the first row, survival rates s below the diagonal.

    Raises:
        ShapeError: `s` is not one element shorter than `f`.

    Example:
        >>> import numpy as np
        >>> print(leslie(np.array([0.0, 2.0]), np.array([0.5])))
        [[0.  2. ]
         [0.5 0. ]]
    """
    first, rates = _pair("leslie", f, s)
    if rates.shape[-1] != first.shape[-1] - 1:
        raise ShapeError(
            "leslie: the length of s along the last axis must be one less than the length of f; got f shape "
            f"{first.shape} and s shape {rates.shape}"
        )
    return _below(first, rates)


@composed
def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> Array:
    """Matrices for which `m @ v` is `convolve(a, v, mode)` for v of n elements.

    Raises:
        ArgumentError: `n` is not positive, or there is no such mode.
        ShapeError: `a` has no elements.

    Example:
        >>> import numpy as np
        >>> print(convolution_matrix(np.array([1, 2, 3]), 2, "valid"))
        [[2 1]
         [3 2]]
    """
    size = as_index("convolution_matrix", "n", n)
    if size <= 0:
        raise ArgumentError(f"convolution_matrix: n must be a positive integer; got {size}.")
    names("convolution_matrix", mode=mode)
    if mode not in ("full", "valid", "same"):
        raise ArgumentError(
            f"convolution_matrix: mode must be one of 'full', 'valid', 'same'; got {shown(mode)}."
        )
    x = _vectors("convolution_matrix", 0, a)
    length = x.shape[-1]
    if not length:
        raise ShapeError(f"convolution_matrix: a has shape {x.shape}, but must have elements")
    none = _zeros(x.shape[:-1], size - 1, x)
    padded = concatenate([none, x, none], axis=-1)
    first, last = 0, length + size - 1
    shorter = min(length, size) - 1
    if mode == "valid":
        first, last = shorter, last - shorter
    elif mode == "same":
        first, last = shorter // 2, last - (shorter - shorter // 2)
    places = np.arange(first, last)[:, None] - np.arange(size) + size - 1
    return _placed(padded, places)


@composed
def fiedler(a: ArrayLike) -> Array:
    """Fiedler's matrices of distances, `|a[i] - a[j]|`.

    Example:
        >>> import numpy as np
        >>> print(fiedler(np.array([1, 4])))
        [[0 3]
         [3 0]]
    """
    x = _vectors("fiedler", 0, a)
    return abs(x[..., :, None] - x[..., None, :])


@composed
def fiedler_companion(a: ArrayLike) -> Array:
    """Fiedler's companion matrices of polynomials: with five diagonals, and the roots for eigenvalues.

    Source: M. Fiedler, "A note on companion matrices", Linear Algebra and its Applications 372 (2003).

    Example:
        >>> import numpy as np
        >>> print(fiedler_companion(np.array([1.0, -3.0, 2.0], np.float32)))
        [[ 3. -2.]
         [ 1.  0.]]
    """
    (x,) = [array_of(each) for each in promote("fiedler_companion", a, inexact=True)]
    x = _vectors("fiedler_companion", 0, x)
    n = max(x.shape[-1] - 1, 0)
    if n == 0:
        return filled((*x.shape[:-1], 0, 0), literal(0, x))
    # 0, 1, then the coefficients: places in these make the matrix.
    zero, one = _zeros(x.shape[:-1], 1, x), filled((*x.shape[:-1], 1), literal(1, x))
    values = concatenate([zero, one, -x[..., 1:] / x[..., :1]], axis=-1)
    places = np.zeros((n, n), np.int64)

    def enter(rows: range, columns: range, first: int, step: int) -> None:
        for number, (i, j) in enumerate(zip(rows, columns, strict=False)):
            places[i, j] = first + step * number

    places[0, 0] = 2
    if n > 1:
        places[1, 0] = 1
        enter(range(0, n - 1, 2), range(1, n, 2), 3, 2)  # coefficients 2, 4, ...
        enter(range(2, n, 2), range(1, n - 1, 2), 4, 2)  # coefficients 3, 5, ...
        enter(range(0, n - 2, 2), range(2, n, 2), 1, 0)
        enter(range(3, n, 2), range(1, n - 2, 2), 1, 0)
    return _placed(values, places)


@composed(loops=True, host=in_numpy.block_diag)
def block_diag(*arrs: ArrayLike) -> Array:
    """Return a matrix of matrices along its diagonal; vectors are rows, numbers are 1 by 1.

    Raises:
        ShapeError: an array has more than two axes.

    Example:
        >>> import numpy as np
        >>> print(block_diag(np.array([[1, 2]]), 3))
        [[1 2 0]
         [0 0 3]]
    """
    if not arrs:
        return filled((1, 0), np.float32(0))
    parts = [array_of(x) for x in promote("block_diag", *arrs)]
    blocks = []
    for place, x in enumerate(parts):
        if x.ndim > 2:
            raise ShapeError(
                f"block_diag: arguments must have at most 2 axes, got {type_of(x)} at position {place}"
            )
        blocks.append(ops.reshape(x, shape=(1,) * (2 - x.ndim) + x.shape))
    columns = sum(x.shape[1] for x in blocks)
    bands, left = [], 0
    for x in blocks:
        width = x.shape[1]
        low, high = (0, left), (0, columns - left - width)
        bands.append(ops.pad(x, literal(0, x), low=low, high=high, interior=(0, 0)))
        left += width
    return ops.concatenate(bands, dimension=0)
