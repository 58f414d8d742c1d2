"""Operations on batches of matrices in the last two axes: products, triangles, diagonals, blocks; made of `ops`.

Derivatives of linear algebra and the public functions on top of it share them. Operands have to match exactly: nothing
is promoted, and batches are equal.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ops
from treadle_ir.calling.operands import as_array
from treadle_ir.core import dtypes
from treadle_ir.core.sizes import is_symbolic, is_symbolic_dim, min_dim
from treadle_ir.tracing.array import Array, Operand, type_of

I32: Final = np.dtype(np.int32)


def matmul(x: Operand, y: Operand) -> Array:
    """Return the products of the matrices in two batches."""
    rank = type_of(x).ndim
    batch = tuple(range(rank - 2))
    return ops.dot_general(
        x, y, contracting=((rank - 1,), (rank - 2,)), batching=(batch, batch), precision="highest"
    )


def transposed(x: Operand) -> Array:
    """Return the transposes."""
    rank = type_of(x).ndim
    return ops.transpose(x, permutation=(*range(rank - 2), rank - 1, rank - 2))


def conjugated(x: Operand) -> Array:
    """Return complex conjugates; real numbers unchanged."""
    return ops.conjugate(x) if dtypes.is_complex(type_of(x).dtype) else as_array(x)


def adjoint(x: Operand) -> Array:
    """Return the conjugate transposes."""
    return conjugated(transposed(x))


def _places(x: Operand) -> tuple[Operand, Operand]:
    shape = type_of(x).shape
    rows = ops.iota(shape=shape, dimension=len(shape) - 2, dtype=I32)
    return rows, ops.iota(shape=shape, dimension=len(shape) - 1, dtype=I32)


def zero(x: Operand) -> np.generic:
    """Return the zero of an operand's element type."""
    scalar: np.generic = type_of(x).dtype.type(0)
    return scalar


def lower(x: Operand, *, strictly: bool = False) -> Array:
    """Return the lower triangles, without the diagonal if `strictly`; zero elsewhere."""
    row, column = _places(x)
    return ops.select(ops.compare(row, column, direction="gt" if strictly else "ge"), x, zero(x))


def upper(x: Operand, *, strictly: bool = False) -> Array:
    """Return the upper triangles, without the diagonal if `strictly`; zero elsewhere."""
    row, column = _places(x)
    return ops.select(ops.compare(row, column, direction="lt" if strictly else "le"), x, zero(x))


def on_diagonal(x: Operand, y: Operand | np.generic) -> Array:
    """Return matrices with the diagonals of `x`, and the other elements of `y`, which may be a number."""
    row, column = _places(x)
    return ops.select(ops.compare(row, column, direction="eq"), x, y)


def off_diagonal(x: Operand) -> Array:
    """Return the matrices with zeros on the diagonal."""
    row, column = _places(x)
    return ops.select(ops.compare(row, column, direction="ne"), x, zero(x))


def diagonal(x: Operand) -> Array:
    """Return the diagonals of square matrices, as vectors."""
    *batch, n = type_of(x).shape[:-1]
    if is_symbolic_dim(n):  # a stride is a number
        return ops.reduce_add(on_diagonal(x, zero(x)), axes=(len(batch) + 1,))
    # row after row, the diagonal is every (n + 1)-th element
    flat = ops.reshape(x, shape=(*batch, n * n))
    strides = (*[1] * len(batch), n + 1)
    return ops.slice(flat, start=[0] * len(strides), limit=flat.shape, strides=strides)


def real(x: Operand) -> Array:
    """Return the real parts."""
    return ops.real(x) if dtypes.is_complex(type_of(x).dtype) else as_array(x)


def only_real(x: Operand) -> Array:
    """Return the numbers without their imaginary parts, in the same element type."""
    if not dtypes.is_complex(type_of(x).dtype):
        return as_array(x)
    return ops.convert(ops.real(x), dtype=type_of(x).dtype)


