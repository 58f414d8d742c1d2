"""The lowering rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations

from treadle_compiler.lowering import (
    compare as compare,
    convert as convert,
    creation as creation,
    elementwise as elementwise,
    reduce as reduce,
    shape as shape,
    sort as sort,
)
