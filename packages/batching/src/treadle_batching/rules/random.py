"""Batch rules of random bits: more keys. (threefry2x32 is elementwise.)"""

from __future__ import annotations

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import at_front, move
from treadle_batching.registry import batch_rule
from treadle_ir import Operands, bind, ops, type_of
from treadle_ir.core.dtypes import is_key, key_shape
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
    primitive: RandomWrap, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """More words; the words of a key stay last."""
    words, dim = operands[0], dims[0]
    assert dim is not None
    if dim >= type_of(words).ndim - len(key_shape(primitive.dtype)):  # among the words of a key
        words, dim = move(words, dim, 0), 0
    return bind(primitive, words), [dim]


@batch_rule(RandomUnwrap)
def random_unwrap_batch(
    primitive: RandomUnwrap, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """The words of more keys."""
    return bind(primitive, *operands), dims


def of_keys_batch(
    primitive: RandomBits | RandomSplit, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """Bits for more keys, or new keys from them; their order counts where they draw together."""
    keys, dim = operands[0], dims[0]
    assert dim is not None
    type = type_of(keys)
    if not is_key(type.dtype) and dim == type.ndim - 1:  # among the words of raw keys
        keys, dim = move(keys, dim, 0), 0
    return bind(primitive, keys), [dim]


batch_rule(RandomBits)(of_keys_batch)
batch_rule(RandomSplit)(of_keys_batch)


@batch_rule(RandomFoldIn)
def random_fold_in_batch(
    primitive: RandomFoldIn, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """New keys from more keys; data stays as small as it is, as keys may draw by it together."""
    keys = at_front(operands[0], dims[0], axis)
    data, data_dim = operands[1], dims[1]
    shape = keys_shape(primitive.name, type_of(keys))
    if data_dim is not None:
        data = move(data, data_dim, 0)
        if type_of(data).ndim < len(shape):  # one number for all keys of an element of the batch
            data = ops.reshape(data, shape=(axis.size, *[1] * (len(shape) - 1)))
    elif type_of(data).ndim:
        data = ops.reshape(data, shape=(1, *type_of(data).shape))
    return bind(primitive, keys, data), [0]
