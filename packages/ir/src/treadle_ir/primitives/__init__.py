"""The primitives, one module per family; `treadle_ir.ops` has a function for each."""

from __future__ import annotations

from typing import Final

FAMILIES: Final = (
    "call",
    "collective",
    "compare",
    "composite",
    "contract",
    "control",
    "convert",
    "creation",
    "cumulative",
    "custom_vmap",
    "effectful",
    "elementwise",
    "foreign",
    "fourier",
    "implicit",
    "indexing",
    "linear_algebra",
    "linear_call",
    "memory",
    "metadata",
    "partitioned",
    "random",
    "reduce",
    "shape",
    "shard_map",
    "sharding",
    "sort",
    "window",
)
"""The modules here: `treadle_ir.core.registry` imports them when it looks up an unknown mnemonic."""
