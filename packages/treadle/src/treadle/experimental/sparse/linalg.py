"""Equations and eigenvalues of sparse matrices."""

from __future__ import annotations

from typing import Any

import treadle_numpy as tnp
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcsr import BCSR
from treadle.experimental.sparse.primitives import (
    spsolve_p as spsolve_p,
)
from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.errors import boundaries, integer, number
from treadle_numpy import lax

__all__ = ["lobpcg_standard", "spsolve", "spsolve_p"]


def spsolve(
    data: Any, indices: Any, indptr: Any, b: Any, tol: float = 1e-6, reorder: int = 1
) -> Array:
    """Return the solution x of `A @ x = b`, where A is the square matrix of these compressed rows.

    A dense factorisation finds it, which takes the memory of the dense matrix; `tol` and `reorder`, which speak about
    a sparse one, change nothing. It has derivatives by the elements and by `b`.

    Shapes:
        data, indices: [stored elements]; indptr: [n + 1]
        b, result: [n]

    Raises:
        ShapeError: the matrix is not square.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> rows = sparse.BCSR.fromdense(tnp.array([[4.0, 0.0], [1.0, 2.0]]))
        >>> print(sparse.linalg.spsolve(rows.data, rows.indices, rows.indptr, tnp.array([8.0, 4.0])))
        [2. 1.]
    """
    number("spsolve", "tol", tol)
    integer("spsolve", "reorder", reorder)
    right, starts = tnp.asarray(b), tnp.asarray(indptr)
    if right.ndim != 1 or starts.shape != (right.shape[0] + 1,):
        raise ShapeError(
            f"spsolve: b has shape {right.shape} and indptr {starts.shape}, but they must be (n,) and (n + 1,)"
        )
    n = right.shape[0]
    matrix = BCSR((data, indices, starts), shape=(n, n)).todense()
    return tnp.linalg.solve(matrix, right)


def lobpcg_standard(
    A: Any,  # noqa: N803 - JAX's name: an array, or a function of [n, k]
    X: Any,  # noqa: N803
    m: int = 100,
    tol: Any = None,
) -> tuple[Array, Array, Array]:
    """Return the greatest eigenvalues of a symmetric matrix, their vectors, and how many iterations found them.

    `A` is the matrix, sparse or dense, or the function that multiplies it with a block of columns; `X` are as many
    columns as eigenvalues are wanted, to begin with. It ends after `m` iterations, or when all residuals are below
    `tol` (by default the precision of the element type) times the size of the eigenvalue.

    Shapes:
        X: [n, k], with 5 k <= n
        results: [k], [n, k], []

    Raises:
        ShapeError: the shapes do not go together, or k is too large.

    Source: A. Knyazev, "Toward the Optimal Preconditioned Eigensolver", SIAM J. Sci. Comput. 23 (2001), with an
    orthonormal basis of the three blocks in each iteration.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> matrix = sparse.BCOO.fromdense(tnp.diag(tnp.arange(1.0, 11.0)))
        >>> values, _, _ = sparse.linalg.lobpcg_standard(matrix, tnp.ones((10, 1)))
        >>> print(values.round(3))
        [10.]
    """
    start = tnp.asarray(X)
    steps = integer("lobpcg_standard", "m", m)
    if start.ndim != 2 or start.dtype.kind != "f" or not 0 < 5 * start.shape[1] <= start.shape[0]:
        raise ShapeError(
            f"lobpcg_standard: X is {start.type}, but must be floats of shape (n, k) with 0 < 5 k <= n",
            fix="find all eigenvalues with `treadle.numpy.linalg.eigh`",
        )
    n, k = start.shape
    if isinstance(A, JAXSparse) or not callable(A):
        if tuple(A.shape) != (n, n):
            raise ShapeError(f"lobpcg_standard: A has shape {tuple(A.shape)}, but X has {n} rows")

        def times(x: Array) -> Array:
            product: Array = A @ x
            return product
    else:
        times = A
    if steps < 1:
        raise ArgumentError(f"lobpcg_standard: m is {steps}, but there must be an iteration")
    small = float(tnp.finfo(start.dtype).eps) * n if tol is None else tol

    def ritz(basis: Array) -> tuple[Array, Array]:
        """Return the k greatest values of the matrix within a basis, and the coefficients of their vectors."""
        inner = basis.T @ times(basis)
        values, vectors = tnp.linalg.eigh((inner + inner.T) / 2)
        return values[::-1][:k], vectors[:, ::-1][:, :k]

    def residual(values: Array, vectors: Array) -> Array:
        return times(vectors) - vectors * values

    def unfinished(state: tuple[Array, ...]) -> Array:
        step, values, vectors, _ = state
        sizes = tnp.linalg.norm(residual(values, vectors), axis=0)
        return (step < steps) & tnp.any(sizes > small * (tnp.abs(values) + small))

    def improved(state: tuple[Array, ...]) -> tuple[Array, ...]:
        step, values, vectors, direction = state
        rest = residual(values, vectors)
        # Residuals shrink by orders of magnitude: as unit columns they keep their digits.
        rest = rest / tnp.maximum(tnp.linalg.norm(rest, axis=0), tnp.finfo(rest.dtype).tiny)
        basis, _ = tnp.linalg.qr(tnp.concatenate([vectors, rest, direction], 1))
        values, inner = ritz(basis)
        found = basis @ inner
        # What is new: the part of the result outside of the former vectors.
        moved, _ = tnp.linalg.qr(found - vectors @ (vectors.T @ found))
        return step + 1, values, found, moved

    first, _ = tnp.linalg.qr(start)
    values, inner = ritz(first)
    zeros = tnp.zeros_like(first)
    state = tnp.asarray(0), values, first @ inner, zeros
    step, values, vectors, _ = lax.while_loop(unfinished, improved, state)
    return values, vectors, step


boundaries(__name__)
