"""Collectives meet the axis they name here: what was a batch element becomes a whole axis, and is reduced."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treadle_batching.axis import Axis, Dim, Dims, WithDims
from treadle_batching.moving import insert, move
from treadle_batching.registry import batch_rule
from treadle_batching.rules.groups import among_groups, rows_taken
from treadle_batching.rules.several_axes import one_by_one
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.calling import new_array
from treadle_ir.primitives.collective import (
    AllGather,
    AllReduce,
    AllToAll,
    AxisIndex,
    Permute,
    PVary,
    ReduceScatter,
)


@batch_rule(AllReduce)
def all_reduce_batch(
    primitive: AllReduce, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """Reduce the axis when it is named; what remains of the names is left to outer axes."""
    (x,), (dim,) = operands, dims
    others = tuple(name for name in primitive.axis_names if name != axis.name)
    if len(others) == len(primitive.axis_names):
        return bind(primitive, x), [dim]
    if primitive.groups is not None:
        return among_groups(primitive, primitive.groups, axis, x, dim)
    if dim is not None:
        reduce = {
            "add": ops.reduce_add,
            "maximum": ops.reduce_maximum,
            "minimum": ops.reduce_minimum,
        }
        x = reduce[primitive.reduction](x, axes=(dim,))
    elif primitive.reduction == "add":
        x = ops.multiply(x, type_of(x).dtype.type(axis.size))
    if others:
        return bind(replace(primitive, axis_names=others), x), [None]
    return [x], [None]


def _over_parts(
    primitive: AllGather | ReduceScatter | AllToAll, axis: Axis, x: Operand, dim: Dim
) -> WithDims:
    """Return the collective among groups of batch elements, or over this axis and others."""
    if primitive.groups is not None:
        return among_groups(primitive, primitive.groups, axis, x, dim)
    return one_by_one(primitive, axis, x, dim)


@batch_rule(AllGather)
def all_gather_batch(
    primitive: AllGather, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """All batch elements are at hand: move the batch to where the gathered axis goes."""
    (x,), (dim,) = operands, dims
    if axis.name not in primitive.axis_names:
        assert dim is not None
        front = move(x, dim, 0)
        return bind(replace(primitive, axis=primitive.axis + 1), front), [0]
    if primitive.groups is not None or len(primitive.axis_names) > 1:
        return _over_parts(primitive, axis, x, dim)
    rows = insert(x, primitive.axis, axis.size) if dim is None else move(x, dim, primitive.axis)
    if primitive.tiled:
        shape = list(type_of(rows).shape)
        joined = shape.pop(primitive.axis)
        shape[primitive.axis] *= joined
        rows = ops.reshape(rows, shape=tuple(shape))
    return [rows], [None]


@batch_rule(AxisIndex)
def axis_index_batch(
    primitive: AxisIndex, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The numbers of all batch elements."""
    if axis.name not in primitive.axis_names:
        return bind(primitive), [None]
    return [ops.iota(shape=(axis.size,), dtype=np.dtype(np.int32), dimension=0)], [0]


@batch_rule(ReduceScatter)
def reduce_scatter_batch(
    primitive: ReduceScatter, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The sum over the batch; its parts are the batch elements."""
    (x,), (dim,) = operands, dims
    if axis.name not in primitive.axis_names:
        assert dim is not None
        return bind(replace(primitive, axis=primitive.axis + 1), move(x, dim, 0)), [0]
    if primitive.groups is not None or len(primitive.axis_names) > 1:
        return _over_parts(primitive, axis, x, dim)
    total = (
        ops.multiply(x, type_of(x).dtype.type(axis.size))
        if dim is None
        else ops.reduce_add(x, axes=(dim,))
    )
    at, shape = primitive.axis, type_of(total).shape
    parts = (*shape[:at], axis.size, shape[at] // axis.size, *shape[at + 1 :])
    return [ops.reshape(total, shape=parts)], [at]


@batch_rule(AllToAll)
def all_to_all_batch(
    primitive: AllToAll, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """The batch and the parts change places."""
    (x,), (dim,) = operands, dims
    split, concat, count = primitive.split, primitive.concat, axis.size
    if axis.name not in primitive.axis_names:
        assert dim is not None
        there = replace(primitive, split=split + 1, concat=concat + 1)
        return bind(there, move(x, dim, 0)), [0]
    if primitive.groups is not None or len(primitive.axis_names) > 1:
        return _over_parts(primitive, axis, x, dim)
    rows = insert(x, 0, count) if dim is None else move(x, dim, 0)
    shape = type_of(rows).shape
    at = split + 1
    cut = ops.reshape(rows, shape=(*shape[:at], count, shape[at] // count, *shape[at + 1 :]))
    # [sender, ..., receiver, ...] to [receiver, ..., sender before `concat`, ...]
    ahead = move(cut, at, 0)  # receiver, sender, ...
    placed = move(ahead, 1, concat + 1)
    wide = list(type_of(placed).shape)
    joined = wide.pop(concat + 1)
    wide[concat + 1] *= joined
    return [ops.reshape(placed, shape=tuple(wide))], [0]


@batch_rule(Permute)
def permute_batch(primitive: Permute, axis: Axis, operands: Operands, dims: Dims, /) -> WithDims:
    """The batch elements in another order, zeros between them."""
    (x,), (dim,) = operands, dims
    if axis.name not in primitive.axis_names:
        return bind(primitive, x), [dim]
    if len(primitive.axis_names) > 1:
        return one_by_one(primitive, axis, x, dim)
    rows = insert(x, 0, axis.size) if dim is None else move(x, dim, 0)
    type = type_of(rows)
    sources = {there: here for here, there in primitive.pairs}
    taken = rows_taken(rows, [sources.get(row, 0) for row in range(axis.size)])
    if len(sources) == axis.size:
        return [taken], [0]
    sent = np.array([row in sources for row in range(axis.size)])
    hit = ops.broadcast_in_dim(new_array(sent), shape=type.shape, dimensions=(0,))
    zeros = ops.broadcast_in_dim(type.dtype.type(0), shape=type.shape, dimensions=())
    return [ops.select(hit, taken, zeros)], [0]


@batch_rule(PVary)
def vary_batch(primitive: PVary, axis: Axis, operands: Operands, dims: Dims, /) -> WithDims:
    """Apply the operation to all batch elements alike."""
    return bind(primitive, *operands), dims
