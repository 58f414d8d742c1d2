"""Systems of equations, with factors that there are already or with those that suit the matrix."""

from __future__ import annotations

from typing import Any, Final

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed, matrices
from treadle_ir.errors import flags, names, shown
from treadle_numpy.lax.linalg import in_lapack
from treadle_numpy.lax.linalg.elimination import substituted
from treadle_numpy.lax.linalg.factorisations import cholesky
from treadle_numpy.numpy.linalg import determinants, systems
from treadle_numpy.numpy.linalg.operands import check_square
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, check_settings, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import promote

__all__ = ["cho_solve", "det", "inv", "lu_solve", "solve", "solve_triangular"]

_OPERATIONS: Final[dict[object, str]] = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}


def _fitted(name: str, a: ArrayLike, b: ArrayLike) -> tuple[Array, Array, bool]:
    """Matrices and right-hand sides of one element type and batch; whether these are one vector.

    Raises:
        ShapeError: the matrices are not square, or the right-hand sides do not fit.
    """
    matrix, right = [array_of(x) for x in promote(name, a, b, inexact=True)]
    check_square(name, matrix)
    is_vector = right.ndim == 1
    if is_vector:
        right = ops.reshape(right, shape=(*right.shape, 1))
    if right.ndim < 2 or right.shape[-2] != matrix.shape[-1]:
        raise ShapeError(
            f"{name}: the shapes are {matrix.shape} and {tuple(coerce_array(name, 1, b).shape)}, but must be "
            "(..., n, n) and (n,) or (..., n, k)"
        )
    batch = common_shape(name, [matrix.shape[:-2], right.shape[:-2]])
    matrix = broadcast_to_shape(matrix, (*batch, *matrix.shape[-2:]))
    return matrix, broadcast_to_shape(right, (*batch, *right.shape[-2:])), is_vector


def _shaped(x: Array, is_vector: bool) -> Array:
    return ops.reshape(x, shape=x.shape[:-1]) if is_vector else x


