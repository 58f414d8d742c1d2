"""Determinants of tiny matrices.

The primitives of factorisations (cholesky, lu, qr, eigh, svd, triangular_solve) are not in the instruction set
yet; the functions that need them are not here, rather than here and wrong.
"""

from __future__ import annotations

from treadle_ir import Array, ShapeError, UnsupportedError, composed, ops
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import inexact_operand
from treadle_numpy.operands.scalars import literal

__all__ = ["det"]


def _entries(name: str, a: ArrayLike) -> tuple[Array, int]:
    x = array_of(inexact_operand(name, a))
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"Argument to _{name}() must have shape [..., n, n], got {x.shape}")
    return x, x.shape[-1]


@composed
def det(a: ArrayLike) -> Array:
    """The determinant of matrices of up to three rows.

    Raises:
        ShapeError: the last two axes are not square.
        UnsupportedError: there are more than three rows.

    Example:
        >>> import numpy as np
        >>> print(det(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)))
        -2.0
    """
    x, n = _entries("det", a)
    if n > 3:
        raise UnsupportedError(
            f"det: matrices of {n} rows need a factorisation (lu), which is not there yet",
            fix="matrices of up to 3 rows work; or use numpy.linalg.det through treadle.pure_callback",
        )
    batch = x.shape[:-2]

    def at(i: int, j: int) -> Array:
        zero = (0,) * len(batch)
        part = ops.slice(
            x, start=(*zero, i, j), limit=(*batch, i + 1, j + 1), strides=(1,) * x.ndim
        )
        return ops.reshape(part, shape=batch)

    def minor(r: tuple[int, int], c: tuple[int, int]) -> Array:
        return ops.subtract(
            ops.multiply(at(r[0], c[0]), at(r[1], c[1])),
            ops.multiply(at(r[0], c[1]), at(r[1], c[0])),
        )

    if n == 0:
        return array_of(ops.broadcast_in_dim(literal(1, x), shape=batch, dimensions=()))
    if n == 1:
        return array_of(at(0, 0))
    if n == 2:
        return array_of(minor((0, 1), (0, 1)))
    terms = [
        ops.multiply(at(0, j), minor((1, 2), c)) for j, c in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1)))
    ]
    return ops.add(ops.subtract(terms[0], terms[1]), terms[2])
