"""How an index may be read: `strategy` of `x.at[index].get`."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import IndexingError, refused, shown
from treadle_numpy.indexing.modes import IndexMode, gather_mode

STRATEGIES: Final = ("auto", "gather", "static_slice", "dynamic_slice")


def check_strategy(
    strategy: str, shape: tuple[int, ...], index: object, mode: IndexMode, wraps: bool
) -> None:
    """Refuse an index that a strategy cannot read; how it is read is the same for all strategies.

    "static_slice" needs positions and ranges that are known, and positions within the axis unless `mode` says
    otherwise; "dynamic_slice" needs single positions, traced or known, and ranges without gaps.

    Raises:
        ArgumentError: there is no such strategy, or it cannot read this index, or not with this mode;
        IndexingError: a known position is beyond its axis.
    """
    if not _is_strategy(strategy):
        raise refused("x.at[...].get", "strategy", f"one of {', '.join(STRATEGIES)}", strategy)
    if not strategy.endswith("slice"):
        return
    fixed = strategy == "static_slice"
    if gather_mode(mode, "clip") == "fill":
        raise ArgumentError(
            f"x.at[...].get: strategy {strategy} cannot fill what is out of range, as mode {shown(mode)} asks",
            fix="use mode 'clip' or 'promise_in_bounds', or strategy 'gather'",
        )
    items = index if isinstance(index, tuple) else (index,)
    taken = sum(item is not None and item is not Ellipsis for item in items)
    axis = 0
    for item in items:
        if item is None:
            continue
        if item is Ellipsis:
            axis += len(shape) - taken
            continue
        if not _reads(fixed, item):
            kinds = "known single positions and ranges" if fixed else "single positions and ranges"
            raise ArgumentError(
                f"x.at[...].get: strategy {strategy} reads {kinds} only, but the index has {shown(item)}",
                fix="use strategy 'auto', which reads every index",
            )
        if fixed and mode != "clip" and isinstance(item, (int, np.integer)):
            size = shape[axis]
            if not (-size if wraps else 0) <= item < size:
                raise IndexingError(
                    f"x.at[...].get: position {item} is beyond axis {axis} of size {size}",
                    fix="index within the axis, or use mode 'clip'",
                )
        axis += 1


def _is_strategy(given: object) -> bool:
    # An array would be compared element by element.
    return isinstance(given, str) and given in STRATEGIES


def _reads(fixed: bool, item: object) -> bool:
    if isinstance(item, slice):
        return fixed or item.step in (None, 1, -1)
    if isinstance(item, (bool, np.bool_)):
        return False
    if isinstance(item, (int, np.integer)):
        return True
    if fixed or not isinstance(item, (np.ndarray, Array)):
        return False
    return item.shape == () and is_integer(item.dtype)
