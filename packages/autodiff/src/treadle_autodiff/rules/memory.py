"""Derivatives of memories: a tangent is where its array is; a cotangent stays where it was computed.

The order in memory is the array's for both.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.registry import linear, transpose_rule
from treadle_autodiff.tangents import Linear, Tangent, Zero
from treadle_ir import Operand, bind
from treadle_ir.primitives.memory import LayoutConstraint, ToMemory

linear(ToMemory)
linear(LayoutConstraint)


@transpose_rule(ToMemory)
def to_memory_transpose(
    primitive: ToMemory, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """Return the cotangent itself: no memory is specified for it."""
    return [cotangents[0]]


@transpose_rule(LayoutConstraint)
def layout_constraint_transpose(
    primitive: LayoutConstraint,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
    /,
) -> Sequence[Tangent | None]:
    """The cotangent, in the same order."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    return [*bind(primitive, ct)]
