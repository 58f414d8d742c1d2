"""Operands of positions: negative ones, and vectors of positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from treadle_ir import Array, DType, DTypeError, Operand, ops
from treadle_ir.core import default_dtype, is_symbolic_dim, max_dim, min_dim
from treadle_ir.core.dtypes import BY_NAME, is_unsigned
from treadle_numpy.indexing.entries import Positions
from treadle_numpy.operands.arrays import Elements, made, on_host
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.scalars import size_scalar

_LONG: Final = BY_NAME["i64"]
_MANY: Final = np.iinfo(np.int32).max
_FEW: Final = 1 << 16
"""Positions up to which negative ones are made positive by NumPy, if the host has them: one step, not three."""


def counting(sizes: Iterable[int]) -> DType:
    """The integer type of positions in an array: the default one, or a wider one where an axis has more places."""
    whole = default_dtype(int)
    if whole is not _LONG and any(type(n) is int and n > _MANY for n in sizes):
        return _LONG
    return whole


def result_type(function: str, size: int) -> DType:
    """Return the type of positions that users get: the default integer type.

    Raises:
        DTypeError: there are more places than it counts.
    """
    whole = default_dtype(int)
    if counting((size,)) is not whole:
        raise DTypeError(
            f"{function}: {whole} cannot hold every position of {size} elements",
            fix="turn on integers of 64 bits: `config.update('enable_x64', True)`",
        )
    return whole


def counted(index: Operand, size: int, whole: DType) -> Positions:
    """Return computed positions in the type that counts them; positions that do not fit stay out of bounds."""
    dtype, known = index.dtype, _known(index)
    if known is not None:
        if dtype != whole and not is_symbolic_dim(size) and not np.can_cast(dtype, whole):
            known = np.minimum(known, size) if is_unsigned(dtype) else known.clip(-size - 1, size)
        return known.astype(whole, copy=False)
    if _holds_more(dtype, whole):
        index = ops.minimum(index, size_scalar(size, dtype))
    return index if dtype == whole else ops.convert(index, dtype=whole)  # type: ignore[return-value]  # no literal


def wrapped(index: Operand, size: int, whole: DType | None = None) -> Positions:
    """Computed positions with negative ones counted from the end, in the type that counts them if none is given."""
    whole = whole or counting((size,))
    positions = counted(index, size, whole)
    if is_unsigned(index.dtype):
        return positions
    if isinstance(positions, (np.ndarray, np.generic)) and not is_symbolic_dim(size):
        if positions.size and positions.min() < 0:
            below = positions + whole.type(size)
            return np.where(positions < 0, below, positions).astype(whole)
        return positions
    below = ops.compare(positions, whole.type(0), direction="lt")
    return ops.select(below, ops.add(positions, size_scalar(size, whole)), positions)


def around(index: Operand, size: int, whole: DType) -> Array:
    """Computed positions counted round and round, in the type that counts them; of negative ones negative."""
    if _holds_more(index.dtype, whole):
        return ops.convert(ops.remainder(index, size_scalar(size, index.dtype)), dtype=whole)
    return ops.remainder(ops.convert(index, dtype=whole), size_scalar(size, whole))


def _known(index: Operand) -> Elements | None:
    """Return the positions, if the host has them."""
    known: object = index
    if isinstance(index, Array) and on_host() and index.type.size <= _FEW:
        known = index.__treadle_host__()
    return np.asarray(known) if isinstance(known, (np.ndarray, np.generic)) else None


def _holds_more(dtype: DType, whole: DType) -> bool:
    """Return whether an unsigned type has numbers beyond the signed type's."""
    return is_unsigned(dtype) and dtype.itemsize >= whole.itemsize


def position(index: int, size: int, whole: DType) -> Positions:
    """Return a known position along an axis, counted from its end if negative; one beyond the axis stays beyond it."""
    from_start = index + size if index < 0 else index
    inside = max_dim(-1, min_dim(from_start, size))
    if is_symbolic_dim(inside):
        return size_scalar(inside, whole)  # type: ignore[return-value]  # an array
    return np.asarray(inside, whole)


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
