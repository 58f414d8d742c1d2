"""Index expressions whose negative positions are beyond the axis: `wrap_negative_indices=False`."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, ops
from treadle_ir.core.dtypes import is_bool, is_unsigned
from treadle_numpy.indexing.entries import read_index
from treadle_numpy.indexing.positions import counted, counting
from treadle_numpy.operands.coerce import operand_type
from treadle_numpy.operands.scalars import size_scalar


def unwrapped(shape: tuple[int, ...], index: object) -> tuple[object, ...]:
    """Return the index expression with its negative positions moved down by the size of their axis.

    What counts negative positions from the end then finds each where it was, before the first element.

    Raises:
        IndexingError: it is not an index of an array of this shape.
    """
    read_index(shape, index)
    items = index if isinstance(index, tuple) else (index,)
    taken = [_axes(item) for item in items]
    moved: list[object] = []
    axis = 0
    for item, axes in zip(items, taken, strict=True):
        if item is Ellipsis:
            axis += len(shape) - sum(taken)
        moved.append(_below(item, shape[axis]) if axes == 1 else item)
        axis += axes
    return tuple(moved)


def _axes(item: object) -> int:
    """Return how many axes an item of an index expression takes."""
    if item is None or item is Ellipsis or isinstance(item, bool | np.bool_):
        return 0
    if isinstance(item, Array | np.ndarray) and is_bool(operand_type(item).dtype):
        return item.ndim
    return 1


def _below(item: object, size: int) -> object:
    """Return a position, or positions, with negative ones moved down by the size of the axis."""
    if isinstance(item, slice):
        return item
    if isinstance(item, list | tuple):
        item = np.asarray(item) if item else np.zeros(0, np.int32)
    if not isinstance(item, Array | np.ndarray):
        position: int = item.__index__()  # type: ignore[attr-defined]  # `read_index` has looked
        return position - size if position < 0 else position
    dtype = operand_type(item).dtype
    if is_bool(dtype) or is_unsigned(dtype):
        return item
    whole = counting((size,))
    positions = counted(item, size, whole)
    below = ops.compare(positions, whole.type(0), direction="lt")
    return ops.select(below, ops.subtract(positions, size_scalar(size, whole)), positions)
