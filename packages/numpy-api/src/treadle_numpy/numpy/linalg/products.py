"""Products and powers of matrices, and what NumPy offers again under `linalg`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.calling import composed
from treadle_ir.core import is_symbolic
from treadle_ir.errors import sequence
from treadle_numpy.lax.precision import PrecisionLike
from treadle_numpy.numpy.contraction.products import (
    cross as vector_product,
    matmul as matmul,
    outer as product_of_each,
    tensordot as tensordot,
    vecdot as vecdot,
)
from treadle_numpy.numpy.creation.matrices import eye
from treadle_numpy.numpy.linalg.systems import inv
from treadle_numpy.numpy.manipulation import diagonals
from treadle_numpy.numpy.manipulation.axes import matrix_transpose as matrix_transpose
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import check_settings
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.shapes import as_index

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]


@composed
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Return the product of each element of one vector with each of another, as a matrix.

    Raises:
        ShapeError: an operand is not a vector; `treadle.numpy.outer` takes any shape.

    Example:
        >>> import numpy as np
        >>> print(outer(np.arange(2), np.arange(3)))
        [[0 0 0]
         [0 1 2]]
    """
    x, y = coerce_array("outer", 0, x1), coerce_array("outer", 1, x2)
    check_settings("outer", x, y)
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeError(
            f"linalg.outer: the operands must be vectors, got shapes {x.shape} and {y.shape}",
            fix="use treadle.numpy.outer, which takes the elements of any array in order",
        )
    return product_of_each(x, y)


@composed
def matrix_power(a: ArrayLike, n: int) -> Array:
    """Return a matrix multiplied by itself `n` times; for negative n, its inverse multiplied by itself -n times.

    For `n` = 0 the identity. Leading axes are a batch. Inverses of integers are floats.

    Raises:
        ShapeError: the last two axes are not square.
        ArgumentError: `n` is not an integer.

    Example:
        >>> import numpy as np
        >>> print(matrix_power(np.array([[1, 1], [0, 1]], np.int32), 3))
        [[1 3]
         [0 1]]
    """
    x = coerce_array("matrix_power", 0, a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"Last 2 dimensions of the array must be square, got {x.shape}")
    count = as_index("matrix_power", "n", n)
    if count < 0:
        x, count = inv(x), -count
    if count == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    result: Array | None = None
    square = x
    while count:
        if count & 1:
            result = square if result is None else matmul(result, square)
        count >>= 1
        if count:
            square = matmul(square, square)
    assert result is not None
    return result


@composed
def multi_dot(arrays: Sequence[ArrayLike], *, precision: PrecisionLike = None) -> Array:
    """Return the product of several matrices in the order that costs least.

    The first and the last may be vectors: a row and a column, whose axis the result lacks.

    Raises:
        ArgumentError: there are fewer than two matrices.
        ShapeError: what is to be a matrix is none, or columns of one and rows of the next differ in number.

    Example:
        >>> import numpy as np
        >>> a, b, x = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.ones(4, np.float32)
        >>> print(multi_dot([a, b, x]))
        [12. 12.]
    """
    given = sequence("multi_dot", "arrays", arrays)
    operands = [array_of(x) for x in promote("multi_dot", *given)] if given else []
    if len(operands) < 2:
        raise ArgumentError(
            f"multi_dot requires at least two arrays; got len(arrays)={len(operands)}"
        )
    for i, x in enumerate(operands):
        ends = i in (0, len(operands) - 1)
        if x.ndim != 2 and not (ends and x.ndim == 1):
            raise ShapeError(
                f"multi_dot: argument {i} has shape {x.shape}, but must be a matrix"
                + (" or a vector" if ends else "; only the first and the last may be vectors")
            )
    for i, (x, y) in enumerate(pairwise(operands)):
        if x.shape[-1] != y.shape[0]:
            raise ShapeError(
                f"multi_dot: last dimension of each array must match first dimension of following array, but "
                f"arguments {i} and {i + 1} have shapes {x.shape} and {y.shape}"
            )
    split = _cheapest([1 if operands[0].ndim == 1 else operands[0].shape[0], *_ends(operands)])

    def product(start: int, stop: int) -> Array:
        if stop - start == 1:
            return operands[start]
        middle = split[start, stop]
        return matmul(product(start, middle), product(middle, stop), precision=precision)

    return product(0, len(operands))


def _ends(operands: Sequence[Array]) -> list[int]:
    """Return the columns of each matrix; a last vector is one."""
    last = operands[-1]
    return [*[x.shape[-1] for x in operands[:-1]], 1 if last.ndim == 1 else last.shape[1]]


def _cheapest(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return where to split the product of the matrices from `i` up to `j` at least cost; sizes[i] are rows of i.

    With symbolic sizes the cost is unknown, and the order is from left to right.

    Source: T. Cormen, C. Leiserson, R. Rivest, C. Stein, Introduction to Algorithms, section 14.2.
    """
    count = len(sizes) - 1
    if is_symbolic(sizes):
        return {(0, j): j - 1 for j in range(2, count + 1)}
    costs: dict[tuple[int, int], int] = {(i, i + 1): 0 for i in range(count)}
    split = {}
    for length in range(2, count + 1):
        for i in range(count - length + 1):
            j = i + length
            best = None
            for k in range(i + 1, j):
                cost = costs[i, k] + costs[k, j] + sizes[i] * sizes[k] * sizes[j]
                if best is None or cost < best:
                    best, split[i, j] = cost, k
            assert best is not None
            costs[i, j] = best
    return split


@composed
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """Return the vector product of vectors of three elements along an axis.

    Raises:
        ShapeError: the vectors have not three elements.
        AxisError: there is no such axis.

    Example:
        >>> import numpy as np
        >>> print(cross(np.array([1, 0, 0], np.int32), np.array([0, 1, 0], np.int32)))
        [0 0 1]
    """
    a, b = [array_of(v) for v in promote("cross", x1, x2)]
    for each in (a, b):
        as_axis("cross", axis, each.ndim)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ShapeError(
            f"Both input arrays must be (arrays of) 3-dimensional vectors, but they have {a.shape[axis]} and "
            f"{b.shape[axis]} dimensions instead."
        )
    return vector_product(a, b, axis=axis)


@composed
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """Return the diagonals of the matrices in the last two axes (`treadle.numpy.diagonal`: in the first two).

    Shapes:
        x: [*batch, m, n]
        result: [*batch, k]: for `offset` 0, k is the lesser of m and n

    Raises:
        ShapeError: there are fewer than two axes.

    Example:
        >>> import numpy as np
        >>> print(diagonal(np.arange(8, dtype=np.int32).reshape(2, 2, 2)))
        [[0 3]
         [4 7]]
    """
    return diagonals.diagonal(x, offset, -2, -1)


@composed
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array:
    """Return the sums of the diagonals of the matrices in the last two axes (`treadle.numpy.trace`: in the first two).

    Shapes:
        x: [*batch, m, n]
        result: [*batch]

    Raises:
        ShapeError: there are fewer than two axes.

    Example:
        >>> import numpy as np
        >>> print(trace(np.arange(8, dtype=np.int32).reshape(2, 2, 2)))
        [ 3 11]
    """
    return diagonals.trace(x, offset, -2, -1, dtype)
