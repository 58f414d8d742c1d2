"""Random bits have no derivative: they are integers, made from keys or integers, and neither have tangents."""

from __future__ import annotations

from treadle_autodiff.registry import Flat, locally_constant, transpose_rules
from treadle_ir.primitives.random import (
    RandomBits,
    RandomFoldIn,
    RandomSplit,
    RandomUnwrap,
    RandomWrap,
    Threefry2x32,
)

for _primitive in (
    RandomBits,
    RandomFoldIn,
    RandomSplit,
    RandomUnwrap,
    RandomWrap,
    Threefry2x32,
):
    locally_constant(_primitive, Flat.INTEGER)
    transpose_rules.absent(
        _primitive, because="its operands are keys or integers, so no cotangent flows through it"
    )
