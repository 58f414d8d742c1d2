"""Batch rules of contractions: a mapped axis becomes a free axis, a batching axis or a group; nothing is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treadle_batching.axis import Axis, Dim, Dims, WithDims
from treadle_batching.moving import move
from treadle_batching.registry import batch_rule
from treadle_ir import ArrayType, Operand, Operands, bind, ops, type_of
from treadle_ir.primitives.contract import Convolution, DotGeneral, free_axes


def past(axes: Sequence[int], dim: Dim) -> tuple[int, ...]:
    """Axes of an operand, counted with the batch in it."""
    if dim is None:
        return tuple(axes)
    return tuple([axis + (axis >= dim) for axis in axes])


@batch_rule(DotGeneral)
def dot_general_batch(
    primitive: DotGeneral, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """A batching axis if both operands have the batch, else a free axis; no operand is moved or repeated."""
    x_dim, y_dim = dims
    batch_x, batch_y = past(primitive.batching[0], x_dim), past(primitive.batching[1], y_dim)
    sum_x, sum_y = past(primitive.contracting[0], x_dim), past(primitive.contracting[1], y_dim)
    if x_dim is not None and y_dim is not None:
        batch_x, batch_y, result = (x_dim, *batch_x), (y_dim, *batch_y), 0
    elif x_dim is not None:
        result = len(batch_x) + free_axes(type_of(operands[0]).ndim, batch_x, sum_x).index(x_dim)
    else:
        assert y_dim is not None
        before = len(free_axes(type_of(operands[0]).ndim, batch_x, sum_x))
        result = (
            len(batch_x)
            + before
            + free_axes(type_of(operands[1]).ndim, batch_y, sum_y).index(y_dim)
        )
    batched = replace(primitive, batching=(batch_x, batch_y), contracting=(sum_x, sum_y))
    return bind(batched, *operands), [result]


def _fold(x: Operand, dim: int, into: int, groups: int = 1) -> Operand:
    """The batch made part of another axis (counted without it): outermost, but inside of `groups` parts."""
    x = move(x, dim, into)
    size, n = type_of(x).shape[into : into + 2]
    head, tail = type_of(x).shape[:into], type_of(x).shape[into + 2 :]
    if groups > 1:
        x = ops.reshape(x, shape=(*head, size, groups, n // groups, *tail))
        order = list(range(len(head) + 3 + len(tail)))
        order[into], order[into + 1] = into + 1, into
        x = ops.transpose(x, permutation=order)
    return ops.reshape(x, shape=(*head, size * n, *tail))


def _unfold(x: Operand, axis: int, size: int, groups: int = 1) -> Operand:
    """The inverse of `_fold`; the batch comes to stand at `axis`."""
    shape = type_of(x).shape
    n = shape[axis] // size
    if groups > 1:
        x = ops.reshape(x, shape=(*shape[:axis], groups, size, n // groups, *shape[axis + 1 :]))
        order = list(range(len(shape) + 2))
        order[axis], order[axis + 1] = axis + 1, axis
        x = ops.transpose(x, permutation=order)
    return ops.reshape(x, shape=(*shape[:axis], size, n, *shape[axis + 1 :]))


def _element(x: Operand, dim: Dim) -> ArrayType:
    """The type of one batch element."""
    type = type_of(x)
    shape = tuple([n for axis, n in enumerate(type.shape) if axis != dim])
    return ArrayType(shape, type.dtype)


@batch_rule(Convolution)
def convolution_batch(
    primitive: Convolution, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """Part of the operand's batch, part of the kernel's output features, or, if both have it, one group per element."""
    x, kernel = operands
    x_dim, kernel_dim = dims
    if axis.size == 0:  # no number of groups, and nothing to compute
        elements = [_element(operand, dim) for operand, dim in zip(operands, dims, strict=True)]
        (type,) = primitive.infer(*elements)
        assert isinstance(type, ArrayType)
        return [np.zeros((0, *type.shape), type.dtype)], [0]
    groups, batches = primitive.feature_group_count, primitive.batch_group_count
    out_batch, out_feature = primitive.out_spec[:2]
    if kernel_dim is None:
        assert x_dim is not None
        x = _fold(x, x_dim, primitive.lhs_spec[0], batches)
        result = bind(primitive, x, kernel)[0]
        return [_unfold(result, out_batch, axis.size)], [out_batch]
    if x_dim is None:
        kernel = _fold(kernel, kernel_dim, primitive.rhs_spec[0], groups * batches)
        result = bind(primitive, x, kernel)[0]
        return [_unfold(result, out_feature, axis.size, groups * batches)], [out_feature]
    kernel = _fold(kernel, kernel_dim, primitive.rhs_spec[0])
    if batches > 1:
        x = _fold(x, x_dim, primitive.lhs_spec[0])
        primitive = replace(primitive, batch_group_count=batches * axis.size)
    else:
        x = _fold(x, x_dim, primitive.lhs_spec[1])
        primitive = replace(primitive, feature_group_count=groups * axis.size)
    result = bind(primitive, x, kernel)[0]
    return [_unfold(result, out_feature, axis.size)], [out_feature]
