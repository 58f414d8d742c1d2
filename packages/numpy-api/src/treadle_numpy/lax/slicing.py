"""Ranges known to Python."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir import Array, ops
from treadle_ir.errors import (
    IndexingError,
    flags,
    integer,
    integer_or_none,
    integers,
    integers_or_none,
)
from treadle_numpy.lax.shapes import squeeze
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array

__all__ = ["index_in_dim", "slice", "slice_in_dim"]


def slice_along(x: Array, axis: int, start: int, limit: int) -> Array:
    """Return the elements from `start` below `limit` along one axis."""
    own = x.shape
    low, high = [0] * len(own), list(own)
    low[axis], high[axis] = start, limit
    return ops.slice(x, start=tuple(low), limit=tuple(high), strides=(1,) * len(own))


def slice(
    operand: ArrayLike,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Array:
    """Return a strided slice with static bounds.

    Args:
        operand: an array.
        start_indices: the first index along each axis.
        limit_indices: the bound along each axis, exclusive.
        strides: the step along each axis; 1 by default.

    Raises:
        ShapeError: lists do not have one entry for each axis, a range leaves its axis, or a stride is not positive.

    Example:
        >>> import numpy as np
        >>> print(slice(np.array([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, 3)))
        [[2 3]
         [5 6]]
    """
    strides = integers_or_none("slice", "strides", strides)
    start_indices = integers("slice", "start_indices", start_indices)
    limit_indices = integers("slice", "limit_indices", limit_indices)
    x = coerce("slice", 0, operand)
    steps = (1,) * len(start_indices) if strides is None else strides
    return ops.slice(x, start=start_indices, limit=limit_indices, strides=steps)


def slice_in_dim(
    operand: ArrayLike,
    start_index: int | None,
    limit_index: int | None,
    stride: int = 1,
    axis: int = 0,
) -> Array:
    """Return a range along one axis; None is the axis' beginning or end, and negative numbers count from its end.

    Raises:
        AxisError: there is no such axis.
        ShapeError: the range is not inside of the axis, or the stride is not positive.

    Example:
        >>> import numpy as np
        >>> print(slice_in_dim(np.array([1, 2, 3, 4, 5]), 1, None, stride=2))
        [2 4]
    """
    limit_index = integer_or_none("slice_in_dim", "limit_index", limit_index)
    start_index = integer_or_none("slice_in_dim", "start_index", start_index)
    stride = integer("slice_in_dim", "stride", stride)
    x = coerce_array("slice_in_dim", 0, operand)
    along = as_axis("slice_in_dim", axis, x.ndim)
    size = x.shape[along]
    low = 0 if start_index is None else int(start_index) + (size if start_index < 0 else 0)
    high = size if limit_index is None else int(limit_index) + (size if limit_index < 0 else 0)
    start, limit, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    start[along], limit[along], strides[along] = low, high, stride
    return ops.slice(x, start=tuple(start), limit=tuple(limit), strides=tuple(strides))


def index_in_dim(operand: ArrayLike, index: int, axis: int = 0, keepdims: bool = True) -> Array:
    """Return one position along one axis; a negative one counts from the end.

    The axis stays with size 1 or, without `keepdims`, is gone.

    Raises:
        IndexingError: there is no such position.
        AxisError: there is no such axis.

    Example:
        >>> import numpy as np
        >>> print(index_in_dim(np.array([[1, 2, 3], [4, 5, 6]]), -1, axis=1))
        [[3]
         [6]]
    """
    flags("index_in_dim", keepdims=keepdims)
    index = integer("index_in_dim", "index", index)
    x = coerce_array("index_in_dim", 0, operand)
    along = as_axis("index_in_dim", axis, x.ndim)
    size = x.shape[along]
    if not -size <= index < size:
        raise IndexingError(f"index {index} is out of bounds for axis {axis} with size {size}")
    place = index % size
    part = slice_along(x, along, place, place + 1)
    return part if keepdims else squeeze(part, (along,))
