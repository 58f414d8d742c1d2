"""The derivative rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MODULES: Final[Mapping[str, str]] = {
    "call": "call checkpoint",
    "collective": "collective",
    "compare": "compare",
    "composite": "call creation",
    "contract": "contract",
    "control": "control",
    "convert": "convert",
    "creation": "creation",
    "cumulative": "cumulative",
    "custom_vmap": "custom_vmap",
    "effectful": "effectful",
    "elementwise": "elementwise",
    "elementwise.special": "elementwise special",
    "foreign": "foreign",
    "fourier": "fourier",
    "implicit": "implicit",
    "indexing": "indexing",
    "linear_algebra": "linear_algebra",
    "linear_call": "linear_call",
    "memory": "memory",
    "metadata": "call metadata",
    "partitioned": "call",
    "random": "random",
    "reduce": "reduce",
    "shape": "shape",
    "shard_map": "shard_map",
    "sharding": "sharding",
    "sort": "sort",
    "window": "window",
}
"""The modules with the rules for each family of primitives, with blanks between; `RuleTable` imports them."""
