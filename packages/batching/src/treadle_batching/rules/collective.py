"""Collectives meet the axis they name here: what was a batch element becomes a whole axis, and is reduced."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle_batching.axis import Axis, Dim
from treadle_batching.moving import insert, move
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind, ops, type_of
from treadle_ir.primitives.collective import AllGather, AllReduce, AxisIndex


@batch_rule(AllReduce)
def all_reduce_batch(
    primitive: AllReduce, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """Reduce the axis when it is named; what remains of the names is left to outer axes."""
    (x,), (dim,) = operands, dims
    others = tuple(name for name in primitive.axis_names if name != axis.name)
    if len(others) == len(primitive.axis_names):
        return bind(primitive, x), [dim]
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
        return bind(AllReduce(primitive.reduction, others), x), [None]
    return [x], [None]


@batch_rule(AllGather)
def all_gather_batch(
    primitive: AllGather, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """All batch elements are at hand: move the batch to where the gathered axis goes."""
    (x,), (dim,) = operands, dims
    if axis.name not in primitive.axis_names:
        assert dim is not None
        front = move(x, dim, 0)
        inner = AllGather(primitive.axis_names, primitive.size, primitive.axis + 1, primitive.tiled)
        return bind(inner, front), [0]
    rows = insert(x, primitive.axis, axis.size) if dim is None else move(x, dim, primitive.axis)
    if primitive.tiled:
        shape = list(type_of(rows).shape)
        joined = shape.pop(primitive.axis)
        shape[primitive.axis] *= joined
        rows = ops.reshape(rows, shape=tuple(shape))
    return [rows], [None]


@batch_rule(AxisIndex)
def axis_index_batch(
    primitive: AxisIndex, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """The numbers of all batch elements."""
    return [ops.iota(shape=(axis.size,), dtype=np.dtype(np.int32), dimension=0)], [0]
