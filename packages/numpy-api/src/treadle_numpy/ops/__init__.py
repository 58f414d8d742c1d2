"""Reductions of the elements that belong to one segment."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.ops.segments import (
        segment_max as segment_max,
        segment_min as segment_min,
        segment_prod as segment_prod,
        segment_sum as segment_sum,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "segments": "segment_max segment_min segment_prod segment_sum",
        },
    )
