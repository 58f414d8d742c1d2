"""Move, insert and broadcast a batch dimension."""

from __future__ import annotations

from treadle_batching.axis import Axis, Dim
from treadle_ir import Operand, ops, type_of


def move(operand: Operand, source: int, destination: int) -> Operand:
    """Return the operand with its axis `source` at `destination`."""
    if source == destination:
        return operand
    order = [i for i in range(type_of(operand).ndim) if i != source]
    order.insert(destination, source)
    return ops.transpose(operand, permutation=tuple(order))


def insert(operand: Operand, dim: int, size: int) -> Operand:
    """Return the operand repeated along a new axis `dim` of this size."""
    shape = list(type_of(operand).shape)
    shape.insert(dim, size)
    dimensions = tuple(i for i in range(len(shape)) if i != dim)
    return ops.broadcast_in_dim(operand, shape=tuple(shape), dimensions=dimensions)


def at_front(operand: Operand, dim: Dim, axis: Axis) -> Operand:
    """Return the operand with its batch at axis 0; an unbatched operand is repeated there."""
    return with_dim(operand, dim, 0, axis)


def with_dim(operand: Operand, dim: Dim, destination: int, axis: Axis) -> Operand:
    """Return the operand with its batch at `destination`; an unbatched operand is repeated there."""
    if dim is None:
        return insert(operand, destination, axis.size)
    return move(operand, dim, destination)
