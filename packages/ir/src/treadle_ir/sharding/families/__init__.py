"""The rules, by family; importing this package registers them."""

from __future__ import annotations

from treadle_ir.sharding.families import (
    contracted as contracted,
    indexed as indexed,
    moved as moved,
    nested as nested,
    random as random,
    reduced as reduced,
    same as same,
)
