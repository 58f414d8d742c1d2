"""Linear algebra that needs no factorisation: norms, powers, products, and determinants of tiny matrices.

The primitives of factorisations (cholesky, lu, qr, eigh, svd, triangular_solve) are not in the instruction set
yet; the functions that need them are not here, rather than here and wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle_ir import Array
from treadle_ir.dtypes import is_complex
from treadle_numpy import contraction, manipulation
from treadle_numpy.coercion import (
    ArrayLike,
    UnsupportedError,
    ValueArgumentError,
    array_of,
    as_axes,
    as_index,
    coerce,
    converted,
    operand_type,
    ops,
    promote,
)
from treadle_numpy.contraction import (
    matmul as matmul,
    outer as outer,
    tensordot as tensordot,
    vecdot as vecdot,
)
from treadle_numpy.creation import eye
from treadle_numpy.einsum import einsum
from treadle_numpy.elementwise import abs, inexact_operand, literal, power, sqrt, zero_like
from treadle_numpy.manipulation import ShapeValueError, matrix_transpose as matrix_transpose
from treadle_numpy.reductions import max, min, sum


def _squares(x: Any) -> Any:
    if is_complex(x.dtype):
        return ops.add(ops.square(ops.real(x)), ops.square(ops.imag(x)))
    return ops.square(x)


def norm(x: ArrayLike, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """The norm of vectors or matrices.

    Raises:
        ValueArgumentError: there is no such norm.
        UnsupportedError: the norm needs singular values.

    Example:
        >>> print(norm(np.array([3.0, 4.0], np.float32)))
        5.0
    """
    operand = inexact_operand("norm", x)
    operand = array_of(converted(operand, operand_type(operand).dtype))
    if axis is None:
        if ord is None:
            flat = sqrt(sum(_squares(operand), None))
            return ops.reshape(flat, shape=(1,) * operand.ndim) if keepdims else flat
        axes = tuple(range(operand.ndim))
    else:
        axes = as_axes("norm", axis, operand.ndim)
    if len(axes) == 1:
        return vector_norm(operand, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueArgumentError(f"norm: improper number of axes for norm: {axes}")
    row, column = axes
    if ord in (None, "f", "fro"):
        return sqrt(sum(_squares(operand), axes, keepdims=keepdims))
    sums = {
        1: (row, column, max),
        -1: (row, column, min),
        np.inf: (column, row, max),
        -np.inf: (column, row, min),
    }
    if ord in sums:
        inner, outer_, extreme = sums[ord]
        totals = sum(abs(operand), inner, keepdims=True)
        result = extreme(totals, outer_, keepdims=True)
        if keepdims:
            return result
        return ops.reshape(
            result, shape=tuple([n for i, n in enumerate(operand.shape) if i not in axes])
        )
    if ord in (2, -2, "nuc"):
        raise UnsupportedError(
            f"norm: ord={ord!r} of a matrix needs singular values, and there is no svd yet",
            fix="use the Frobenius norm (`ord='fro'`)",
        )
    raise ValueArgumentError(f"Invalid order '{ord}' for matrix norm.")


def vector_norm(
    x: ArrayLike, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Array:
    """The norm of vectors along axes (all, by default).

    Raises:
        ValueArgumentError: there is no such norm of vectors.
    """
    operand = array_of(inexact_operand("vector_norm", x))
    axes = as_axes("vector_norm", axis, operand.ndim)
    if ord is None or ord == 2:
        return sqrt(sum(_squares(operand), axes, keepdims=keepdims))
    if ord == np.inf:
        return max(abs(operand), axes, keepdims=keepdims)
    if ord == -np.inf:
        return min(abs(operand), axes, keepdims=keepdims)
    if isinstance(ord, str):
        raise ValueArgumentError(f"Invalid order '{ord}' for vector norm.")
    if ord == 0:
        nonzero = ops.compare(operand, zero_like(operand), direction="ne")
        return sum(nonzero, axes, abs(operand).dtype, keepdims=keepdims)
    if ord == 1:
        return sum(abs(operand), axes, keepdims=keepdims)
    return power(sum(power(abs(operand), ord), axes, keepdims=keepdims), 1.0 / ord)


def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norm of the matrices in the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)


def _entries(name: str, a: ArrayLike) -> tuple[Array, int]:
    x = array_of(inexact_operand(name, a))
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeValueError(f"Argument to _{name}() must have shape [..., n, n], got {x.shape}")
    return x, x.shape[-1]


def det(a: ArrayLike) -> Array:
    """The determinant of matrices of up to three rows.

    Raises:
        ShapeValueError: the last two axes are not square.
        UnsupportedError: there are more than three rows.

    Example:
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

    def at(i: int, j: int) -> Any:
        zero = (0,) * len(batch)
        part = ops.slice(
            x, start=(*zero, i, j), limit=(*batch, i + 1, j + 1), strides=(1,) * x.ndim
        )
        return ops.reshape(part, shape=batch)

    def minor(r: tuple[int, int], c: tuple[int, int]) -> Any:
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


def matrix_power(a: ArrayLike, n: int) -> Array:
    """A matrix multiplied by itself `n` times; not for negative n.

    Raises:
        ShapeValueError: the last two axes are not square.
        UnsupportedError: `n` is negative.
    """
    x = array_of(coerce("matrix_power", 0, a))
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeValueError(f"Last 2 dimensions of the array must be square, got {x.shape}")
    count = as_index("matrix_power", "n", n)
    if count < 0:
        raise UnsupportedError(
            "matrix_power: negative powers need an inverse, which is not there yet"
        )
    if count == 0:
        return manipulation.broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    result: Array | None = None
    square = x
    while count:
        if count & 1:
            result = square if result is None else matmul(result, square)
        count >>= 1
        if count:
            square = matmul(square, square)
    assert result is not None
    return result


def multi_dot(arrays: Sequence[ArrayLike], *, precision: Any = None) -> Array:
    """The product of several matrices in the order that costs least.

    Raises:
        ValueArgumentError: there are fewer than two matrices.
    """
    operands = [array_of(x) for x in promote("multi_dot", *arrays)]
    if len(operands) < 2:
        raise ValueArgumentError(
            f"multi_dot requires at least two arrays; got len(arrays)={len(operands)}"
        )
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    first = operands[0].ndim == 1
    texts = []
    for i, x in enumerate(operands):
        if x.ndim == 1:
            texts.append(letters[i + 1] if i == 0 else letters[i])
        else:
            texts.append(letters[i] + letters[i + 1])
    result = ("" if first else letters[0]) + (
        "" if operands[-1].ndim == 1 else letters[len(operands)]
    )
    return einsum(
        ",".join(texts) + "->" + result, *operands, precision=precision, optimize="optimal"
    )


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """The vector product of vectors of three elements.

    Raises:
        ShapeValueError: the vectors have not three elements.
    """
    a, b = [array_of(v) for v in promote("cross", x1, x2)]
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ShapeValueError(
            f"Both input arrays must be (arrays of) 3-dimensional vectors, but they have {a.shape[axis]} and "
            f"{b.shape[axis]} dimensions instead."
        )
    return contraction.cross(a, b, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """The diagonals of the matrices in the last two axes."""
    return manipulation.diagonal(x, offset, -2, -1)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sums of the diagonals of the matrices in the last two axes."""
    return manipulation.trace(x, offset, -2, -1, dtype)
