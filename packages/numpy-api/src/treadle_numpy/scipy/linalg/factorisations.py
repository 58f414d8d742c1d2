"""Factorisations in SciPy's words: Cholesky, LU, QR, singular values, Schur, Hessenberg, eigenvalues, polar."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ShapeError,
    UnsupportedError,
    dtypes,
    flags,
    integers,
    matrices,
    names,
    ops,
    shown,
)
from treadle_numpy.lax.control.loops import fori_loop
from treadle_numpy.lax.linalg import factorisations as lax, spectra
from treadle_numpy.lax.linalg.polar import qdwh
from treadle_numpy.numpy.linalg import factorisations as numpy
from treadle_numpy.numpy.linalg.operands import check_square, inexact_matrices, square_matrices
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import literal

__all__ = [
    "cho_factor",
    "cholesky",
    "eigh",
    "eigh_tridiagonal",
    "hessenberg",
    "lu",
    "lu_factor",
    "polar",
    "qr",
    "qr_multiply",
    "rsf2csf",
    "schur",
    "svd",
]


def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Array:
    """The upper triangular U of `A = Uᴴ U`, or with `lower` the L of `A = L Lᴴ`; of A only that triangle is read.

    A matrix that is not positive definite has NaN, where SciPy raises.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> print(cholesky(np.array([[4.0, 2.0], [2.0, 5.0]], np.float32)))
        [[2. 1.]
         [0. 2.]]
    """
    flags("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    x = square_matrices("cholesky", a)
    factor = lax.cholesky(x if lower else matrices.adjoint(x), symmetrize_input=False)
    return factor if lower else matrices.adjoint(factor)


def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, bool]:
    """The result of `cholesky`, and `lower`: what `cho_solve` takes. Unlike SciPy's the other triangle is zero.

    Raises:
        ShapeError: the last two axes are not square.

    Example:
        >>> factor, lower = cho_factor(np.array([[4.0, 2.0], [2.0, 5.0]], np.float32))
        >>> print(factor, lower)
        [[2. 1.]
         [0. 2.]] False
    """
    return cholesky(a, lower, overwrite_a, check_finite), lower


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, Array]:
    """L and U in one matrix, and pivots: what `lu_solve` takes.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> factors, pivots = lu_factor(np.array([[1.0, 2.0], [4.0, 4.0]], np.float32))
        >>> print(factors, pivots)
        [[4.   4.  ]
         [0.25 1.  ]] [1 1]
    """
    flags("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    factors, pivots, _ = ops.lu(inexact_matrices("lu_factor", a))
    return factors, pivots


def lu(
    a: ArrayLike, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, ...]:
    """P, L and U of `A = P L U`, or with `permute_l` `P L` and U.

    Raises:
        ShapeError: there are fewer than two axes.
        DTypeError: the element type is bf16 or f16.

    Example:
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
        >>> q, r = qr(np.array([[3.0], [4.0]], np.float32), mode="economic")
        >>> print(abs(r))
        [[5.]]
    """
    flags("qr", overwrite_a=overwrite_a, pivoting=pivoting, check_finite=check_finite)
    names("qr", mode=mode)
    if mode not in ("full", "economic", "r"):
        raise ArgumentError(f"qr: mode is {shown(mode)}", fix="use 'full', 'economic' or 'r'")
    found = lax.qr(inexact_matrices("qr", a), pivoting=pivoting, full_matrices=mode != "economic")
    return found[1:] if mode == "r" else found


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple[Array, ...]:
    """`c Q`, or `Q c` for mode="left", with the Q of `qr(a, mode="economic")`; then R.

    With `pivoting` the permutation comes last. Q has min(m, n) columns. `conjugate` takes its conjugate. A vector c stays
    a vector.

    Raises:
        ShapeError: `c` does not fit.
        ArgumentError: there is no such mode.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> product, r = qr_multiply(np.eye(2, dtype=np.float32), np.ones((1, 2), np.float32))
        >>> print(product)
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


def schur(a: ArrayLike, output: str = "real") -> tuple[Array, Array]:
    """T and Z of `A = Z T Zᴴ`, T upper triangular; of a real matrix with 2 by 2 blocks, unless `output` is "complex".

    On the CPU only, and without derivatives.

    Raises:
        ShapeError: the last two axes are not square.
        ArgumentError: there is no such output.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> t, z = schur(np.array([[1.0, 2.0], [0.0, 3.0]], np.float32))
        >>> print(t)
        [[1. 2.]
         [0. 3.]]
    """
    names("schur", output=output)
    if output not in ("real", "complex"):
        raise ArgumentError(
            f"schur: expected 'output' to be either 'real' or 'complex', got {shown(output)}"
        )
    x = square_matrices("schur", a)
    if output == "complex" and not dtypes.is_complex(x.dtype):
        x = ops.convert(x, dtype=_complex_dtype(x))
    t, z = ops.schur(x)
    return t, z


