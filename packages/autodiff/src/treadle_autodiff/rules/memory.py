"""Derivatives of memories: a tangent is where its array is; a cotangent stays where it was computed."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.registry import linear, transpose_rule
from treadle_autodiff.tangents import Linear, Tangent
from treadle_ir import Operand
from treadle_ir.primitives.memory import ToMemory

linear(ToMemory)


@transpose_rule(ToMemory)
def to_memory_transpose(
    primitive: ToMemory, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """The cotangent itself: nobody has said of it where it is to be."""
    return [cotangents[0]]
