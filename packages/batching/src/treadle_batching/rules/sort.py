"""Batch rules of sorting."""

from __future__ import annotations

from dataclasses import replace

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import move, with_dim
from treadle_batching.registry import batch_rule
from treadle_batching.rules.shape import only_dim, shift_axis_past_batch_dim
from treadle_ir import Operands, bind, type_of
from treadle_ir.primitives.sort import Sort, TopK


@batch_rule(Sort)
def sort_batch(primitive: Sort, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """All batches go where the first one is; each is sorted on its own."""
    dim = next(dim for dim in dims if dim is not None)
    moved = [with_dim(x, d, dim, axis) for x, d in zip(operands, dims, strict=True)]
    sorting = replace(primitive, dimension=shift_axis_past_batch_dim(primitive.dimension, dim))
    return bind(sorting, *moved), [dim] * len(moved)


@batch_rule(TopK)
def top_k_batch(primitive: TopK, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """The batch goes to the front if it is in the place of the last axis."""
    (x,), dim = operands, only_dim(dims)
    if dim == type_of(x).ndim - 1:
        x, dim = move(x, dim, 0), 0
    return bind(primitive, x), [dim, dim]
