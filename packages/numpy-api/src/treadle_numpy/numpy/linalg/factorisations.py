"""Cholesky, QR, and singular values."""

from __future__ import annotations

from typing import Literal, overload

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed, matrices
from treadle_ir.errors import flags, names, shown
from treadle_numpy.lax.linalg import factorisations as lax, spectra
from treadle_numpy.numpy.linalg.operands import check_square, inexact_matrices, square_matrices
from treadle_numpy.numpy.linalg.results import QRResult, SVDResult
from treadle_numpy.numpy.manipulation.rearranging import flip
from treadle_numpy.numpy.sorting import argsort
from treadle_numpy.numpy.taking import take_along_axis
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.scalars import number, zero_like

__all__ = ["cholesky", "qr", "svd", "svdvals"]


@composed(loops=True)
def cholesky(a: ArrayLike, *, upper: bool = False, symmetrize_input: bool = True) -> Array:
    """Return the lower triangular L of `A = L Lᴴ`, or with `upper` its adjoint, for Hermitian positive definite A.

    Unlike NumPy's it takes the Hermitian part of the matrix, unless `symmetrize_input` is false: then only the lower
    triangle is read. A matrix that is not positive definite has NaN, where NumPy raises.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the matrix is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(cholesky(np.array([[4.0, 2.0], [2.0, 5.0]], np.float32)))
        [[2. 0.]
         [1. 2.]]
    """
    flags("cholesky", upper=upper, symmetrize_input=symmetrize_input)
    x = square_matrices("cholesky", a)
    factor = lax.cholesky(
        matrices.adjoint(x) if upper and not symmetrize_input else x,
        symmetrize_input=symmetrize_input,
    )
    return matrices.adjoint(factor) if upper else factor


@overload
def qr(a: ArrayLike, mode: Literal["reduced", "complete", "full", "raw"] = ...) -> QRResult: ...
@overload
def qr(a: ArrayLike, mode: str) -> Array | QRResult: ...
@composed(loops=True)
def qr(a: ArrayLike, mode: str = "reduced") -> Array | QRResult:
    """Q with orthonormal columns and the upper triangular R of `A = Q R`.

    Args:
        a: [..., m, n].
        mode: `reduced`: k = min(m, n) columns of Q; `complete`: all m; `r`: R alone; `raw`: the transposed result of
            LAPACK's `geqrf` and the scalar factors of its reflections. `full` is another word for `reduced`.

    Signs on the diagonal of R follow from Householder's reflections. The derivative needs a matrix of full rank; the
    columns that complete Q move within the space of the others. `raw` has none.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the matrix is bf16 or f16.
        ArgumentError: there is no such mode.

    Example:
        >>> import numpy as np
        >>> q, r = qr(np.array([[3.0, 1.0], [4.0, 2.0]], np.float32))
        >>> print(q.shape, f"{abs(float(r[0, 0])):.3f}")
        (2, 2) 5.000
    """
    names("qr", mode=mode)
    x = inexact_matrices("qr", a)
    if mode == "raw":
        form, taus = ops.qr_reflections(x)
        return QRResult(matrices.transposed(form), taus)
    if mode not in ("reduced", "complete", "full", "r"):
        raise ArgumentError(
            f"qr: mode is {shown(mode)}", fix="use 'reduced', 'complete', 'r' or 'raw'"
        )
    q, r = lax.qr(x, full_matrices=mode == "complete")
    return r if mode == "r" else QRResult(q, r)


@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = ...,
    compute_uv: Literal[True] = ...,
    hermitian: bool = ...,
    subset_by_index: tuple[int, int] | None = ...,
) -> SVDResult: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool,
    compute_uv: Literal[False],
    hermitian: bool = ...,
    subset_by_index: tuple[int, int] | None = ...,
) -> Array: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = ...,
    *,
    compute_uv: Literal[False],
    hermitian: bool = ...,
    subset_by_index: tuple[int, int] | None = ...,
) -> Array: ...
@composed(loops=True)
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
    subset_by_index: tuple[int, int] | None = None,
) -> Array | SVDResult:
    """Compute the singular value decomposition `A = U S Vᴴ`, with descending singular values S.

    Vectors of equal singular values, and of singular values that are zero, have no derivative (it is infinite or
    NaN); the values have one. The columns that complete U and V move within the space of the others. NaN makes NaN.

    Args:
        a: matrices `[..., n, m]`; k is the smaller of n and m.
        full_matrices: whether U is `[..., n, n]` and Vᴴ `[..., m, m]`, instead of `[..., n, k]` and `[..., k, m]`.
        compute_uv: whether to compute U and Vᴴ.
        hermitian: a promise that the matrices are Hermitian; eigenvalues are computed then.
        subset_by_index: None, or all singular values.

    Returns:
        `(U, S, Vh)`, S of shape `[..., k]` and a real dtype; without `compute_uv` S alone.

    Raises:
        ShapeError: there are fewer than two axes, or a Hermitian matrix is not square.
        DTypeError: the matrix is bf16 or f16.
        UnsupportedError: `subset_by_index` is a part.

    Example:
        >>> import numpy as np
        >>> print(svd(np.array([[0.0, 2.0], [1.0, 0.0]], np.float32)).S.round(3))
        [2. 1.]
    """
    flags("svd", full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)
    x = inexact_matrices("svd", a)
    if hermitian:
        check_square("svd", x)
        return _by_eigenvalues(x, compute_uv)
    found = spectra.svd(
        x,
        full_matrices=full_matrices,
        compute_uv=compute_uv,
        subset_by_index=subset_by_index,
    )
    return SVDResult(*found) if isinstance(found, tuple) else found


def _by_eigenvalues(x: Array, compute_uv: bool) -> Array | SVDResult:
    """Singular values of Hermitian matrices are the moduli of eigenvalues, whose signs go to Vᴴ."""
    v, w = spectra.eigh(x)
    order = flip(argsort(abs(w), axis=-1), -1)
    values = take_along_axis(w, order, -1)
    s = abs(values)
    if not compute_uv:
        return s
    u = take_along_axis(v, order[..., None, :], -1)
    one = number(1, values)
    signs = ops.select(
        ops.compare(values, zero_like(values), direction="lt"), number(-1, values), one
    )
    signs = ops.broadcast_in_dim(signs, shape=values.shape, dimensions=tuple(range(values.ndim)))
    return SVDResult(u, s, matrices.adjoint(ops.multiply(u, matrices.across(signs, u))))


@composed(loops=True)
def svdvals(x: ArrayLike, /) -> Array:
    """Return the singular values of matrices, descending.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the matrix is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(svdvals(np.array([[3.0, 0.0], [0.0, 4.0]], np.float32)).round(3))
        [4. 3.]
    """
    return svd(x, full_matrices=False, compute_uv=False)
