"""Cholesky, LU and QR, and products of Householder reflections."""

from __future__ import annotations

from treadle_ir import Array, ops
from treadle_ir.calling import matrices
from treadle_ir.errors import flags, integer
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.scalars import number

__all__ = [
    "cholesky",
    "householder_product",
    "lu",
    "lu_pivots_to_permutation",
    "ormqr",
    "qr",
]


def symmetrized(x: Array) -> Array:
    """Return the Hermitian parts of matrices, `(x + xᴴ) / 2`."""
    return ops.multiply(ops.add(x, matrices.adjoint(x)), number(0.5, x))


def cholesky(x: ArrayLike, *, symmetrize_input: bool = True) -> Array:
    """Return the lower triangular L of which `L Lᴴ` is a Hermitian positive definite matrix.

    `symmetrize_input` takes the matrix's Hermitian part; without it only the lower triangle is read. A matrix that is
    not positive definite has NaN in its lower triangle.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(cholesky(np.array([[4.0, 2.0], [2.0, 5.0]], np.float32)))
        [[2. 0.]
         [1. 2.]]
    """
    flags("cholesky", symmetrize_input=symmetrize_input)
    a = array_of(inexact_operand("cholesky", x))
    if symmetrize_input and is_square(a):
        a = symmetrized(a)
    return ops.cholesky(a)


def is_square(x: Array) -> bool:
    """Return whether the last two axes have one size; what is not square is refused by the primitive."""
    return x.ndim >= 2 and x.shape[-1] == x.shape[-2]


def lu(x: ArrayLike) -> list[Array]:
    """L and U of `P A = L U` in one matrix, pivots, and P as a permutation of rows.

    L has ones on its diagonal, which are not stored. In step i row i was exchanged with row `pivots[i]`, and row i of
    `P A` is row `permutation[i]` of A.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the matrix is not f32, f64, c64 or c128.

    Example:
        >>> import numpy as np
        >>> factors, pivots, permutation = lu(np.array([[1.0, 2.0], [4.0, 4.0]], np.float32))
        >>> print(factors, pivots, permutation)
        [[4.   4.  ]
         [0.25 1.  ]] [1 1] [1 0]
    """
    return [*ops.lu(coerce_array("lu", 0, x))]


def lu_pivots_to_permutation(pivots: ArrayLike, permutation_size: int) -> Array:
    """Return the permutation of so many rows that is left when row i was exchanged with row `pivots[i]`, in order.

    Raises:
        ShapeError: there are more pivots than rows.
        DTypeError: the pivots are not integers.

    Example:
        >>> import numpy as np
        >>> print(lu_pivots_to_permutation(np.array([2, 1], np.int32), 3))
        [2 1 0]
    """
    size = integer("lu_pivots_to_permutation", "permutation_size", permutation_size)
    x = coerce_array("lu_pivots_to_permutation", 0, pivots)
    return ops.lu_pivots_to_permutation(x, permutation_size=size)


def qr(
    x: ArrayLike,
    *,
    pivoting: bool = False,
    full_matrices: bool = True,
    use_magma: bool | None = None,
) -> tuple[Array, ...]:
    """Q with orthonormal columns and the upper triangular R of `A = Q R`.

    With `pivoting` the third result says which column of A each column of `Q R` is, so that the diagonal of R does not
    grow in modulus. `full_matrices` makes Q square. `use_magma` is accepted and changes nothing.

    The derivative needs a matrix of full rank; the columns that complete Q move within the space of the others.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the matrix is not f32, f64, c64 or c128.

    Example:
        >>> import numpy as np
        >>> q, r = qr(np.array([[3.0, 1.0], [4.0, 2.0]], np.float32))
        >>> print(f"{abs(float(r[0, 0])):.3f}")
        5.000
    """
    flags("qr", pivoting=pivoting, full_matrices=full_matrices, use_magma=use_magma)
    a = coerce_array("qr", 0, x)
    return tuple(ops.qr(a, pivoting=bool(pivoting), full_matrices=bool(full_matrices)))


def householder_product(a: ArrayLike, taus: ArrayLike) -> Array:
    """Return the first columns of the product of Householder reflections `1 - tau v vᴴ`.

    Vector i stands in column i of `a` below the diagonal; it is 1 on the diagonal and 0 above. It has no derivative.

    Shapes:
        a: [*batch, m, n], with n <= m
        taus: [*batch, k], with k <= n
        result: [*batch, m, n]

    Raises:
        ShapeError: `a` has more columns than rows, or there are more scalar factors than columns.
        DTypeError: the element types differ, or are not f32, f64, c64 or c128.

    Example:
        >>> import numpy as np
        >>> a = np.array([[5.0], [1.0]], np.float32)  # the vector is (1, 1): what stands on the diagonal is not read
        >>> print(householder_product(a, np.array([1.0], np.float32)).round(3) + 0.0)
        [[ 0.]
         [-1.]]
    """
    operands = [coerce_array("householder_product", i, x) for i, x in enumerate((a, taus))]
    return ops.householder_product(*operands)


def ormqr(
    a: ArrayLike, taus: ArrayLike, c: ArrayLike, *, left: bool = True, transpose: bool = False
) -> Array:
    """Compute `Q c`, or `c Q` unless `left`, with the square product Q of the reflections of `householder_product`.

    With `transpose` it is Qᴴ in the place of Q, also for complex matrices. It has no derivative.

    Shapes:
        a: [*batch, m, n]
        taus: [*batch, k], with k <= n
        c: [*batch, m, p], or [*batch, p, m] unless `left`
        result: as c

    Raises:
        ShapeError: `c` does not have as many rows (or columns) as `a` has rows.
        DTypeError: the element types differ, or are not f32, f64, c64 or c128.

    Example:
        >>> import numpy as np
        >>> a, taus = np.array([[5.0], [1.0]], np.float32), np.array([1.0], np.float32)
        >>> print(ormqr(a, taus, np.array([[2.0], [3.0]], np.float32)).round(3))
        [[-3.]
         [-2.]]
    """
    flags("ormqr", left=left, transpose=transpose)
    operands = [coerce_array("ormqr", i, x) for i, x in enumerate((a, taus, c))]
    return ops.householder_multiply(*operands, left=bool(left), adjoint=bool(transpose))
