"""The polar decomposition, by Halley's iteration with dynamic weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import ml_dtypes
import numpy as np

from treadle_ir import ArgumentError, Array, ArrayType, ShapeError, UnsupportedError, ops
from treadle_ir.calling import HostFunction, composed, matrices
from treadle_ir.errors import flags, integer_or_none, number as real_number
from treadle_numpy.lax.linalg import in_lapack
from treadle_numpy.lax.linalg.factorisations import symmetrized
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.scalars import literal, number

__all__ = ["qdwh"]

_BY_QR: Final = 100.0  # weights above: the QR factorisation is needed for accuracy
_MOST: Final = (
    10  # iterations; the bound of the smallest singular value needs 6 in double precision
)
Polar = tuple[Array, Array, Array, Array]


def weights(least: float, eps: float) -> list[tuple[float, float, float]]:
    """Halley's weights a, b, c of each iteration, for singular values from `least` to 1, until all are 1."""
    found: list[tuple[float, float, float]] = []
    while abs(1 - least) > eps and len(found) < _MOST:
        square = least * least
        d = (4 * (1 - square) / (square * square)) ** (1 / 3)
        root = math.sqrt(1 + d)
        a = root + math.sqrt(8 - 4 * d + 8 * (2 - square) / (square * root)) / 2
        b = (a - 1) ** 2 / 4
        c = a + b - 1
        found.append((a, b, c))
        least = min(1.0, least * (a + b * square) / (1 + c * square))
    return found


def _by_singular_vectors(types: Sequence[ArrayType]) -> HostFunction | None:
    """U and H by one decomposition, as many iterations as there would have been, and that they converge."""
    factors = in_lapack.polar(types)
    if factors is None:
        return None
    precision = float(np.finfo(types[0].dtype).eps)  # one of LAPACK's types
    count = np.int32(len(weights(precision, precision)))

    def run(
        a: np.ndarray[Any, Any],
    ) -> list[np.ndarray[Any, Any]] | None:  # Any: of any element type
        found = factors(a)
        return None if found is None else [*found, np.asarray(count), np.asarray(True)]

    return run


@composed(loops=True, host=_by_singular_vectors)
def qdwh(
    x: ArrayLike,
    *,
    is_hermitian: bool = False,
    max_iterations: int | None = None,
    eps: float | None = None,
    dynamic_shape: tuple[int, int] | None = None,
) -> Polar:
    """Return the polar decomposition `A = U H`, with orthonormal columns in U and a Hermitian H, of matrices with m >=
    n.

    Args:
        x: [..., m, n].
        is_hermitian: the matrix is Hermitian; it changes nothing.
        max_iterations: 10 by default; six are made in double precision.
        eps: the rounding error that counts, of the element type by default.
        dynamic_shape: must be None.

    Returns:
        U, H, the number of iterations, and whether they have converged: for all matrices alike.

    Raises:
        ShapeError: there are more columns than rows.
        UnsupportedError: `dynamic_shape` is given.
        DTypeError: the element type is bf16 or f16.

    Example:
        >>> u, h, iterations, converged = qdwh(np.array([[0.0, 2.0], [1.0, 0.0]], np.float32))
        >>> print(abs(u).round(3), abs(h).round(3), converged)
        [[0. 1.]
         [1. 0.]] [[1. 0.]
         [0. 2.]] True

    Source: Y. Nakatsukasa, Z. Bai and F. Gygi, "Optimizing Halley's iteration for computing the matrix polar
    decomposition", SIAM J. Matrix Anal. Appl. 31 (2010). The weights depend on a bound of singular values alone, which
    is the rounding error, so their number is known beforehand.
    """
    flags("qdwh", is_hermitian=is_hermitian)
    if dynamic_shape is not None:
        raise UnsupportedError(
            "qdwh: dynamic_shape is not supported", fix="leave it out and slice the matrix"
        )
    limit = integer_or_none("qdwh", "max_iterations", max_iterations)
    a = array_of(inexact_operand("qdwh", x))
    if a.ndim < 2 or a.shape[-2] < a.shape[-1]:
        raise ShapeError(f"qdwh: the matrix has shape {a.shape}, but must have m >= n")
    info = ml_dtypes.finfo(a.dtype)  # type: ignore[no-untyped-call]
    precision = float(info.eps) if eps is None else real_number("qdwh", "eps", eps)
    if not 0 < precision < 1:
        raise ArgumentError(f"qdwh: eps must be between 0 and 1, got {precision}")
    steps = weights(precision, precision)[: _MOST if limit is None else limit]
    u = _scaled(a) if a.size else a
    change = ops.reduce_add(ops.abs(u), axes=(a.ndim - 2, a.ndim - 1))
    for step in steps if a.size else []:
        before = u
        u = _iterated(u, *step)
        difference = ops.square(ops.abs(ops.subtract(u, before)))
        change = ops.sqrt(ops.reduce_add(difference, axes=(a.ndim - 2, a.ndim - 1)))
    h = symmetrized(matrices.matmul(matrices.adjoint(u), a))
    tolerance = literal((4 * precision) ** (1 / 3), change)
    small = ops.compare(change, tolerance, direction="le")
    converged = ops.reduce_and(small, axes=tuple(range(small.ndim)))
    return u, h, array_of(np.int32(len(steps))), converged


