"""Batching of creation: nothing goes in, so nothing is batched."""

from __future__ import annotations

from treadle_batching.registry import batch_rules
from treadle_ir.primitives.creation import Iota

batch_rules.absent(Iota, because="it has no operands")