def only_imaginary(x: Operand) -> Array:
    """Return the numbers without their real parts: zero for real numbers."""
    return ops.subtract(x, only_real(x))


def across(vector: Operand, x: Operand) -> Array:
    """Broadcast a vector for each matrix, one element for each of its columns, to the matrices' shape and dtype."""
    type = type_of(x)
    axes = (*range(type.ndim - 2), type.ndim - 1)
    spread = ops.broadcast_in_dim(vector, shape=type.shape, dimensions=axes)
    return spread if type_of(vector).dtype == type.dtype else ops.convert(spread, dtype=type.dtype)


def down(vector: Operand, x: Operand) -> Array:
    """Broadcast a vector for each matrix, one element for each of its rows, to the matrices' shape and dtype."""
    type = type_of(x)
    spread = ops.broadcast_in_dim(vector, shape=type.shape, dimensions=tuple(range(type.ndim - 1)))
    return spread if type_of(vector).dtype == type.dtype else ops.convert(spread, dtype=type.dtype)


def block(x: Operand, rows: slice, columns: slice) -> Array:
    """Return some rows and columns of each matrix."""
    *batch, m, n = type_of(x).shape
    starts, limits = zip(_ends(rows, m), _ends(columns, n), strict=True)
    if starts == (0, 0) and limits == (m, n):
        return as_array(x)
    return ops.slice(
        x,
        start=(*[0] * len(batch), *starts),
        limit=(*batch, *limits),
        strides=(1,) * (len(batch) + 2),
    )


def _ends(part: slice, size: int) -> tuple[int, int]:
    """Return the start and the stop of a slice of an axis, whose size may be symbolic."""
    if not is_symbolic((part.start, part.stop, size)):
        return part.indices(size)[:2]
    return part.start or 0, size if part.stop is None else min_dim(part.stop, size)


def padded(x: Operand, rows: int, columns: int) -> Array:
    """Pad matrices with zeros below and to the right, up to a size."""
    *batch, m, n = type_of(x).shape
    if (m, n) == (rows, columns):
        return as_array(x)
    high = (*[0] * len(batch), rows - m, columns - n)
    none = (0,) * len(high)
    return ops.pad(x, zero(x), low=none, high=high, interior=none)


def side_by_side(x: Operand, y: Operand) -> Array:
    """Concatenate the columns of two matrices."""
    return ops.concatenate([x, y], dimension=type_of(x).ndim - 1)


def hermitian(x: Operand, *, from_lower: bool) -> Array:
    """Return the Hermitian matrices with a triangle of these matrices, and the real parts of their diagonals."""
    strict = lower(x, strictly=True) if from_lower else upper(x, strictly=True)
    return ops.add(ops.add(strict, adjoint(strict)), on_diagonal(only_real(x), zero(x)))


def rows_taken(x: Operand, order: Operand) -> Array:
    """Return the rows of each matrix in the order that `order` gives for it."""
    *batch, _, n = type_of(x).shape
    if type_of(x).size == 0:
        return as_array(x)
    rank = len(batch)
    axes = tuple(range(rank))
    return ops.gather(
        x,
        ops.reshape(order, shape=(*type_of(order).shape, 1)),
        offset_dims=(rank + 1,),
        collapsed_slice_dims=(rank,),
        start_index_map=(rank,),
        slice_sizes=(*[1] * rank, 1, n),
        operand_batching_dims=axes,
        start_indices_batching_dims=axes,
        mode="promise_in_bounds",
        unique_indices=True,
    )


def solved(a: Operand, b: Operand) -> Array:
    """Return the solutions of `a x = b` with any square matrices, by elimination."""
    factors, _, permutation = ops.lu(a)
    x = ops.triangular_solve(factors, rows_taken(b, permutation), lower=True, unit_diagonal=True)
    return ops.triangular_solve(factors, x, lower=False)