def _complex_dtype(x: Array) -> np.dtype[Any]:
    return np.dtype("c16" if dtypes.real_part(x.dtype) == np.float64 else "c8")


def rsf2csf(T: ArrayLike, Z: ArrayLike, check_finite: bool = True) -> tuple[Array, Array]:  # noqa: N803 - SciPy's
    """Schur's form of a real matrix, with blocks, made the complex one, which is triangular.

    Raises:
        ShapeError: the matrices are not square, or of two sizes.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> t = np.array([[0.0, 1.0], [-1.0, 0.0]], np.float32)
        >>> print(rsf2csf(t, np.eye(2, dtype=np.float32))[0].round(3).imag.diagonal())
        [ 1. -1.]
    """
    flags("rsf2csf", check_finite=check_finite)
    t, z = [array_of(x) for x in promote("rsf2csf", T, Z, inexact=True)]
    check_square("rsf2csf", t)
    if z.shape != t.shape or t.ndim != 2:
        raise ShapeError(
            f"rsf2csf: the shapes are {t.shape} and {z.shape}, but must be (n, n) twice"
        )
    dtype = _complex_dtype(t)
    t, z = (x if x.dtype == dtype else ops.convert(x, dtype=dtype) for x in (t, z))
    n = t.shape[-1]
    eps = float(np.finfo(dtype).eps)

    def step(i: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        forms, vectors = state
        k = n - 2 - i  # the block of rows k and k + 1, the last one first
        block = forms.at[k, k].get()
        b, c, d = forms[k, k + 1], forms[k + 1, k], forms[k + 1, k + 1]
        half = (block - d) * 0.5
        value = half + ops.sqrt(half * half + b * c)  # an eigenvalue, less d
        size = ops.sqrt(ops.square(ops.abs(value)) + ops.square(ops.abs(c)))
        used = ops.abs(c) > eps * (ops.abs(block) + ops.abs(d))
        safe = ops.convert(ops.select(used, size, literal(1, size)), dtype=dtype)
        cosine, sine = value / safe, c / safe
        rotation = ops.reshape(
            ops.concatenate(
                [ops.reshape(x, shape=(1,)) for x in (cosine.conj(), sine.conj(), -sine, cosine)],
                dimension=0,
            ),
            shape=(2, 2),
        )
        identity = np.eye(2, dtype=dtype)
        g = ops.select(ops.broadcast_in_dim(used, shape=(2, 2), dimensions=()), rotation, identity)
        rows = k + np.arange(2)
        forms = forms.at[rows].set(matrices.matmul(g, forms[rows]))
        turned = matrices.adjoint(g)
        forms = forms.at[:, rows].set(matrices.matmul(forms[:, rows], turned))
        vectors = vectors.at[:, rows].set(matrices.matmul(vectors[:, rows], turned))
        return forms.at[k + 1, k].set(0), vectors

    form: Array
    basis: Array
    form, basis = fori_loop(0, n - 1, step, (t, z)) if n > 1 else (t, z)
    return form, basis


def hessenberg(
    a: ArrayLike, *, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Array | tuple[Array, Array]:
    """H of `A = Q H Qᴴ`, zero below its first subdiagonal; with `calc_q` also Q. On the CPU only, without derivatives.

    Raises:
        ShapeError: the last two axes are not square.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> print(hessenberg(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)).shape)
        (2, 2)
    """
    flags("hessenberg", calc_q=calc_q, overwrite_a=overwrite_a, check_finite=check_finite)
    x = square_matrices("hessenberg", a)
    form, taus = ops.hessenberg(x)
    *batch, n, _ = x.shape
    row, column = (
        ops.iota(shape=x.shape, dimension=len(batch) + i, dtype=matrices.I32) for i in (0, 1)
    )
    kept = ops.compare(row, column + matrices.I32.type(1), direction="le")
    h = ops.select(kept, form, literal(0, x))
    if not calc_q:
        return h
    one = ops.broadcast_in_dim(literal(1, x), shape=x.shape, dimensions=())
    q = matrices.on_diagonal(one, literal(0, x))
    if n > 1:
        inner = ops.householder_product(matrices.block(form, slice(1, n), slice(n - 1)), taus)
        none = (0,) * len(batch)
        low, high = (*none, 1, 1), (*none, 0, 0)
        placed = ops.pad(inner, literal(0, x), low=low, high=high, interior=high)
        q = ops.select(
            ops.compare(ops.minimum(row, column), matrices.I32.type(0), direction="gt"), placed, q
        )
    return h, q


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: None = None,
    type: int = 1,
    check_finite: bool = True,
) -> Array | tuple[Array, Array]:
    """Ascending eigenvalues of Hermitian matrices, and eigenvectors as columns unless `eigvals_only`.

    With `b`, Hermitian and positive definite, those of `a v = w b v`, and vectors for which `vᴴ b v` is 1. Unlike in
    SciPy the Hermitian parts are taken, whatever `lower` is.

    Raises:
        ShapeError: the last two axes are not square, or `b` has another shape.
        UnsupportedError: `eigvals` is given, or `type` is not 1.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> values, vectors = eigh(np.array([[2.0, 1.0], [1.0, 2.0]], np.float32))
        >>> print(values)
        [1. 3.]
    """
    flags(
        "eigh",
        lower=lower,
        eigvals_only=eigvals_only,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        turbo=turbo,
        check_finite=check_finite,
    )
    if eigvals is not None:
        raise UnsupportedError("eigh: only eigvals=None is implemented", fix="slice the results")
    if type != 1:
        raise UnsupportedError("eigh: only type=1 is implemented", fix="leave type out")
    if b is None:
        vectors, values = spectra.eigh(square_matrices("eigh", a), lower=lower)
        return values if eigvals_only else (values, vectors)
    x, y = [array_of(each) for each in promote("eigh", a, b, inexact=True)]
    check_square("eigh", x)
    if x.shape != y.shape:
        raise ShapeError(f"eigh: the shapes are {x.shape} and {y.shape}, which must be equal")
    # With b = L Lᴴ: L⁻¹ a L⁻ᴴ (Lᴴ v) = w (Lᴴ v)
    factor = lax.cholesky(y)
    inner = ops.triangular_solve(factor, lax.symmetrized(x))
    inner = ops.triangular_solve(factor, inner, left_side=False, transpose_a=True, conjugate_a=True)
    vectors, values = spectra.eigh(inner)
    if eigvals_only:
        return values
    return values, ops.triangular_solve(factor, vectors, transpose_a=True, conjugate_a=True)


def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    *,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: tuple[float, float] | None = None,
    tol: float | None = None,
    key: Array | None = None,
) -> Array | tuple[Array, Array]:
    """Ascending eigenvalues, and eigenvectors as columns, of the Hermitian matrix with diagonal d and subdiagonal e.

    Args:
        d, e: [n] and [n - 1].
        eigvals_only: no vectors.
        select: `a` for all, `i` for those with the indices of `select_range`, both included.
        select_range: first and last index.
        tol, key: for JAX's sake; eigenvalues are as exact as those of `eigh`.

    The matrix is made, so it takes n² elements.

    Raises:
        ShapeError: the vectors have not n and n - 1 elements.
        ArgumentError: the range is none.
        UnsupportedError: `select` is "v".
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> print(eigh_tridiagonal(np.array([2.0, 2.0]), np.array([1.0]), eigvals_only=True))
        [1. 3.]
    """
    flags("eigh_tridiagonal", eigvals_only=eigvals_only)
    names("eigh_tridiagonal", select=select)
    diagonal, below = [array_of(x) for x in promote("eigh_tridiagonal", d, e, inexact=True)]
    if diagonal.ndim != 1 or below.shape != (max(diagonal.shape[0] - 1, 0),):
        raise ShapeError(
            f"eigh_tridiagonal: the shapes are {diagonal.shape} and {below.shape}, but must be (n,) and (n - 1,)"
        )
    n = diagonal.shape[0]
    first, last = _selected(select, select_range, n)
    shape = (n, n)
    padded = ops.pad(below, literal(0, below), low=(0,), high=(n - below.shape[0],), interior=(0,))
    row, column = (ops.iota(shape=shape, dimension=i, dtype=matrices.I32) for i in (0, 1))
    beneath = ops.compare(row, column + matrices.I32.type(1), direction="eq")
    spread = ops.broadcast_in_dim(padded, shape=shape, dimensions=(1,))
    low = ops.select(beneath, spread, literal(0, spread))
    middle = ops.broadcast_in_dim(diagonal, shape=shape, dimensions=(1,))
    vectors, values = spectra.eigh(matrices.on_diagonal(middle, low), symmetrize_input=False)
    if eigvals_only:
        return values[first:last]
    return values[first:last], vectors[:, first:last]


def _selected(select: str, bounds: Any, n: int) -> tuple[int, int]:
    if select == "a":
        return 0, n
    if select == "v":
        raise UnsupportedError(
            "eigh_tridiagonal: select='v' is not implemented, since the size of the result would depend on elements",
            fix="take all eigenvalues and choose among them",
        )
    if select != "i":
        raise ArgumentError(f"eigh_tridiagonal: select is {shown(select)}", fix="use 'a' or 'i'")
    if bounds is None:
        raise ArgumentError(
            "eigh_tridiagonal: select='i' needs select_range", fix="give two indices"
        )
    found = tuple(integers("eigh_tridiagonal", "select_range", bounds))
    if len(found) != 2 or not 0 <= found[0] <= found[1] < n:
        raise ArgumentError(
            f"eigh_tridiagonal: select_range is {shown(bounds)}, but must be two ascending indices below {n}"
        )
    return found[0], found[1] + 1


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
