"""The batch rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations

from treadle_batching.rules import (
    compare as compare,
    convert as convert,
    creation as creation,
    cumulative as cumulative,
    elementwise as elementwise,
    reduce as reduce,
    shape as shape,
    sort as sort,
)
from treadle_batching.rules import collective as collective
