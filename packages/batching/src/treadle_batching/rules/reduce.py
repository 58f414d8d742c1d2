"""Batch rules of reductions: the batch is one more axis that stays."""

from __future__ import annotations

from dataclasses import replace

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.registry import batch_rule
from treadle_batching.rules.shape import only_dim, shift_axis_past_batch_dim
from treadle_ir import Operands, bind
from treadle_ir.primitives.reduce import ArgReduction, Reduction


@batch_rule(Reduction)
def reduction_batch(primitive: Reduction, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """Reduce the axes, shifted past the batch."""
    dim = only_dim(dims)
    axes = tuple([shift_axis_past_batch_dim(i, dim) for i in primitive.axes])
    result_dim = dim - sum(i < dim for i in axes)
    return bind(replace(primitive, axes=axes), *operands), [result_dim]


@batch_rule(ArgReduction)
def arg_reduction_batch(
    primitive: ArgReduction, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """Search along the axis, shifted past the batch."""
    dim = only_dim(dims)
    searched = shift_axis_past_batch_dim(primitive.axis, dim)
    return bind(replace(primitive, axis=searched), *operands), [dim - (searched < dim)]