def _scaled(a: Array) -> Array:
    """Return the matrix divided by a bound of its greatest singular value; a matrix of zeros as it is."""
    sizes = ops.abs(ops.stop_gradient(a))
    rank = a.ndim
    by_column = ops.reduce_maximum(ops.reduce_add(sizes, axes=(rank - 2,)), axes=(rank - 2,))
    by_row = ops.reduce_maximum(ops.reduce_add(sizes, axes=(rank - 1,)), axes=(rank - 2,))
    bound = ops.multiply(ops.sqrt(by_column), ops.sqrt(by_row))
    zero, one = literal(0, bound), literal(1, bound)
    bound = ops.select(ops.compare(bound, zero, direction="eq"), one, bound)
    spread = ops.broadcast_in_dim(bound, shape=a.shape, dimensions=tuple(range(rank - 2)))
    return ops.divide(a, spread if spread.dtype == a.dtype else ops.convert(spread, dtype=a.dtype))


def _identity(u: Array) -> Array:
    n = u.shape[-1]
    shape = (*u.shape[:-2], n, n)
    ones = ops.broadcast_in_dim(literal(1, u), shape=shape, dimensions=())
    return matrices.on_diagonal(ones, literal(0, u))


def _iterated(u: Array, a: float, b: float, c: float) -> Array:
    """Compute `(b/c) u + (a - b/c) u (1 + c uᴴ u)⁻¹`: by QR where c is large, else by Cholesky."""
    m, n = u.shape[-2:]
    if c > _BY_QR:
        root = math.sqrt(c)
        above = ops.multiply(u, number(root, u))
        q, _ = ops.qr(
            ops.concatenate([above, _identity(u)], dimension=u.ndim - 2), full_matrices=False
        )
        top = matrices.block(q, slice(m), slice(n))
        bottom = matrices.block(q, slice(m, m + n), slice(n))
        product = ops.multiply(
            matrices.matmul(top, matrices.adjoint(bottom)), number((a - b / c) / root, u)
        )
    else:
        gram = ops.multiply(matrices.matmul(matrices.adjoint(u), u), number(c, u))
        factor = ops.cholesky(ops.add(gram, _identity(u)))
        solved = ops.triangular_solve(
            factor, u, left_side=False, transpose_a=True, conjugate_a=True
        )
        solved = ops.triangular_solve(factor, solved, left_side=False)
        product = ops.multiply(solved, number(a - b / c, u))
    return ops.add(ops.multiply(u, number(b / c, u)), product)
