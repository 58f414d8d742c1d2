"""Batch rule of orders in memory: each batch element is in that order, one after the other."""

from __future__ import annotations

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.registry import batch_rule
from treadle_batching.rules.shape import only_dim
from treadle_ir import Operands, bind
from treadle_ir.primitives.memory import LayoutConstraint


@batch_rule(LayoutConstraint)
def layout_constraint_batch(
    primitive: LayoutConstraint, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The batch is the axis whose neighbours lie farthest apart."""
    dim = only_dim(dims)
    order = (dim, *[each + (each >= dim) for each in primitive.major_to_minor])
    return bind(LayoutConstraint(order), *operands), [dim]
