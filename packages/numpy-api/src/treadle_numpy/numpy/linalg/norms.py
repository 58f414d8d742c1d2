"""Norms of vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags, integer, refused
from treadle_numpy.numpy.reductions.extremes import max, min
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.ufuncs.powers import power, sqrt
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import Axis, as_axes
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import converted, inexact_operand
from treadle_numpy.operands.scalars import zero_like

__all__ = ["matrix_norm", "norm", "vector_norm"]

Order: TypeAlias = int | float | str | None


def _squares(x: Array) -> Array:
    if is_complex(x.dtype):
        return ops.add(ops.square(ops.real(x)), ops.square(ops.imag(x)))
    return ops.square(x)


@composed
def norm(x: ArrayLike, ord: Order = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """Compute norms of vectors or matrices.

    Args:
        x: an array.
        ord: the norm: see `vector_norm` and `matrix_norm`; None is the root of the sum of squares.
        axis: an axis for vectors, a pair of axes for matrices; None: the entire array.
        keepdims: whether the axes stay, with size 1.

    Raises:
        ArgumentError: there is no such norm.
        DTypeError: the norm is one of singular values (2, -2, 'nuc'), and the elements are bf16 or f16.

    Example:
        >>> print(norm(np.array([3.0, 4.0], np.float32)))
        5.0
    """
    flags("norm", keepdims=keepdims)
    check_order("norm", ord)
    operand = inexact_operand("norm", x)
    operand = array_of(converted(operand, operand.dtype))
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
        raise ArgumentError(f"norm: improper number of axes for norm: {axes}")
    row, column = axes
    if ord in (None, "f", "fro"):
        return sqrt(sum(_squares(operand), axes, keepdims=keepdims))
    sums: dict[float, tuple[int, int, Callable[..., Array]]] = {
        1: (row, column, _greatest),
        -1: (row, column, min),
        np.inf: (column, row, _greatest),
        -np.inf: (column, row, min),
    }
    if not isinstance(ord, str) and ord in sums:
        inner, outer_, extreme = sums[ord]
        totals = sum(abs(operand), inner, keepdims=True)
        result = extreme(totals, outer_, keepdims=True)
        if keepdims:
            return result
        return ops.reshape(
            result, shape=tuple([n for i, n in enumerate(operand.shape) if i not in axes])
        )
    if ord in (2, -2, "nuc"):
        kept = tuple([i for i in range(operand.ndim) if i not in axes])
        values = ops.svd(ops.transpose(operand, permutation=(*kept, *axes)), compute_uv=False)[0]
        result = sum(values, -1) if ord == "nuc" else (_greatest if ord == 2 else min)(values, -1)
        if not keepdims:
            return result
        return ops.reshape(
            result, shape=tuple([1 if i in axes else n for i, n in enumerate(operand.shape)])
        )
    raise ArgumentError(f"Invalid order '{ord}' for matrix norm.")


def _greatest(moduli: Array, axes: int | tuple[int, ...], keepdims: bool = False) -> Array:
    """Return the greatest of numbers that are not negative: 0 of none, as in NumPy."""
    return max(moduli, axes, keepdims=keepdims, initial=0 if 0 in moduli.shape else None)


def check_order(function: str, ord: object) -> None:
    """Refuse what is neither a number nor a word.

    Raises:
        ArgumentError: it is something else.
    """
    if ord is not None and not isinstance(ord, (str, int, float, np.number)):
        raise refused(function, "ord", "a number or a string", ord)


@composed
def vector_norm(
    x: ArrayLike, /, *, axis: Axis = None, keepdims: bool = False, ord: Order = 2
) -> Array:
    """Return the norm of vectors along axes (all, by default): of any number of axes, as if they were one.

    `ord` is 2 by default, infinity or minus infinity for the greatest or least modulus, 0 for the number of elements
    that are not 0, and any other number p for the p-th root of the sum of p-th powers.

    Raises:
        ArgumentError: there is no such norm of vectors, or no element has the least modulus.
        AxisError: there is no such axis.

    Example:
        >>> print(vector_norm(np.array([[3.0, 4.0], [6.0, 8.0]], np.float32), axis=1))
        [ 5. 10.]
    """
    check_order("vector_norm", ord)
    operand = array_of(inexact_operand("vector_norm", x))
    axes = as_axes("vector_norm", axis, operand.ndim)
    if ord is None or ord == 2:
        return sqrt(sum(_squares(operand), axes, keepdims=keepdims))
    if ord == np.inf:
        return _greatest(abs(operand), axes, keepdims=keepdims)
    if ord == -np.inf:
        return min(abs(operand), axes, keepdims=keepdims)
    if isinstance(ord, str):
        raise ArgumentError(f"Invalid order '{ord}' for vector norm.")
    if ord == 0:
        nonzero = ops.compare(operand, zero_like(operand), direction="ne")
        return sum(nonzero, axes, abs(operand).dtype, keepdims=keepdims)
    if ord == 1:
        return sum(abs(operand), axes, keepdims=keepdims)
    if isinstance(ord, int):
        ord = integer("vector_norm", "ord", ord)
    return power(sum(power(abs(operand), ord), axes, keepdims=keepdims), 1.0 / ord)


@composed
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Order = "fro") -> Array:
    """Return the norm of the matrices in the last two axes: `norm(x, ord, axis=(-2, -1))`.

    `ord` is 'fro' (or None) for the root of the sum of squares, 1 or -1 for the greatest or least sum of moduli of a
    column, infinity or minus infinity for the sum of a row, 2 or -2 for the greatest or least singular value, and
    'nuc' for the sum of singular values.

    Raises:
        ArgumentError: there is no such norm of matrices.
        AxisError: there are fewer than two axes.
        DTypeError: the norm is one of singular values, and the elements are bf16 or f16.

    Example:
        >>> print(matrix_norm(np.array([[1.0, -7.0], [3.0, 4.0]], np.float32), ord=1))
        11.0
    """
    return norm(x, ord, (-2, -1), keepdims)
