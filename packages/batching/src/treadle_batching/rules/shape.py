"""Batch rules of the shape family: one more axis that is left alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import at_front, move, with_dim
from treadle_batching.registry import batch_rule
from treadle_ir import Operand, Operands, ops, type_of
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)


def shift_axis_past_batch_dim(axis: int, dim: int) -> int:
    """Return the axis of the batched operand for an axis of the unbatched one, with the batch at `dim`."""
    return axis + (dim <= axis)


def only_dim(dims: Dims) -> int:
    """The batch dimension of a single operand, which must be batched."""
    (dim,) = dims
    assert dim is not None
    return dim


def with_entry(values: Sequence[int], dim: int, value: int) -> tuple[int, ...]:
    """Per-axis values with one more for the batch."""
    return (*values[:dim], value, *values[dim:])


@batch_rule(BroadcastInDim)
def broadcast_in_dim_batch(
    primitive: BroadcastInDim, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """The batch goes to the front, where it keeps the dimensions increasing."""
    x = move(operands[0], only_dim(dims), 0)
    dimensions = (0, *[dimension + 1 for dimension in primitive.dimensions])
    shape = (axis.size, *primitive.shape)
    return [ops.broadcast_in_dim(x, shape=shape, dimensions=dimensions)], [0]


@batch_rule(Reshape)
def reshape_batch(primitive: Reshape, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """The batch goes to the front, where it does not come between elements that are neighbours."""
    x = move(operands[0], only_dim(dims), 0)
    return [ops.reshape(x, shape=(axis.size, *primitive.shape))], [0]


@batch_rule(Transpose)
def transpose_batch(primitive: Transpose, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """One transpose does both: the batch comes out at the front."""
    dim = only_dim(dims)
    permutation = (dim, *[shift_axis_past_batch_dim(i, dim) for i in primitive.permutation])
    return [ops.transpose(operands[0], permutation=permutation)], [0]


@batch_rule(Reverse)
def reverse_batch(primitive: Reverse, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """Keep the axes, shifted past the batch."""
    dim = only_dim(dims)
    dimensions = [shift_axis_past_batch_dim(i, dim) for i in primitive.dimensions]
    return [ops.reverse(operands[0], dimensions=dimensions)], [dim]


@batch_rule(Concatenate)
def concatenate_batch(
    primitive: Concatenate, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """All batches go where the first one is."""
    dim = next(dim for dim in dims if dim is not None)
    moved = [with_dim(x, d, dim, axis) for x, d in zip(operands, dims, strict=True)]
    return [
        ops.concatenate(moved, dimension=shift_axis_past_batch_dim(primitive.dimension, dim))
    ], [dim]


@batch_rule(Pad)
def pad_batch(primitive: Pad, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """Pad without padding along the batch; batched padding values are selected by a padded mask."""
    (x, value), (x_dim, value_dim) = operands, dims
    if value_dim is None:
        assert x_dim is not None
        return [_padded(primitive, x, value, x_dim)], [x_dim]
    x = at_front(x, x_dim, axis)
    type = type_of(x)
    padded = _padded(primitive, x, np.zeros((), type.dtype), 0)
    outside = ops.pad(
        ops.broadcast_in_dim(np.bool_(False), shape=type.shape[1:], dimensions=()),
        np.bool_(True),
        low=primitive.low,
        high=primitive.high,
        interior=primitive.interior,
    )
    shape = type_of(padded).shape
    mask = ops.broadcast_in_dim(outside, shape=shape, dimensions=range(1, len(shape)))
    values = ops.broadcast_in_dim(value, shape=shape, dimensions=(0,))
    return [ops.select(mask, values, padded)], [0]


def _padded(primitive: Pad, x: Operand, value: Operand, dim: int) -> Operand:
    return ops.pad(
        x,
        value,
        low=with_entry(primitive.low, dim, 0),
        high=with_entry(primitive.high, dim, 0),
        interior=with_entry(primitive.interior, dim, 0),
    )


@batch_rule(Slice)
def slice_batch(primitive: Slice, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """All of the batch."""
    dim = only_dim(dims)
    result = ops.slice(
        operands[0],
        start=with_entry(primitive.start, dim, 0),
        limit=with_entry(primitive.limit, dim, axis.size),
        strides=with_entry(primitive.strides, dim, 1),
    )
    return [result], [dim]
