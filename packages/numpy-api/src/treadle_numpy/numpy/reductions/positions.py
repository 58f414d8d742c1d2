"""The positions of the greatest and least elements."""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, real_part
from treadle_ir.errors import flags
from treadle_numpy.indexing.positions import result_type
from treadle_numpy.numpy.reductions.extremes import leaders
from treadle_numpy.numpy.reductions.making import kept
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.axes import Axis, as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type

__all__ = ["argmax", "argmin"]


def position(name: str, a: ArrayLike, axis: Axis, keepdims: bool | None, largest: bool) -> Array:
    """`argmax` or `argmin`, under some name."""
    operand = coerce_array(name, 0, a)
    type = operand_type(operand)
    along = 0 if axis is None else as_axis(name, axis, type.ndim)
    if axis is None:
        operand = ops.reshape(operand, shape=(type.size,))
    if operand.shape[along] == 0:
        raise ArgumentError(
            f"attempt to get {name} of an empty sequence", fix="check the size before"
        )
    if is_complex(type.dtype):
        _, imaginary, missing = leaders(operand, (along,), largest)
        operand = ops.select(missing, real_part(type.dtype).type(np.nan), imaginary)
    dtype = result_type(name, operand.shape[along])
    result = (
        ops.argmax(operand, axis=along, dtype=dtype)
        if largest
        else ops.argmin(operand, axis=along, dtype=dtype)
    )
    axes = tuple(range(type.ndim)) if axis is None else (along,)
    return kept(result, type, axes, bool(keepdims))


@composed
def argmax(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """Return the index of the greatest element along an axis: of the first one, and of the first NaN if there is one.

    Args:
        a: an array.
        axis: the axis; None means the flat array.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        An array of integers, without the axis, or with size 1 along it.

    Example:
        >>> print(argmax(np.array([1, 3, 2], np.int32)))
        1
    """
    flags("argmax", keepdims=keepdims)
    named_only("argmax", out=out)
    return position("argmax", a, axis, keepdims, True)


@composed
def argmin(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """Return the index of the least element along an axis: of the first one, and of the first NaN if there is one.

    Args:
        a: an array.
        axis: the axis; None means the flat array.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.

    Returns:
        An array of integers, without the axis, or with size 1 along it.

    Example:
        >>> print(argmin(np.array([1, 2, 3])))
        0
    """
    flags("argmin", keepdims=keepdims)
    named_only("argmin", out=out)
    return position("argmin", a, axis, keepdims, False)
