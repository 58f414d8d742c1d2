"""Matrices by a rule: identity, triangles, powers."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype, is_symbolic
from treadle_ir.core.dtypes import is_bool
from treadle_ir.errors import allocating, flags, refused
from treadle_numpy.indexing.positions import counting
from treadle_numpy.operands.arrays import filled, made, on_host
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.scalars import number
from treadle_numpy.operands.shapes import as_index, as_shape

__all__ = ["eye", "identity", "tri", "vander"]


def eye(
    N: int,  # noqa: N803
    M: int | None = None,  # noqa: N803
    k: int = 0,
    dtype: DTypeLike | None = None,
    *,
    device: Device = None,
) -> Array:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: the number of rows.
        M: the number of columns; `N` if None.
        k: the number of the diagonal; positive above the main one.
        dtype: the dtype of the result; the default float if None.
        device: the device or sharding of the result; the default device by default.

    Example:
        >>> print(eye(2))
        [[1. 0.]
         [0. 1.]]
    """
    rows = as_index("eye", "N", N)
    columns = rows if M is None else as_index("eye", "M", M)
    as_shape("eye", (rows, columns))
    wanted = as_dtype("eye", dtype) or default_dtype(float)
    if on_host():
        offset = as_index("eye", "k", k)
        with allocating():
            elements = np.eye(rows, columns, offset).astype(wanted)
        return placed(made(elements), device)
    whole = default_dtype(int)
    row, column = (
        ops.iota(shape=(rows, columns), dimension=0, dtype=whole),
        ops.iota(shape=(rows, columns), dimension=1, dtype=whole),
    )
    diagonal = whole.type(_diagonal(rows, columns, as_index("eye", "k", k)))
    same = ops.compare(ops.add(row, diagonal), column, direction="eq")
    return placed(ops.convert(same, dtype=wanted), device)


def identity(n: int, dtype: DTypeLike | None = None) -> Array:
    """Return the square matrix with ones on its diagonal.

    Example:
        >>> print(identity(2))
        [[1. 0.]
         [0. 1.]]
    """
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = None) -> Array:  # noqa: N803
    """Ones on and below a diagonal, zeros above.

    Example:
        >>> print(tri(2))
        [[1. 0.]
         [1. 1.]]
    """
    rows = as_index("tri", "N", N)
    columns = rows if M is None else as_index("tri", "M", M)
    wanted = as_dtype("tri", dtype) or default_dtype(float)
    return ops.convert(lower_mask(rows, columns, as_index("tri", "k", k)), dtype=wanted)


def lower_mask(rows: int, columns: int, k: int) -> Array:
    """Return which elements of a matrix are on or below diagonal `k`."""
    if on_host():
        with allocating():
            mask = np.tri(rows, columns, k, dtype=np.bool_)
        return made(mask)
    whole = default_dtype(int)
    row, column = (
        ops.iota(shape=(rows, columns), dimension=0, dtype=whole),
        ops.iota(shape=(rows, columns), dimension=1, dtype=whole),
    )
    diagonal = whole.type(_diagonal(rows, columns, k))
    return ops.compare(ops.add(row, diagonal), column, direction="ge")


def _diagonal(rows: int, columns: int, k: int) -> int:
    """The number of a diagonal; of one far outside of the matrix, which no element type may hold, one just outside."""
    return k if is_symbolic((rows, columns)) else max(-rows, min(k, columns))


_FEW_POWERS: Final = 16  # each of which is an operation of its own


@composed
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803
    """Return the powers of each element, as the columns of a matrix.

    Raises:
        ArgumentError: `x` is not a vector, or `N` is negative.

    Example:
        >>> print(vander(np.array([1, 2, 3])))
        [[1 1 1]
         [4 2 1]
         [9 3 1]]
    """
    flags("vander", increasing=increasing)
    vector = coerce_array("vander", 0, x)
    if vector.ndim != 1:
        raise ArgumentError("vander: x must be a one-dimensional array")
    count = vector.size if N is None else as_index("vander", "N", N)
    if count < 0:
        raise refused("vander", "N", "a number of columns, 0 or more", N)
    dtype = vector.dtype
    if is_bool(dtype):
        dtype = default_dtype(int)
        vector = ops.convert(vector, dtype=dtype)
    exponents = range(count) if increasing else range(count - 1, -1, -1)
    if count > _FEW_POWERS:
        return _powers(vector, count, increasing)
    columns = [
        ops.reshape(ops.integer_power(vector, exponent=e), shape=(vector.size, 1))
        for e in exponents
    ]
    if not columns:
        return filled((vector.size, 0), dtype.type(0))
    return ops.concatenate(columns, dimension=1)


def _powers(x: Array, count: int, increasing: bool) -> Array:
    """Return each element to each exponent below a count: by squares, for each bit of the exponents."""
    shape = (x.size, count)
    one = number(1, x)
    result = filled(shape, one)
    whole = counting(shape)
    exponents = ops.iota(shape=(count,), dimension=0, dtype=whole)
    if not increasing:
        exponents = ops.subtract(whole.type(count - 1), exponents)
    for bit in range((count - 1).bit_length()):
        if bit:
            x = ops.square(x)
        odd = ops.and_(ops.shift_right_logical(exponents, whole.type(bit)), whole.type(1))
        has = ops.compare(odd, whole.type(1), direction="eq")
        has = ops.broadcast_in_dim(has, shape=shape, dimensions=(1,))
        wide = ops.broadcast_in_dim(x, shape=shape, dimensions=(0,))
        result = ops.multiply(result, ops.select(has, wide, one))
    return result
