"""Operations that take or set a few elements, in a few calls of NumPy.

Indices are read as unsigned numbers, so that negative ones are out of range, too. NumPy raises an `IndexError` if an
index is out of range; then the rule computes the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.primitives.indexing import DynamicSlice, DynamicUpdateSlice, Gather, Scatter
from treadle_runtime.evaluation.host.by_rule import Kernel, by_rule

MOST: Final = 1 << 12  # elements up to which the further calls of the rule take noticeable time
_INTP: Final = np.dtype(np.intp)


def _positions(indices: ArrayType, shape: tuple[int, ...], size: int) -> Kernel | None:
    """Return a function from indices of an axis with `size` elements to positions; invalid ones are out of range."""
    dtype = indices.dtype
    if dtype.kind not in "iu" or dtype.itemsize >= _INTP.itemsize:
        return None
    if size > 1 << (8 * dtype.itemsize - 1):  # a negative index may be within it as an unsigned one
        return None
    unsigned = np.dtype(f"u{dtype.itemsize}")
    if dtype == unsigned:
        return lambda x: x.astype(_INTP).reshape(shape)
    return lambda x: x.view(unsigned).astype(_INTP).reshape(shape)


def gather(primitive: Gather, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    """Return a kernel that takes elements of a vector, or rows, by one index each."""
    operand, indices = operands
    shape = operand.shape
    if (
        primitive.start_index_map != (0,)
        or primitive.collapsed_slice_dims != (0,)
        or primitive.operand_batching_dims
        or primitive.slice_sizes[1:] != shape[1:]
        or not 0 < result.size <= MOST
    ):
        return None
    batch = indices.shape[:-1]
    if not batch:
        return _one(primitive, operand)
    positions = _positions(indices, batch, shape[0])
    rows = tuple(range(len(batch), len(batch) + len(shape) - 1))
    if positions is None or primitive.offset_dims != rows:
        return None
    rule = by_rule(primitive)

    def taken(x: Any, places: Any) -> Any:
        try:
            return x[positions(places)]
        except IndexError:
            return rule(x, places)

    return taken


def _one(primitive: Gather, operand: ArrayType) -> Kernel:
    """Return a kernel that takes one element or row."""
    size, rule = operand.shape[0], by_rule(primitive)

    def taken(x: Any, place: Any) -> Any:
        at = int(place[0])
        return x[at] if 0 <= at < size else rule(x, place)

    return taken


def scatter(primitive: Scatter, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    """Return a kernel that sets elements of a vector, by one index each."""
    operand, indices, updates = operands
    if (
        operand.ndim != 1
        or primitive.scatter_dims_to_operand_dims != (0,)
        or primitive.inserted_window_dims != (0,)
        or not 0 < operand.size <= MOST
        or not 0 < updates.size <= MOST
    ):
        return None
    positions = _positions(indices, updates.shape, operand.size)
    if positions is None:
        return None
    rule = by_rule(primitive)

    def written(x: Any, places: Any, values: Any) -> Any:
        changed = x.copy()
        try:
            changed[positions(places)] = values
        except IndexError:
            return rule(x, places, values)
        return changed

    return written


def dynamic_slice(
    primitive: DynamicSlice, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """Return a kernel that slices a vector or a matrix."""
    limits = [size - n for size, n in zip(operands[0].shape, result.shape, strict=True)]
    if len(limits) == 1:
        ((size,), (last,)) = (result.shape, limits)

        def part(x: Any, start: Any) -> Any:
            first = min(max(int(start), 0), last)
            return x[first : first + size]

        return part
    if len(limits) == 2:
        ((rows, columns), (last_row, last_column)) = (result.shape, limits)

        def block(x: Any, row: Any, column: Any) -> Any:
            top = min(max(int(row), 0), last_row)
            left = min(max(int(column), 0), last_column)
            return x[top : top + rows, left : left + columns]

        return block
    return None


def dynamic_update_slice(
    primitive: DynamicUpdateSlice, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """Return a kernel that writes over a slice of a copied vector."""
    if len(result.shape) != 1:
        return None
    (size,) = operands[1].shape
    last = result.shape[0] - size

    def written(x: Any, update: Any, start: Any) -> Any:
        first = min(max(int(start), 0), last)
        changed = x.copy()
        changed[first : first + size] = update
        return changed

    return written