@composed(loops=True)
def cho_solve(
    c_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Return the solutions of `a x = b`, from the result of `cho_factor(a)`.

    Raises:
        ShapeError: the factor is not square, or `b` does not fit.

    Example:
        >>> import numpy as np
        >>> factor = np.array([[2.0, 0.0], [0.0, 1.0]], np.float32)
        >>> print(cho_solve((factor, True), np.array([4.0, 3.0], np.float32)))
        [1. 3.]
    """
    flags("cho_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    factor, lower = pair("cho_solve", "c_and_lower", c_and_lower)
    flags("cho_solve", lower=lower)
    c, right, is_vector = _fitted("cho_solve", factor, b)
    return _shaped(_by_cholesky(c, right, bool(lower)), is_vector)


def pair(name: str, argument: str, value: Any) -> tuple[Any, Any]:
    """Return an argument that is a pair.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ArgumentError(
            f"{name}: {argument} must be a pair, got {shown(value)} of {type(value)}"
        )
    return value[0], value[1]


def _operation(name: str, trans: object) -> str:
    """Return the operation that `trans` names: none, transposed or conjugated too.

    Raises:
        ArgumentError: it is another value.
    """
    if not isinstance(trans, (int, str)) or trans not in _OPERATIONS:
        raise ArgumentError(
            f"{name}: 'trans' value must be 0, 1, or 2 (or 'N', 'T', 'C'), got {shown(trans)}"
        )
    return _OPERATIONS[trans]


def _by_cholesky(c: Array, b: Array, lower: bool) -> Array:
    """Solve `L Lᴴ x = b`, or `Uᴴ U x = b`."""
    x = ops.triangular_solve(c, b, lower=lower, transpose_a=not lower, conjugate_a=not lower)
    return ops.triangular_solve(c, x, lower=lower, transpose_a=lower, conjugate_a=lower)


@composed(loops=True)
def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Return the solutions of `a x = b`, from the result of `lu_factor(a)`; of `aᵀ x = b` for trans=1, `aᴴ x = b` for
    2.

    Raises:
        ShapeError: the factors are not square, or `b` does not fit.
        ArgumentError: `trans` is another number.

    Example:
        >>> import numpy as np
        >>> factors = np.array([[2.0, 0.0], [0.0, 4.0]], np.float32), np.array([0, 1], np.int32)
        >>> print(lu_solve(factors, np.array([2.0, 4.0], np.float32)))
        [1. 1.]
    """
    flags("lu_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    factors, pivots = pair("lu_solve", "lu_and_piv", lu_and_piv)
    operation = _operation("lu_solve", trans)
    lu, right, is_vector = _fitted("lu_solve", factors, b)
    n = lu.shape[-1]
    piv = coerce_array("lu_solve", 1, pivots)
    if piv.ndim == 0 or piv.shape[-1] != n:
        raise ShapeError(f"lu_solve: the pivots have shape {piv.shape}, but must have {n}")
    permutation = ops.lu_pivots_to_permutation(
        broadcast_to_shape(piv, (*lu.shape[:-2], n)), permutation_size=n
    )
    x = substituted(lu, permutation, right, operation=operation)
    return _shaped(x, is_vector)


@composed(loops=True, host=in_lapack.solve)
def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    debug: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> Array:
    """Return the solutions of `a x = b`: by Cholesky's factor for assume_a="pos", else by elimination.

    With `pos` only the upper triangle is read, or the lower one if `lower`. A matrix without the factorisation makes
    infinities or NaN, where SciPy raises.

    Raises:
        ShapeError: `a` is not square, or `b` does not fit.
        ArgumentError: `assume_a` is none of gen, sym, her, pos.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> a = np.array([[4.0, 0.0], [0.0, 2.0]], np.float32)
        >>> print(solve(a, np.array([4.0, 2.0], np.float32), assume_a="pos").round(3))
        [1. 1.]
    """
    flags(
        "solve",
        lower=lower,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        check_finite=check_finite,
    )
    names("solve", assume_a=assume_a)
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ArgumentError(
            f"solve: expected assume_a to be one of ['gen', 'sym', 'her', 'pos']; got {shown(assume_a)}"
        )
    check_settings("solve", a, b)
    if assume_a != "pos":
        return systems.solve(a, b)
    matrix, right, is_vector = _fitted("solve", a, b)
    factor = cholesky(matrix if lower else matrices.adjoint(matrix), symmetrize_input=False)
    return _shaped(_by_cholesky(factor, right, True), is_vector)


@composed(loops=True)
def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Array:
    """Return the solutions of `op(a) x = b` with a triangular matrix, of which the other triangle is not read.

    `trans` is 0 or "N", 1 or "T" for the transposed matrix, 2 or "C" for its conjugate. A zero on the diagonal makes
    infinities and NaN, where SciPy raises.

    Raises:
        ShapeError: `a` is not square, or `b` does not fit.
        ArgumentError: `trans` is another value.

    Example:
        >>> import numpy as np
        >>> a = np.array([[2.0, 0.0], [1.0, 4.0]], np.float32)
        >>> print(solve_triangular(a, np.array([2.0, 5.0], np.float32), lower=True))
        [1. 1.]
    """
    flags(
        "solve_triangular",
        lower=lower,
        unit_diagonal=unit_diagonal,
        overwrite_b=overwrite_b,
        check_finite=check_finite,
    )
    operation = _operation("solve_triangular", trans)
    matrix, right, is_vector = _fitted("solve_triangular", a, b)
    x = ops.triangular_solve(
        matrix,
        right,
        lower=bool(lower),
        transpose_a=operation != "N",
        conjugate_a=operation == "C",
        unit_diagonal=bool(unit_diagonal),
    )
    return _shaped(x, is_vector)


@composed(loops=True, host=in_lapack.inv)
def inv(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Return the inverses of matrices: see `numpy.linalg.inv`.

    Raises:
        ShapeError: the last two axes are not square.

    Example:
        >>> import numpy as np
        >>> print(inv(np.array([[2.0, 0.0], [0.0, 4.0]], np.float32)))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    flags("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return systems.inv(a)


@composed(loops=True, host=in_lapack.det)
def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Return the determinants of matrices: see `numpy.linalg.det`.

    Raises:
        ShapeError: the last two axes are not square.

    Example:
        >>> import numpy as np
        >>> print(det(np.array([[2.0, 1.0], [1.0, 4.0]], np.float32)))
        7.0
    """
    flags("det", overwrite_a=overwrite_a, check_finite=check_finite)
    return determinants.det(a)
