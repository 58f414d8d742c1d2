"""Factorisations in SciPy's words: Cholesky, LU, QR, singular values, polar."""

from __future__ import annotations

from typing import Any

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed, matrices
from treadle_ir.core import dtypes
from treadle_ir.errors import flags, names, shown
from treadle_numpy.lax.linalg import factorisations as lax, in_lapack, spectra
from treadle_numpy.lax.linalg.polar import qdwh
from treadle_numpy.numpy.linalg import factorisations as numpy
from treadle_numpy.numpy.linalg.operands import inexact_matrices, square_matrices
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import literal

__all__ = ["cho_factor", "cholesky", "lu", "lu_factor", "polar", "qr", "qr_multiply", "svd"]


@composed(loops=True)
def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Array:
    """Return the upper triangular U of `A = Uᴴ U`, or with `lower` the L of `A = L Lᴴ`; of A only that triangle is
    read.

    A matrix that is not positive definite has NaN, where SciPy raises.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> print(cholesky(np.array([[4.0, 2.0], [2.0, 5.0]], np.float32)))
        [[2. 1.]
         [0. 2.]]
    """
    flags("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    x = square_matrices("cholesky", a)
    factor = lax.cholesky(x if lower else matrices.adjoint(x), symmetrize_input=False)
    return factor if lower else matrices.adjoint(factor)


@composed(loops=True)
def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, bool]:
    """Return the result of `cholesky`, and `lower`: what `cho_solve` takes. Unlike SciPy's the other triangle is zero.

    Raises:
        ShapeError: the last two axes are not square.

    Example:
        >>> import numpy as np
        >>> factor, lower = cho_factor(np.array([[4.0, 2.0], [2.0, 5.0]], np.float32))
        >>> print(factor, lower)
        [[2. 1.]
         [0. 2.]] False
    """
    return cholesky(a, lower, overwrite_a, check_finite), lower


