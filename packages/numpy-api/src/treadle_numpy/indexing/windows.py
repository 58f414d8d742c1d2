"""Updates at known positions and contiguous ranges: a window is written, which is cheaper than a scatter."""

from __future__ import annotations

from typing import Final, cast

import numpy as np

from treadle_ir import Array, ArrayType
from treadle_ir.core import is_symbolic, max_dim, x64_enabled
from treadle_ir.primitives.indexing import DynamicUpdateSlice
from treadle_ir.primitives.shape import BroadcastInDim
from treadle_ir.tracing import current_trace
from treadle_numpy.indexing.entries import Entry, read_index
from treadle_numpy.indexing.known import StaticKey
from treadle_numpy.indexing.positions import counting
from treadle_numpy.operands.coerce import operand_type
from treadle_numpy.operands.plans import remember
from treadle_numpy.operands.scalars import scalar_like, size_scalar

_WINDOWS: Final[
    dict[tuple[ArrayType, StaticKey, bool], tuple[BroadcastInDim, tuple[np.generic, ...]]]
] = {}
_UPDATE: Final = DynamicUpdateSlice()


def write_window(x: Array, known: StaticKey, index: object, value: object) -> Array | None:
    """`x.at[index].set(number)` for a known index inside the array: the number broadcast to a window, and written.

    None where it is not that simple: the value is not a number that takes the array's element type as it is, or the
    index names no window.
    """
    type = operand_type(x)
    scalar = scalar_like(value, type)
    if scalar is None:
        return None
    key = type, known, x64_enabled()
    plan = _WINDOWS.get(key)
    if plan is None:
        if is_symbolic(type.shape):  # starts are not numbers: not to be kept
            return None
        entries = read_index(type.shape, index)
        kept = [entry for entry in entries if not entry.new]
        block = window_shape(type.shape, kept)
        if block is None or 0 in block:
            return None
        starts = cast("list[np.generic]", window_starts(type.shape, kept))
        plan = BroadcastInDim(block, ()), tuple(starts)
        remember(_WINDOWS, key, plan)
    process = current_trace().process
    broadcasting, places = plan
    written = process(broadcasting, (scalar,))[0]
    return process(_UPDATE, (x, written, *places))[0]  # type: ignore[return-value]  # see `treadle_ir.bind`


def window_shape(own: tuple[int, ...], kept: list[Entry]) -> tuple[int, ...] | None:
    """Return the shape of the window that known positions and contiguous ranges name; None if they are not all that."""
    block = []
    for entry, n in zip(kept, own, strict=True):
        at = entry.index
        if isinstance(at, slice):
            if at.step != 1:
                return None
            block.append(max_dim(0, at.stop - at.start))
        elif isinstance(at, int) and -n <= at < n:
            block.append(1)
        else:
            return None
    return tuple(block)


def window_starts(own: tuple[int, ...], kept: list[Entry]) -> list[np.generic | Array]:
    """Return where such a window starts on each axis."""
    whole = counting(own)
    starts: list[np.generic | Array] = []
    for entry, n in zip(kept, own, strict=True):
        index = entry.index
        assert isinstance(index, (slice, int)), "the positions of a window are known"
        starts.append(size_scalar(index.start if isinstance(index, slice) else index % n, whole))
    return starts
