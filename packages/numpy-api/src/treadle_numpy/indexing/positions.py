"""Operands of positions: negative ones, and vectors of positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir import Array, Operand, default_dtype, is_symbolic_dim, max_dim, min_dim, ops
from treadle_ir.dtypes import is_unsigned
from treadle_numpy.indexing.entries import Positions
from treadle_numpy.operands.arrays import Elements, made, on_host
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.scalars import size_scalar

_FEW: Final = 1 << 16
"""Positions up to which negative ones are made positive by NumPy, if the host has them: one step, not three."""


def wrapped(index: Operand, size: int) -> Positions:
    """Computed positions with negative ones counted from the end, in the default integer type."""
    whole = default_dtype(int)
    known: object = index
    if isinstance(index, Array) and on_host() and index.type.size <= _FEW:
        known = index.__treadle_host__()
    if isinstance(known, (np.ndarray, np.generic)) and not is_symbolic_dim(size):
        elements: Elements = np.asarray(known).astype(whole, copy=False)
        if elements.size and elements.min() < 0:
            elements = np.where(elements < 0, elements + whole.type(size), elements).astype(whole)
        return elements
    if is_unsigned(index.dtype):
        return ops.convert(index, dtype=whole)
    if index.dtype != whole:
        index = ops.convert(index, dtype=whole)
    below = ops.compare(index, whole.type(0), direction="lt")
    return ops.select(below, ops.add(index, size_scalar(size, whole)), index)


def position(index: int, size: int) -> Positions:
    """A known position along an axis, counted from its end if negative; one beyond the axis stays beyond it."""
    from_start = index + size if index < 0 else index
    inside = max_dim(-1, min_dim(from_start, size))
    if is_symbolic_dim(inside):
        return size_scalar(inside, default_dtype(int))  # type: ignore[return-value]  # an array
    return np.asarray(inside, default_dtype(int))


def index_vectors(indices: Sequence[Operand], shape: tuple[int, ...]) -> Positions:
    """Positions for several axes as one array with a last axis over them."""
    known = [index for index in indices if isinstance(index, (np.ndarray, np.generic))]
    if len(known) == len(indices):
        vectors: Elements
        if len(known) == 1 and known[0].shape == shape:
            vectors = known[0].reshape(*shape, 1)
        else:
            vectors = np.stack([np.broadcast_to(index, shape) for index in known], axis=-1)
        return made(vectors) if on_host() else vectors
    columns = []
    for index in indices:
        wide = broadcast_to_shape(index, shape)
        columns.append(ops.reshape(wide, shape=(*shape, 1)))
    return columns[0] if len(columns) == 1 else ops.concatenate(columns, dimension=len(shape))
