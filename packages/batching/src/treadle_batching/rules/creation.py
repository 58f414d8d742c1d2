"""Batching of creation: nothing goes in, so nothing is batched."""

from __future__ import annotations

from treadle_batching.registry import batch_rules
from treadle_ir.primitives.composite import PlatformIndex
from treadle_ir.primitives.creation import DimensionSize, Iota

batch_rules.absent(DimensionSize, because="it has no operands")
batch_rules.absent(Iota, because="it has no operands")
batch_rules.absent(PlatformIndex, because="it has no operands")
