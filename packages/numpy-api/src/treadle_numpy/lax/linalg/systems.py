"""Systems of equations with triangular and tridiagonal matrices."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_ir.errors import flags
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.exact import strict

__all__ = ["triangular_solve", "tridiagonal_solve"]


def triangular_solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Return the solutions x of `x op(a) = b`, or of `op(a) x = b` with `left_side`, with a triangular matrix a.

    Only the triangle that `lower` names is read, without its diagonal if `unit_diagonal` says that it is one. `op`
    transposes, conjugates, both or neither. A right-hand side with one axis less than `a` is a vector. A zero on the
    diagonal makes infinities and NaN.

    Raises:
        ShapeError: `a` is not square, or `b` does not fit.
        DTypeError: the element types differ, or are integers.

    Example:
        >>> import numpy as np
        >>> a = np.array([[2.0, 0.0], [1.0, 4.0]], np.float32)
        >>> print(triangular_solve(a, np.array([2.0, 5.0], np.float32), left_side=True, lower=True))
        [1. 1.]
    """
    flags(
        "triangular_solve",
        left_side=left_side,
        lower=lower,
        transpose_a=transpose_a,
        conjugate_a=conjugate_a,
        unit_diagonal=unit_diagonal,
    )
    matrix, right = [array_of(x) for x in strict("triangular_solve", a, b)]
    shape = right.shape
    is_vector = right.ndim == matrix.ndim - 1
    if is_vector:
        wide = (*shape, 1) if left_side else (*shape[:-1], 1, *shape[-1:])
        right = ops.reshape(right, shape=wide)
    x = ops.triangular_solve(
        matrix,
        right,
        left_side=bool(left_side),
        lower=bool(lower),
        transpose_a=bool(transpose_a),
        conjugate_a=bool(conjugate_a),
        unit_diagonal=bool(unit_diagonal),
    )
    return ops.reshape(x, shape=shape) if is_vector else x


def tridiagonal_solve(
    dl: ArrayLike, d: ArrayLike, du: ArrayLike, b: ArrayLike, *, perturb_singular: bool = False
) -> Array:
    """Return the solutions of `a x = b` with a tridiagonal matrix of diagonals `dl`, `d` and `du`.

    `dl[i]` stands in column i - 1 of row i, `du[i]` in column i + 1; `dl[0]` and `du[-1]` are not read. A singular
    matrix makes NaN, or large numbers with `perturb_singular`, which replaces tiny pivots.

    Raises:
        ShapeError: the sizes of the diagonals differ from the number of rows of `b`.
        DTypeError: the element types differ, or are not f32, f64, c64 or c128.

    Example:
        >>> import numpy as np
        >>> off, diagonal = np.zeros(2, np.float32), np.full(2, 4, np.float32)
        >>> print(tridiagonal_solve(off, diagonal, off, np.array([[4.0], [8.0]], np.float32)).ravel().round(3))
        [1. 2.]
    """
    flags("tridiagonal_solve", perturb_singular=perturb_singular)
    operands = [coerce_array("tridiagonal_solve", i, x) for i, x in enumerate((dl, d, du, b))]
    return ops.tridiagonal_solve(*operands, perturb_singular=bool(perturb_singular))
