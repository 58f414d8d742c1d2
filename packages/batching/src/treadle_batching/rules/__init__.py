"""The batch rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations

from treadle_batching.rules import (
    cumulative as cumulative,
    reduce as reduce,
    shape as shape,
    sort as sort,
)
