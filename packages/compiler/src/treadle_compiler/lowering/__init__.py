"""The lowering rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MODULES: Final[Mapping[str, str]] = {
    "call": "call",
    "collective": "collective",
    "compare": "compare",
    "composite": "composite",
    "contract": "contract",
    "control": "control",
    "convert": "convert",
    "creation": "creation",
    "cumulative": "cumulative",
    "custom_vmap": "call custom_vmap",
    "effectful": "effectful",
    "elementwise": "elementwise elementwise_complex elementwise_cpu",
    "elementwise.special": "formulas",
    "foreign": "foreign",
    "fourier": "fourier",
    "implicit": "implicit",
    "indexing": "indexing",
    "linear_algebra": "linear_algebra",
    "linear_call": "linear_call",
    "memory": "memory",
    "metadata": "metadata",
    "partitioned": "partitioned",
    "random": "random",
    "reduce": "reduce",
    "shape": "columns shape",
    "shard_map": "shard_map",
    "sharding": "sharding",
    "sort": "sort",
    "window": "window",
    "treadle_compiler.legalise": "legalised",
}
"""The modules with the rules for each family of primitives, with blanks between; `RuleTable` imports them."""
