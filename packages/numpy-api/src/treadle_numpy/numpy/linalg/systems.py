"""Systems of equations and inverses."""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed, matrices
from treadle_ir.errors import integer, integers
from treadle_numpy.lax.linalg import in_lapack
from treadle_numpy.lax.linalg.elimination import eliminated
from treadle_numpy.numpy.linalg.operands import square_matrices
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axes
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import literal

__all__ = ["inv", "solve", "tensorinv", "tensorsolve"]


@composed(loops=True, host=in_lapack.solve)
def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the solutions x of `a x = b`, by elimination with partial pivoting.

    Args:
        a: [..., n, n].
        b: [n], one vector for all matrices, or [..., n, k]; leading axes are broadcast.

    A singular matrix makes infinities and NaN, where NumPy raises.

    Raises:
        ShapeError: `a` is not square, or `b` does not fit.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(solve(np.array([[2.0, 0.0], [1.0, 4.0]], np.float32), np.array([2.0, 5.0], np.float32)))
        [1. 1.]
    """
    matrix, right = [array_of(x) for x in promote("solve", a, b, inexact=True)]
    if matrix.ndim < 2:
        raise ShapeError(
            f"left hand array must be at least two dimensional; got a.shape={matrix.shape}"
        )
    return solved("solve", matrix, right)


def solved(name: str, a: Array, b: Array) -> Array:
    """Apply `solve` to arrays of one element type.

    Raises:
        ShapeError: `a` is not square, or `b` does not fit.
    """
    n = a.shape[-1] if a.ndim >= 2 else -1
    is_vector = b.ndim == 1
    rows = b.shape[-1 if is_vector else -2] if b.ndim else -1
    if a.ndim < 2 or a.shape[-2] != n or rows != n:
        raise ShapeError(
            f"{name}: the shapes are {a.shape} and {b.shape}, but must be (..., n, n) and (n,) or (..., n, k)",
            fix="for a batch of vectors use solve(a, b[..., None])[..., 0]",
        )
    if is_vector:
        b = ops.reshape(b, shape=(n, 1))
    batch = common_shape(name, [a.shape[:-2], b.shape[:-2]])
    if a.ndim == 2 and b.ndim > 2:  # one matrix: all right-hand sides stand side by side
        k = b.shape[-1]
        order = (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1)
        side_by_side = ops.reshape(
            ops.transpose(b, permutation=order), shape=(n, math.prod(batch) * k)
        )
        x = ops.reshape(eliminated(a, side_by_side), shape=(n, *batch, k))
        return ops.transpose(x, permutation=(*range(1, b.ndim - 1), 0, b.ndim - 1))
    a = broadcast_to_shape(a, (*batch, n, n))
    x = eliminated(a, broadcast_to_shape(b, (*batch, *b.shape[-2:])))
    return ops.reshape(x, shape=x.shape[:-1]) if is_vector else x


@composed(loops=True, host=in_lapack.inv)
def inv(a: ArrayLike) -> Array:
    """Invert matrices; a singular matrix gives infinities and NaN, where NumPy raises.

    Args:
        a: matrices `[..., n, n]`.

    Returns:
        Matrices of the same shape.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(inv(np.array([[2.0, 0.0], [0.0, 4.0]], np.float32)))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    return inverse(square_matrices("inv", a))


def inverse(x: Array) -> Array:
    """Apply `inv` to square matrices."""
    rank = x.ndim
    row, column = (
        ops.iota(shape=x.shape, dimension=i, dtype=matrices.I32) for i in (rank - 2, rank - 1)
    )
    one = ops.broadcast_in_dim(literal(1, x), shape=x.shape, dimensions=())
    identity = ops.select(ops.compare(row, column, direction="eq"), one, literal(0, x))
    return eliminated(x, identity)


@composed(loops=True)
def tensorinv(a: ArrayLike, ind: int = 2) -> Array:
    """Return the inverse of the linear map of which `a` is the array, with the first `ind` axes for its results.

    Raises:
        ShapeError: the map is not square.
        ArgumentError: `ind` is not positive.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(tensorinv(np.eye(4, dtype=np.float32).reshape(2, 2, 2, 2)).shape)
        (2, 2, 2, 2)
    """
    count = integer("tensorinv", "ind", ind)
    if count <= 0:
        raise ArgumentError(f"ind must be a positive integer; got ind={count}")
    (x,) = [array_of(each) for each in promote("tensorinv", a, inexact=True)]
    first, last = x.shape[:count], x.shape[count:]
    if math.prod(first) != math.prod(last):
        raise ShapeError(
            "tensorinv is only possible when the product of the first `ind` dimensions equals the product "
            "of the remaining "
            f"dimensions. got arr.shape={x.shape} with ind={count}."
        )
    n = math.prod(last)
    return ops.reshape(inverse(ops.reshape(x, shape=(n, n))), shape=(*last, *first))


@composed(loops=True)
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """Return the x for which `tensordot(a, x, x.ndim)` is b; the axes of `a` named in `axes` are moved to its end
    first.

    Raises:
        ShapeError: the leading axes of `a` do not match b, or the map is not square.
        AxisError: `a` has no such axis.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> a = np.eye(4, dtype=np.float32).reshape(2, 2, 4)
        >>> print(tensorsolve(a, np.ones((2, 2), np.float32)))
        [1. 1. 1. 1.]
    """
    x, right = [array_of(each) for each in promote("tensorsolve", a, b, inexact=True)]
    if axes is not None:
        moved = as_axes("tensorsolve", tuple(integers("tensorsolve", "axes", axes)), x.ndim)
        order = (*[i for i in range(x.ndim) if i not in moved], *moved)
        x = ops.transpose(x, permutation=order)
    shape = x.shape[right.ndim :]
    if x.shape[: right.ndim] != right.shape or math.prod(shape) != right.size:
        raise ShapeError(
            "After moving axes to end, leading shape of a must match shape of b. "
            f"got a.shape={x.shape}, b.shape={right.shape}"
        )
    n = right.size
    solution = solved("tensorsolve", ops.reshape(x, shape=(n, n)), ops.reshape(right, shape=(n,)))
    return ops.reshape(solution, shape=shape)
