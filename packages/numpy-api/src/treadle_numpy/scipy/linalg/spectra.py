"""Eigenvalues in SciPy's words, and the forms of Schur and Hessenberg."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError, ops
from treadle_ir.calling import composed, matrices
from treadle_ir.core import dtypes
from treadle_ir.errors import flags, integer, integers, names, shown
from treadle_numpy.lax.control.loops import fori_loop
from treadle_numpy.lax.linalg import factorisations as lax, in_lapack, spectra
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.linalg.operands import check_square, square_matrices
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import literal

__all__ = ["eigh", "eigh_tridiagonal", "hessenberg", "rsf2csf", "schur"]


@composed(loops=True)
def schur(a: ArrayLike, output: str = "real") -> tuple[Array, Array]:
    """T and Z of `A = Z T Zᴴ`, T upper triangular; of a real matrix with 2 by 2 blocks, unless `output` is "complex".

    On the CPU only, and without derivatives.

    Raises:
        ShapeError: the last two axes are not square.
        ArgumentError: there is no such output.
        DTypeError: the element type is bf16 or f16, and the output "real".

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


@composed(loops=True)
def rsf2csf(T: ArrayLike, Z: ArrayLike, check_finite: bool = True) -> tuple[Array, Array]:  # noqa: N803 - SciPy's
    """Schur's form of a real matrix, with blocks, made the complex one, which is triangular.

    Raises:
        ShapeError: the matrices are not square, or of two sizes.

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
    eps = float(finfo(dtype).eps)

    def step(i: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        forms, vectors = state
        k = n - 2 - i  # the block of rows k and k + 1, the last one first
        block = forms.at[k, k].get()
        b, c, d = forms[k, k + 1], forms[k + 1, k], forms[k + 1, k + 1]
        half = (block - d) * 0.5
        used = ops.abs(c) > eps * (ops.abs(block) + ops.abs(d))
        # Any multiple has the same rotation: of this one, squares neither overflow nor vanish.
        most = ops.maximum(ops.maximum(ops.abs(half), ops.abs(b)), ops.abs(c))
        unit = ops.convert(ops.select(used, most, literal(1, most)), dtype=dtype)
        half, b, c = (x / ops.stop_gradient(unit) for x in (half, b, c))
        value = half + ops.sqrt(half * half + b * c)  # an eigenvalue, less d
        size = ops.sqrt(ops.square(ops.abs(value)) + ops.square(ops.abs(c)))
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


@composed(loops=True, host=in_lapack.hessenberg)
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


@composed(loops=True)
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

    With `b`, Hermitian and positive definite, the eigenvalues of `a v = w b v`, and vectors for which `vᴴ b v` is 1.
    Unlike in SciPy the Hermitian parts are taken, whatever `lower` is.

    Raises:
        ShapeError: the last two axes are not square, or `b` has another shape.
        UnsupportedError: `eigvals` is given, or `type` is not 1.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> values, vectors = eigh(np.array([[2.0, 1.0], [1.0, 2.0]], np.float32))
        >>> print(values.round(3))
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
    if integer("eigh", "type", type) != 1:
        raise UnsupportedError("eigh: only type=1 is implemented", fix="leave type out")
    if b is None:
        matrix = square_matrices("eigh", a)
        if eigvals_only:
            return ops.eigvalsh(lax.symmetrized(matrix), lower=bool(lower))
        vectors, values = spectra.eigh(matrix, lower=lower)
        return values, vectors
    x, y = [array_of(each) for each in promote("eigh", a, b, inexact=True)]
    check_square("eigh", x)
    if x.shape != y.shape:
        raise ShapeError(f"eigh: the shapes are {x.shape} and {y.shape}, which must be equal")
    # With b = L Lᴴ: L⁻¹ a L⁻ᴴ (Lᴴ v) = w (Lᴴ v)
    factor = lax.cholesky(y)
    inner = ops.triangular_solve(factor, lax.symmetrized(x))
    inner = ops.triangular_solve(factor, inner, left_side=False, transpose_a=True, conjugate_a=True)
    if eigvals_only:
        return ops.eigvalsh(lax.symmetrized(inner), lower=True)
    vectors, values = spectra.eigh(inner)
    return values, ops.triangular_solve(factor, vectors, transpose_a=True, conjugate_a=True)


@composed
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
        tol, key: accepted, without effect; eigenvalues are as exact as with `eigh`.

    The matrix is made, so it takes n² elements.

    Raises:
        ShapeError: the vectors have not n and n - 1 elements.
        ArgumentError: the range is none.
        UnsupportedError: `select` is "v".
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> print(eigh_tridiagonal(np.array([2.0, 2.0]), np.array([1.0]), eigvals_only=True).round(3))
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
    matrix = matrices.on_diagonal(middle, low)
    if eigvals_only:
        return ops.eigvalsh(matrix, lower=True)[first:last]
    vectors, values = spectra.eigh(matrix, symmetrize_input=False)
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
