"""Batch rules of random bits: more keys. (threefry2x32 is elementwise.)"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_batching.axis import Axis, Dim
from treadle_batching.moving import at_front, move
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind, ops, type_of
from treadle_ir.primitives.random import (
    RandomBits,
    RandomFoldIn,
    RandomSplit,
    RandomUnwrap,
    RandomWrap,
    keys_shape,
)


@batch_rule(RandomWrap)
def random_wrap_batch(
    primitive: RandomWrap, axis: Axis, operands: Operands, dims: Sequence[Dim]
) -> tuple[Operands, Sequence[Dim]]:
    """More words; the words of a key stay last."""
    (words,), (dim,) = operands, dims
    assert dim is not None
    if dim == type_of(words).ndim - 1:
        words, dim = move(words, dim, 0), 0
    return bind(primitive, words), [dim]


@batch_rule(RandomUnwrap)
def random_unwrap_batch(
    primitive: RandomUnwrap, axis: Axis, operands: Operands, dims: Sequence[Dim]
) -> tuple[Operands, Sequence[Dim]]:
    """The words of more keys."""
    return bind(primitive, *operands), dims


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
    shape = keys_shape(primitive.name, type_of(keys))
    if data_dim is not None:
        data = move(data, data_dim, 0)
        if type_of(data).ndim < len(shape):  # one number for all keys of an element of the batch
            data = ops.broadcast_in_dim(data, shape=shape, dimensions=(0,))
    elif type_of(data).ndim:
        data = at_front(data, None, axis)
    return bind(primitive, keys, data), [0]
