"""Functions whose user says how they run on the parts of arrays that several devices have."""

from __future__ import annotations

from treadle_ir.errors import boundaries
from treadle_runtime import (
    BATCHING,
    ArrayMapping,
    CompoundFactor,
    SdyShardingRule,
    custom_partitioning,
)

__all__ = ["BATCHING", "ArrayMapping", "CompoundFactor", "SdyShardingRule", "custom_partitioning"]

boundaries(__name__)
