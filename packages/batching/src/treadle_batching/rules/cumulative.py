"""The batch rule of cumulative operations: the batch is one more axis that is left alone."""

from __future__ import annotations

from dataclasses import replace

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.registry import batch_rule
from treadle_batching.rules.shape import only_dim, shift_axis_past_batch_dim
from treadle_ir import Operands, bind
from treadle_ir.primitives.cumulative import Cumulative


@batch_rule(Cumulative)
def cumulative_batch(primitive: Cumulative, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """Accumulate along the axis, shifted past the batch."""
    dim = only_dim(dims)
    return bind(
        replace(primitive, axis=shift_axis_past_batch_dim(primitive.axis, dim)), *operands
    ), [dim]
