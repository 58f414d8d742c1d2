"""Batch rule of sharding constraints: they apply to each batch element, and the mapped axis keeps its sharding."""

from __future__ import annotations

from dataclasses import replace

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.registry import batch_rule
from treadle_batching.rules.shape import only_dim
from treadle_ir import Operands, bind
from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint


@batch_rule(ShardingConstraint)
def sharding_constraint_batch(
    primitive: ShardingConstraint, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """Add an axis, which is unspecified where no explicit axes are in force."""
    dim = only_dim(dims)
    layout = (*primitive.layout[:dim], axis.over, *primitive.layout[dim:])
    return bind(replace(primitive, layout=layout), *operands), [dim]


@batch_rule(InspectSharding)
def inspect_sharding_batch(
    primitive: InspectSharding, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The batch is looked at, once."""
    return bind(primitive, *operands), []
