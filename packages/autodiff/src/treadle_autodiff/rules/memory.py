"""Derivatives of memories: a tangent is where its array is; a cotangent stays where it was computed.

The order in memory is the array's for both.
"""

from __future__ import annotations

from treadle_autodiff.registry import linear, unary_transpose_rule
from treadle_ir import ArrayType, Operand, bind
from treadle_ir.primitives.memory import LayoutConstraint, ToMemory

linear(ToMemory)
linear(LayoutConstraint)


@unary_transpose_rule(ToMemory)
def to_memory_transpose(primitive: ToMemory, ct: Operand, type: ArrayType, /) -> Operand:
    """Return the cotangent itself: no memory is specified for it."""
    return ct


@unary_transpose_rule(LayoutConstraint)
def layout_constraint_transpose(
    primitive: LayoutConstraint, ct: Operand, type: ArrayType, /
) -> Operand:
    """The cotangent, in the same order."""
    return bind(primitive, ct)[0]
