"""Lowering of random bits: the cipher's rounds written out in plain operations, which XLA fuses into one loop.

A rolled loop or rng_bit_generator is several times slower on CPU. Operations that are alike share one function, so that
the text of a program that draws often stays short. Counters are 32 bits wide where that is enough.
Wide keys have the device's generator: `rng_bit_generator`.
"""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.elements import as_elements, as_numbers
from treadle_compiler.generator import (
    folded_by_generator,
    generated,
    keys_by_generator,
    of_words,
    to_words,
)
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import device_shape, is_in_parts
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.core.dtypes import UNSAFE_RBG, is_key, is_wide_key
from treadle_ir.primitives.random import (
    PARITY,
    ROTATIONS,
    ROUNDS,
    RandomBits,
    RandomFoldIn,
    RandomSplit,
    RandomUnwrap,
    RandomWrap,
    Threefry2x32,
    keys_shape,
)

_U32: Final = np.dtype(np.uint32)
_U64: Final = np.dtype(np.uint64)


def _encrypt(
    context: LoweringContext, key0: HloValue, key1: HloValue, x0: HloValue, x1: HloValue
) -> tuple[HloValue, HloValue]:
    """The cipher on values of one shape."""

    def op(name: str, x: HloValue, y: HloValue) -> HloValue:
        return emit.binary(context, name, x, y)

    def constant(value: int) -> HloValue:
        return emit.like(context, x0, value)

    keys = (key0, key1, op("xor", op("xor", key0, key1), constant(PARITY)))
    x0, x1 = op("add", x0, key0), op("add", x1, key1)
    for number in range(ROUNDS // 4):
        for step in range(4):
            bits = ROTATIONS[4 * (number % 2) + step]
            x0 = op("add", x0, x1)
            left = op("shift_left", x1, constant(bits))
            right = op("shift_right_logical", x1, constant(32 - bits))
            x1 = op("xor", op("or", left, right), x0)
        x0 = op("add", x0, keys[(number + 1) % 3])
        x1 = op("add", op("add", x1, keys[(number + 2) % 3]), constant(number + 1))
    return x0, x1


@lowering_rule(Threefry2x32)
def threefry2x32_lowering(
    context: LoweringContext, primitive: Threefry2x32, *operands: HloValue
) -> HloValues:
    """The cipher, with scalars broadcast."""
    type = context.result_types[0]
    assert isinstance(type, ArrayType)
    key0, key1, x0, x1 = [context.broadcast_scalar(x, type) for x in operands]
    return _encrypt(context, key0, key1, x0, x1)


def _words(context: LoweringContext, keys: HloValue, shape: tuple[int, ...]) -> list[HloValue]:
    """The two words of each key, broadcast over the axes behind them.

    The words of a typed key are its halves, the lower one first: elementwise operations, which XLA fuses with the
    cipher.
    """
    batch = keys_shape("random", emit.array_type(keys))
    last = len(batch)
    if is_key(keys.dtype):
        whole = emit.bitcast(context, keys, _U64)
        high = emit.binary(context, "shift_right_logical", whole, emit.like(context, whole, 32))
        words = [emit.convert(context, whole, _U32), emit.convert(context, high, _U32)]
    else:
        words = [
            emit.reshape(context, emit.slice(context, keys, last, at, at + 1), batch)
            for at in (0, 1)
        ]
    return [
        word if shape == batch else emit.broadcast(context, word, shape, range(last))
        for word in words
    ]


def _counted(context: LoweringContext, keys: HloValue, size: int) -> tuple[HloValue, HloValue]:
    """The cipher of the counters 0 to size - 1 for each key, along one new axis."""
    batch = keys_shape("random", emit.array_type(keys))
    shape = (*batch, size)
    key0, key1 = _words(context, keys, shape)
    if size <= 1 << 32:
        low = emit.iota(context, shape, _U32, len(batch))
        return _encrypt(context, key0, key1, emit.like(context, low, 0), low)
    counter = emit.iota(context, shape, _U64, len(batch))
    high = emit.binary(context, "shift_right_logical", counter, emit.like(context, counter, 32))
    return _encrypt(
        context, key0, key1, emit.convert(context, high, _U32), emit.convert(context, counter, _U32)
    )


@lowering_rule(RandomBits)
def random_bits_lowering(
    context: LoweringContext, primitive: RandomBits, keys: HloValue
) -> HloValues:
    """Both words of each counter, joined as the width has it."""
    type = emit.result_type(context)
    if is_wide_key(keys.dtype):
        return [generated(context, keys, type.shape, type.dtype)]
    return context.shared(_bits, primitive, keys)


def _bits(context: LoweringContext, primitive: RandomBits, keys: HloValue) -> HloValues:
    type = emit.result_type(context)
    y0, y1 = _counted(context, keys, reduce(mul, primitive.shape, 1))
    if primitive.bit_width == 64:
        high, low = emit.convert(context, y0, _U64), emit.convert(context, y1, _U64)
        high = emit.binary(context, "shift_left", high, emit.like(context, high, 32))
        bits = emit.binary(context, "or", high, low)
    else:
        bits = emit.convert(context, emit.binary(context, "xor", y0, y1), type.dtype)
    return [emit.reshape(context, bits, type.shape)]


def _keys(context: LoweringContext, y0: HloValue, y1: HloValue, type: ArrayType) -> HloValue:
    """Keys of their words, typed or raw; on the CPU behind a barrier, so that no loop has more than one cipher.

    LLVM of jaxlib 0.11 and 0.12 takes exponential time to make vector code of some loops with several in a chain.
    """
    if is_key(type.dtype):
        low, high = emit.convert(context, y0, _U64), emit.convert(context, y1, _U64)
        high = emit.binary(context, "shift_left", high, emit.like(context, high, 32))
        keys = emit.bitcast(context, emit.binary(context, "or", low, high), type.dtype)
    else:
        parts = [emit.reshape(context, y, (*y.shape, 1)) for y in (y0, y1)]
        attributes = {"dimension": f"{len(y0.shape)} : i64"}
        joined = ArrayType((*y0.shape, 2), _U32)
        keys = context.one("stablehlo.concatenate", parts, joined, attributes)
    return emit.barrier(context, [keys])[0] if context.platform == "cpu" else keys


@lowering_rule(RandomSplit)
def random_split_lowering(
    context: LoweringContext, primitive: RandomSplit, keys: HloValue
) -> HloValues:
    """Both words of each counter, side by side."""
    type = emit.result_type(context)
    if keys.dtype == UNSAFE_RBG:
        return [keys_by_generator(context, keys, primitive.shape, type)]
    return context.shared(_split, primitive, keys)


def _split(context: LoweringContext, primitive: RandomSplit, keys: HloValue) -> HloValues:
    type = emit.result_type(context)
    y0, y1 = _counted(context, keys, reduce(mul, primitive.shape, 1))
    return [emit.reshape(context, _keys(context, y0, y1, type), type.shape)]


@lowering_rule(RandomFoldIn)
def random_fold_in_lowering(
    context: LoweringContext, primitive: RandomFoldIn, keys: HloValue, data: HloValue
) -> HloValues:
    """One block per key."""
    type = emit.result_type(context)
    if keys.dtype == UNSAFE_RBG:
        return [folded_by_generator(context, keys, data, type)]
    return context.shared(_fold_in, primitive, keys, data)


def _fold_in(
    context: LoweringContext, primitive: RandomFoldIn, keys: HloValue, data: HloValue
) -> HloValues:
    type = emit.result_type(context)
    key0, key1 = _words(context, keys, keys_shape("random", type))
    if not data.shape:
        data = context.broadcast_scalar(data, ArrayType(key0.shape, _U32))
    elif data.shape != key0.shape:  # axes of size 1
        kept = [i for i, n in enumerate(data.shape) if n == key0.shape[i]]
        data = emit.reshape(context, data, [key0.shape[i] for i in kept])
        data = emit.broadcast(context, data, key0.shape, kept)
    y0, y1 = _encrypt(context, key0, key1, emit.like(context, data, 0), data)
    return [_keys(context, y0, y1, type)]


@lowering_rule(RandomWrap)
def random_wrap_lowering(
    context: LoweringContext, primitive: RandomWrap, words: HloValue
) -> HloValues:
    """The same bits: the first word is the lower half of a key, as NumPy has it in memory."""
    type = emit.result_type(context)
    if is_wide_key(type.dtype):
        return [of_words(context, words, type)]
    if is_in_parts(type):
        return [as_elements(emit.reshape(context, words, device_shape(type)), type)]
    return context.emit("stablehlo.bitcast_convert", [words], context.result_types)


@lowering_rule(RandomUnwrap)
def random_unwrap_lowering(
    context: LoweringContext, primitive: RandomUnwrap, keys: HloValue
) -> HloValues:
    """The same bits, the lower half first."""
    if is_wide_key(keys.dtype):
        return [to_words(context, keys)]
    if is_in_parts(keys.type):
        return [emit.reshape(context, as_numbers(keys), emit.result_type(context).shape)]
    return context.emit("stablehlo.bitcast_convert", [keys], context.result_types)
