"""The batch rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MODULES: Final[Mapping[str, str]] = {
    "call": "call elementwise",
    "collective": "collective",
    "compare": "compare elementwise",
    "composite": "call creation",
    "contract": "contract",
    "control": "control",
    "convert": "convert elementwise",
    "creation": "creation",
    "cumulative": "cumulative",
    "custom_vmap": "custom_vmap",
    "effectful": "effectful",
    "elementwise": "elementwise",
    "foreign": "foreign",
    "fourier": "fourier",
    "implicit": "implicit",
    "indexing": "indexing",
    "linear_algebra": "linear_algebra",
    "linear_call": "linear_call",
    "memory": "elementwise memory",
    "metadata": "call elementwise",
    "partitioned": "call",
    "random": "elementwise random",
    "reduce": "reduce",
    "shape": "shape",
    "shard_map": "shard_map",
    "sharding": "sharding",
    "sort": "sort",
    "window": "window",
}
"""The modules with the rules for each family of primitives, with blanks between; `RuleTable` imports them."""