@composed(loops=True, host=in_lapack.lu_factor)
def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, Array]:
    """L and U in one matrix, and pivots: what `lu_solve` takes.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> factors, pivots = lu_factor(np.array([[1.0, 2.0], [4.0, 4.0]], np.float32))
        >>> print(factors, pivots)
        [[4.   4.  ]
         [0.25 1.  ]] [1 1]
    """
    flags("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    factors, pivots, _ = ops.lu(inexact_matrices("lu_factor", a))
    return factors, pivots


@composed(loops=True, host=in_lapack.lu)
def lu(
    a: ArrayLike, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, ...]:
    """P, L and U of `A = P L U`, or with `permute_l` `P L` and U.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> p, l, u = lu(np.array([[1.0, 2.0], [4.0, 4.0]], np.float32))
        >>> print(p, l, u)
        [[0. 1.]
         [1. 0.]] [[1.   0.  ]
         [0.25 1.  ]] [[4. 4.]
         [0. 1.]]
    """
    flags("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    x = inexact_matrices("lu", a)
    factors, _, permutation = ops.lu(x)
    *batch, m, n = x.shape
    k = min(m, n)
    low = matrices.block(factors, slice(m), slice(k))
    one = ops.broadcast_in_dim(literal(1, x), shape=low.shape, dimensions=())
    low = matrices.on_diagonal(one, matrices.lower(low, strictly=True))
    high = matrices.upper(matrices.block(factors, slice(k), slice(n)))
    # Column i of P has its 1 in row permutation[i].
    shape = (*batch, m, m)
    row = ops.iota(shape=shape, dimension=len(batch), dtype=matrices.I32)
    order = ops.broadcast_in_dim(
        permutation, shape=shape, dimensions=(*range(len(batch)), len(batch) + 1)
    )
    same = ops.compare(row, ops.convert(order, dtype=matrices.I32), direction="eq")
    p = ops.convert(same, dtype=dtypes.real_part(x.dtype))
    if not permute_l:
        return p, low, high
    exact = p if p.dtype == x.dtype else ops.convert(p, dtype=x.dtype)
    return matrices.matmul(exact, low), high


@composed(loops=True)
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[Array, ...]:
    """Q and R of `A = Q R`; R alone, in a tuple, for mode="r"; with `pivoting` the permutation of columns last.

    `full` makes Q square, `economic` not. `lwork` is for SciPy's sake.

    Raises:
        ShapeError: there are fewer than two axes.
        ArgumentError: there is no such mode.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> q, r = qr(np.array([[3.0], [4.0]], np.float32), mode="economic")
        >>> print(abs(r).round(3))
        [[5.]]
    """
    flags("qr", overwrite_a=overwrite_a, pivoting=pivoting, check_finite=check_finite)
    names("qr", mode=mode)
    if mode not in ("full", "economic", "r"):
        raise ArgumentError(f"qr: mode is {shown(mode)}", fix="use 'full', 'economic' or 'r'")
    found = lax.qr(inexact_matrices("qr", a), pivoting=pivoting, full_matrices=mode != "economic")
    return found[1:] if mode == "r" else found


@composed(loops=True)
def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple[Array, ...]:
    """Compute `c Q`, or `Q c` for mode="left", with the Q of `qr(a, mode="economic")`; then R.

    With `pivoting` the permutation comes last. Q has min(m, n) columns; `conjugate` takes its conjugate. A vector c
    stays a vector.

    Raises:
        ShapeError: `c` does not fit.
        ArgumentError: there is no such mode.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> product, r = qr_multiply(np.eye(2, dtype=np.float32), np.ones((1, 2), np.float32))
        >>> print(abs(product).round(3))
        [[1. 1.]]
    """
    flags(
        "qr_multiply",
        pivoting=pivoting,
        conjugate=conjugate,
        overwrite_a=overwrite_a,
        overwrite_c=overwrite_c,
    )
    names("qr_multiply", mode=mode)
    if mode not in ("left", "right"):
        raise ArgumentError(f"qr_multiply: mode is {shown(mode)}", fix="use 'left' or 'right'")
    x, given = [array_of(each) for each in promote("qr_multiply", a, c, inexact=True)]
    q, *rest = lax.qr(x, pivoting=pivoting, full_matrices=False)
    q = matrices.conjugated(q) if conjugate else q
    is_vector = given.ndim == 1
    other = given
    if is_vector:
        other = given[:, None] if mode == "left" else given[None, :]
    size = q.shape[-1] if mode == "left" else q.shape[-2]
    if other.ndim != q.ndim or other.shape[-2 if mode == "left" else -1] != size:
        raise ShapeError(
            f"qr_multiply: the shapes are {x.shape} and {given.shape}, so that Q has {q.shape}: mode "
            f"{shown(mode)} does not fit"
        )
    product = matrices.matmul(q, other) if mode == "left" else matrices.matmul(other, q)
    if is_vector:
        product = ops.reshape(product, shape=(product.size,))
    return product, *rest


@composed(loops=True)
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Array | tuple[Array, Array, Array]:
    """U, descending singular values s and Vᴴ, or s alone without `compute_uv`: see `numpy.linalg.svd`.

    `lapack_driver` is `gesdd` or `gesvd`.

    Raises:
        ShapeError: there are fewer than two axes.
        ArgumentError: there is no such driver.

    Example:
        >>> import numpy as np
        >>> print(svd(np.array([[3.0, 0.0], [0.0, 2.0]], np.float32), compute_uv=False))
        [3. 2.]
    """
    flags(
        "svd",
        full_matrices=full_matrices,
        compute_uv=compute_uv,
        overwrite_a=overwrite_a,
        check_finite=check_finite,
    )
    names("svd", lapack_driver=lapack_driver)
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ArgumentError(
            f"svd: lapack_driver is {shown(lapack_driver)}", fix="use 'gesdd' or 'gesvd'"
        )
    algorithm = spectra.SvdAlgorithm.QR if lapack_driver == "gesvd" else None
    return spectra.svd(
        inexact_matrices("svd", a),
        full_matrices=full_matrices,
        compute_uv=compute_uv,
        algorithm=algorithm,
    )


@composed(loops=True, host=in_lapack.polar)
def polar(
    a: ArrayLike,
    side: str = "right",
    *,
    method: str = "qdwh",
    eps: float | None = None,
    max_iterations: int | None = None,
) -> tuple[Array, Array]:
    """U with orthonormal columns (or rows) and Hermitian P of `A = U P`, or of `A = P U` for side="left".

    `qdwh` iterates (see `lax.linalg.qdwh`), for matrices with m >= n on the right and m <= n on the left; `svd` takes
    singular vectors, whose derivative needs distinct singular values.

    Raises:
        ShapeError: there are fewer than two axes, or `qdwh` cannot do with the shape.
        ArgumentError: there is no such side or method.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> import numpy as np
        >>> u, p = polar(np.array([[0.0, 2.0], [1.0, 0.0]], np.float32), method="svd")
        >>> print(abs(p).round(3))
        [[1. 0.]
         [0. 2.]]
    """
    names("polar", side=side, method=method)
    if side not in ("right", "left"):
        raise ArgumentError("polar: the argument `side` must be either 'right' or 'left'.")
    if method not in ("qdwh", "svd"):
        raise ArgumentError(f"polar: unknown method {shown(method)}", fix="use 'qdwh' or 'svd'")
    x = inexact_matrices("polar", a)
    m, n = x.shape[-2:]
    if method == "qdwh":
        if m < n if side == "right" else m > n:
            raise ShapeError(
                f"polar: method='qdwh' takes m >= n on the right side and m <= n on the left, got {x.shape} on the "
                f"{side}",
                fix="use method='svd'",
            )
        given = x if side == "right" else matrices.adjoint(x)
        u, p, _, _ = qdwh(given, max_iterations=max_iterations, eps=eps)
        return (u, p) if side == "right" else (matrices.adjoint(u), p)
    left, s, vh = numpy.svd(x, full_matrices=False)
    basis = matrices.adjoint(vh) if side == "right" else left
    p = matrices.matmul(ops.multiply(basis, matrices.across(s, basis)), matrices.adjoint(basis))
    return matrices.matmul(left, vh), p
