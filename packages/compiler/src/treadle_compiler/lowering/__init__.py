"""The lowering rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations

from treadle_compiler.lowering import (
    compare as compare,
    contract as contract,
    convert as convert,
    creation as creation,
    effectful as effectful,
    cumulative as cumulative,
    elementwise as elementwise,
    indexing as indexing,
    random as random,
    reduce as reduce,
    shape as shape,
    sort as sort,
    window as window,
)
