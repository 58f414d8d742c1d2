"""What singular values say: pseudo-inverses, least squares, ranks, condition numbers."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from treadle_autodiff import custom_jvp, jvp
from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed, matrices
from treadle_ir.errors import ConcretizationError, flags
from treadle_numpy.lax.linalg import in_lapack
from treadle_numpy.lax.linalg.factorisations import symmetrized
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.linalg.factorisations import svd
from treadle_numpy.numpy.linalg.norms import Order, check_order, norm
from treadle_numpy.numpy.linalg.operands import check_square, inexact_matrices
from treadle_numpy.numpy.linalg.systems import inverse
from treadle_numpy.numpy.reductions.logical import any as any_of
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import literal

__all__ = ["cond", "lstsq", "matrix_rank", "pinv"]

LeastSquares: TypeAlias = tuple[Array, Array, Array, Array]
_LENIENT: Final = 10  # times the rounding error: below, singular values of `pinv` count as zero


def _epsilon(x: Array) -> float:
    return float(finfo(x.dtype).eps) * max(x.shape[-2:])


@composed(loops=True)
def pinv(
    a: ArrayLike,
    rtol: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rcond: ArrayLike | None = None,
) -> Array:
    """Return the pseudo-inverses of matrices, after Moore and Penrose.

    Args:
        a: [..., m, n].
        rtol: singular values up to so many times the greatest count as zero; 10 max(m, n) eps by default. One number,
            or one for each matrix.
        hermitian: the matrix is Hermitian, and eigenvalues may be used.
        rcond: another name of `rtol`.

    The derivative is that for which the rank stays.

    Raises:
        ShapeError: there are fewer than two axes, a Hermitian matrix is not square, or `rtol` does not fit the batch.
        ArgumentError: `rtol` and `rcond` are both given.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(abs(pinv(np.array([[2.0, 0.0], [0.0, 0.0]], np.float32))).round(3))
        [[0.5 0. ]
         [0.  0. ]]
    """
    flags("pinv", hermitian=hermitian)
    if rtol is not None and rcond is not None:
        raise ArgumentError("pinv: only one of rtol and rcond may be specified.")
    x = inexact_matrices("pinv", a)
    if hermitian:
        check_square("pinv", x)
        x = symmetrized(x)  # which `svd` does in any case; so derivatives know it
    chosen = rcond if rtol is None else rtol
    if x.size == 0:
        return matrices.transposed(x)
    least = _LENIENT * _epsilon(x) if chosen is None else chosen
    limits = ops.stop_gradient(array_of(coerce_array("pinv", 1, least)))
    if limits.ndim:
        batch = common_shape("pinv", [limits.shape, x.shape[:-2]])
        x = broadcast_to_shape(x, (*batch, *x.shape[-2:]))
    return _hermitian_pinv(x, limits) if hermitian else _pinv(x, limits)


def _pseudo_inverse(x: Array, limits: Array, hermitian: bool) -> Array:
    u, s, vh = svd(x, full_matrices=False, hermitian=hermitian)
    small = ops.convert(limits, dtype=s.dtype)[..., None] * s[..., :1]
    kept = s > small
    inverses = where(kept, literal(1, s) / where(kept, s, literal(1, s)), literal(0, s))
    v = matrices.adjoint(vh)
    return matrices.matmul(ops.multiply(v, matrices.across(inverses, v)), matrices.adjoint(u))


@custom_jvp
def _pinv(x: Array, limits: Array) -> Array:
    return _pseudo_inverse(x, limits, False)


@custom_jvp
def _hermitian_pinv(x: Array, limits: Array) -> Array:
    return _pseudo_inverse(x, limits, True)


def _pinv_jvp(p: Array, a: Array, da: Array) -> Array:
    """Compute `-P dA P + P Pᴴ dAᴴ (1 - A P) + (1 - P A) dAᴴ Pᴴ P`, each product with the smaller side first.

    Source: G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems whose
    variables separate", SIAM J. Numer. Anal. 10 (1973), 4.12.
    """
    m = matrices.matmul
    ph, dah = matrices.adjoint(p), matrices.adjoint(da)
    result = ops.negate(m(m(p, da), p))
    first = m(m(p, ph), dah)
    result = ops.add(result, ops.subtract(first, m(m(first, a), p)))
    second = m(dah, m(ph, p))
    return ops.add(result, ops.subtract(second, m(p, m(a, second))))


@_pinv.defjvp
def _pinv_rule(primals: Any, tangents: Any) -> tuple[Array, Array]:
    p = _pinv(*primals)
    return p, _pinv_jvp(p, primals[0], tangents[0])


@_hermitian_pinv.defjvp
def _hermitian_pinv_rule(primals: Any, tangents: Any) -> tuple[Array, Array]:
    p = _hermitian_pinv(*primals)
    return p, _pinv_jvp(p, primals[0], tangents[0])


@composed(loops=True, host=in_lapack.lstsq)
def lstsq(
    a: ArrayLike, b: ArrayLike, rcond: float | None = None, *, numpy_resid: bool = False
) -> LeastSquares:
    """Return the x of least norm for which `a x` is nearest to b, residuals, rank, and singular values.

    Args:
        a: [m, n].
        b: [m] or [m, k].
        rcond: singular values below so many times the greatest count as zero; max(m, n) eps by default.
        numpy_resid: no residuals, as in NumPy, where the rank is not full or m <= n; elements must be known then.

    The derivative is that for which the rank stays.

    Raises:
        ShapeError: `a` is not a matrix, or `b` does not fit.
        DTypeError: the element type is bf16 or f16.
        ConcretizationError: `numpy_resid` while elements are traced.

    Example:
        >>> import numpy as np
        >>> x, residuals, rank, values = lstsq(np.array([[1.0], [1.0]], np.float32), np.array([1.0, 3.0], np.float32))
        >>> print(x.round(3), residuals.round(3), rank)
        [2.] [2.] 1
    """
    flags("lstsq", numpy_resid=numpy_resid)
    x, right = [array_of(each) for each in promote("lstsq", a, b, inexact=True)]
    if x.ndim != 2 or right.ndim not in (1, 2) or x.shape[0] != right.shape[0]:
        raise ShapeError(
            f"lstsq: the shapes are {x.shape} and {right.shape}, but must be (m, n) and (m,) or (m, k)",
            fix="use treadle.vmap for batches",
        )
    columns = right if right.ndim == 2 else ops.reshape(right, shape=(*right.shape, 1))
    given: object = rcond  # of whatever it is
    least = _epsilon(x) if given is None or _is_negative(given) else given
    limit = ops.convert(coerce_array("lstsq", 2, least), dtype=abs(x).dtype)
    limit = array_of(ops.stop_gradient(limit))
    solution, values = _least_squares(x, columns, limit)
    rank = sum(ops.convert(_kept(values, limit), dtype=matrices.I32))
    if numpy_resid and _lacks_residuals(x, rank):
        residuals = abs(columns[:0, 0])
    else:
        rest = columns - matrices.matmul(x, solution)
        residuals = sum(ops.square(abs(rest)), axis=0)
    if right.ndim == 1:
        solution = ops.reshape(solution, shape=solution.shape[:1])
    return solution, residuals, rank, values


def _is_negative(number: object) -> bool:
    return isinstance(number, (int, float)) and number < 0


def _lacks_residuals(x: Array, rank: Array) -> bool:
    m, n = x.shape
    try:
        return bool(rank < n) or m <= n
    except ConcretizationError as error:
        error.add_note("  fix: leave numpy_resid out: then there are residuals in any case")
        raise


def _kept(values: Array, limit: Array) -> Array:
    return (values >= limit * values[:1]) & (
        values > 0
    )  # for a matrix of zeros they are all as great as the first


def _values(x: Array) -> Array:
    return svd(x, full_matrices=False, compute_uv=False)


@custom_jvp
def _least_squares(a: Array, b: Array, limit: Array) -> tuple[Array, Array]:
    """Return the solutions, and the singular values: one decomposition has both."""
    u, s, vh = svd(a, full_matrices=False)
    inverses = literal(1, s) / where(_kept(s, limit), s, literal(np.inf, s))
    product = matrices.matmul(matrices.adjoint(u), b)
    product = ops.multiply(product, matrices.down(inverses, product))
    return matrices.matmul(matrices.adjoint(vh), product), s


@_least_squares.defjvp
def _least_squares_jvp(primals: Any, tangents: Any) -> Any:
    """As of `pinv(a) b`; each of the three terms is a least squares problem or one of its parts.

    With the residual r: `dx = P (db - dA x) + P Pᴴ dAᴴ r + (1 - P A) dAᴴ Pᴴ x`.
    """
    (a, b, limit), (da, db, _) = primals, tangents
    m = matrices.matmul
    x, _ = _least_squares(a, b, limit)
    p = _pinv(a, limit) if a.size else matrices.transposed(a)
    ph, dah = matrices.adjoint(p), matrices.adjoint(da)
    dx = m(p, ops.subtract(db, m(da, x)))
    rest = ops.subtract(b, m(a, x))
    dx = ops.add(dx, m(p, m(ph, m(dah, rest))))
    across = m(dah, m(ph, x))
    dx = ops.add(dx, ops.subtract(across, m(p, m(a, across))))
    s, ds = jvp(_values, (a,), (da,))
    return (x, s), (dx, ds)


@composed(loops=True)
def matrix_rank(
    M: ArrayLike,  # noqa: N803 - NumPy's
    rtol: ArrayLike | None = None,
    *,
    hermitian: bool = False,
    tol: ArrayLike | None = None,
) -> Array:
    """Return how many singular values are above a limit: `tol`, or `rtol` times the greatest, max(m, n) eps by default.

    What has fewer than two axes has rank 1, or 0 if all elements are zero.

    Raises:
        ArgumentError: `rtol` and `tol` are both given.
        ShapeError: a Hermitian matrix is not square.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(matrix_rank(np.array([[1.0, 2.0], [2.0, 4.0]], np.float32)))
        1
    """
    flags("matrix_rank", hermitian=hermitian)
    if rtol is not None and tol is not None:
        raise ArgumentError("matrix_rank: only one of tol or rtol may be specified.")
    given = coerce_array("matrix_rank", 0, M)
    chosen = rtol if tol is None else tol
    limit = None if chosen is None else coerce_array("matrix_rank", 1, chosen)
    if given.ndim < 2:
        return ops.convert(any_of(given != literal(0, given)), dtype=matrices.I32)
    x = inexact_matrices("matrix_rank", given)
    if x.size == 0:
        return ops.broadcast_in_dim(matrices.I32.type(0), shape=x.shape[:-2], dimensions=())
    s = svd(x, full_matrices=False, compute_uv=False, hermitian=hermitian)
    if limit is None:
        limits = _epsilon(x) * s[..., :1]
    else:
        limits = limit[..., None] if rtol is None else limit[..., None] * s[..., :1]
    return sum(ops.convert(s > limits, dtype=matrices.I32), axis=-1)


@composed(loops=True)
def cond(x: ArrayLike, p: Order = None) -> Array:
    """Return the condition numbers of matrices: the norm times the norm of the inverse.

    Without `p` (or with 2, -2) it is made of singular values, also of matrices that are not square. Without NaN in
    the matrix it is never NaN, but infinite: for zeros, for example.

    Raises:
        ShapeError: there are no elements, or the matrix is not square.
        ArgumentError: there is no such norm.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(f"{float(cond(np.array([[4.0, 0.0], [0.0, 2.0]], np.float32))):.3f}")
        2.000
    """
    a = inexact_matrices("cond", x)
    if a.size == 0:
        raise ShapeError(f"cond: input array must not be empty; got arr.shape={a.shape}")
    check_order("cond", p)
    if p is None or p in (2, -2):
        s = svd(a, full_matrices=False, compute_uv=False)
        result = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        if a.shape[-1] != a.shape[-2]:
            raise ShapeError(f"cond: for p={p}, array must be square; got arr.shape={a.shape}")
        axes = (-2, -1)
        result = norm(a, p, axes) * norm(inverse(a), p, axes)
    known = ops.compare(a, a, direction="eq")
    regular = ops.reduce_and(known, axes=(a.ndim - 2, a.ndim - 1))
    undefined = ops.and_(ops.compare(result, result, direction="ne"), regular)
    return ops.select(undefined, literal(np.inf, result), result)
