"""Random bits have no derivative: they are integers, and so are what they are made from."""

from __future__ import annotations

from treadle_autodiff.registry import locally_constant, transpose_rules
from treadle_ir.primitives.random import RandomBits, RandomFoldIn, RandomSplit, Threefry2x32

for _primitive in (RandomBits, RandomFoldIn, RandomSplit, Threefry2x32):
    locally_constant(_primitive)
    transpose_rules.absent(
        _primitive, because="its operands are integers, so no cotangent flows through it"
    )
