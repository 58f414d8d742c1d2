"""Batch rules of random bits: more keys. (threefry2x32 is elementwise.)"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_batching.axis import Axis, Dim
from treadle_batching.moving import at_front, move
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind, ops, type_of
from treadle_ir.primitives.random import RandomBits, RandomFoldIn, RandomSplit


@batch_rule(RandomBits)
def random_bits_batch(
    primitive: RandomBits, axis: Axis, operands: Operands, dims: Sequence[Dim]
) -> tuple[Operands, Sequence[Dim]]:
    """Bits for more keys."""
    assert dims[0] is not None
    return bind(primitive, move(operands[0], dims[0], 0)), [0]


@batch_rule(RandomSplit)
def random_split_batch(
    primitive: RandomSplit, axis: Axis, operands: Operands, dims: Sequence[Dim]
) -> tuple[Operands, Sequence[Dim]]:
    """New keys from more keys."""
    assert dims[0] is not None
    return bind(primitive, move(operands[0], dims[0], 0)), [0]


@batch_rule(RandomFoldIn)
def random_fold_in_batch(
    primitive: RandomFoldIn, axis: Axis, operands: Operands, dims: Sequence[Dim]
) -> tuple[Operands, Sequence[Dim]]:
    """New keys from more keys; data that one operand has for all keys stays one number."""
    keys = at_front(operands[0], dims[0], axis)
    data, data_dim = operands[1], dims[1]
    shape = type_of(keys).shape[:-1]
    if data_dim is not None:
        data = move(data, data_dim, 0)
        if type_of(data).ndim < len(shape):  # one number for all keys of an element of the batch
            data = ops.broadcast_in_dim(data, shape=shape, dimensions=(0,))
    elif type_of(data).ndim:
        data = at_front(data, None, axis)
    return bind(primitive, keys, data), [0]
