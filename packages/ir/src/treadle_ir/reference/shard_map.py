"""shard_map has no kernel."""

from __future__ import annotations

from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.reference.registry import eval_rules

eval_rules.absent(
    ShardMap,
    because="its parts depend on each other through collectives, which are evaluated where all of them run",
)
