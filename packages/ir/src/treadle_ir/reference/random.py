"""NumPy kernels of random bits: the cipher on arrays of 32-bit words in place, chunk by chunk."""

from __future__ import annotations

from functools import reduce
from operator import mul

import numpy as np

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
)
from treadle_ir.reference.keys import (
    halves_of_keys,
    keys_of_halves,
    keys_of_words,
    words_of_keys,
)
from treadle_ir.reference.registry import Elements, eval_rule
from treadle_ir.reference.wide_keys import bits_of_keys, folded_by_generator, keys_by_generator

_CHUNK = 4096  # words at a time: the working set of a chunk stays in the first-level cache
_MASK = 0xFFFFFFFF
_U32 = np.dtype(np.uint32)
_SHIFTS = [(np.uint32(r), np.uint32(32 - r)) for r in ROTATIONS]


def _encrypt(key0: Elements, key1: Elements, x0: Elements, x1: Elements) -> None:
    """Encrypt arrays of one shape (keys may be scalars) in place: the results overwrite x0 and x1."""
    keys = (key0, key1, key0 ^ key1 ^ np.uint32(PARITY))
    spare = np.empty_like(x1)
    x0 += keys[0]
    x1 += keys[1]
    for number in range(ROUNDS // 4):
        for left, right in _SHIFTS[4 * (number % 2) : 4 * (number % 2) + 4]:
            x0 += x1
            np.right_shift(x1, right, out=spare)
            x1 <<= left
            x1 |= spare
            x1 ^= x0
        x0 += keys[(number + 1) % 3]
        x1 += keys[(number + 2) % 3]
        x1 += np.uint32(number + 1)


@eval_rule(Threefry2x32)
def threefry2x32_eval(
    primitive: Threefry2x32, key0: Elements, key1: Elements, x0: Elements, x1: Elements
) -> list[Elements]:
    """Apply the cipher to copies of the counters."""
    shape = np.broadcast_shapes(key0.shape, key1.shape, x0.shape, x1.shape)
    y0, y1 = (np.broadcast_to(x, shape).copy() for x in (x0, x1))
    _encrypt(key0, key1, y0, y1)
    return [y0, y1]


def _counted(key0: int, key1: int, size: int, y0: Elements, y1: Elements) -> None:
    """Write the cipher of the counters 0 to size - 1, as 64-bit numbers, to y0 and y1 (flat)."""
    first, second = np.asarray(key0, np.uint32), np.asarray(key1, np.uint32)
    steps = np.arange(min(size, _CHUNK), dtype=np.uint64)
    for start in range(0, size, _CHUNK):
        stop = min(start + _CHUNK, size)
        counters = steps[: stop - start] + np.uint64(start)
        x0, x1 = y0[start:stop], y1[start:stop]
        x0[:] = counters >> np.uint64(32)
        x1[:] = counters & np.uint64(_MASK)
        _encrypt(first, second, x0, x1)


def _words(keys: Elements) -> tuple[Elements, bool]:
    """Return the words of keys, and whether the keys were typed: a comparison of identity, as it is asked each time."""
    if keys.dtype is _U32:
        return keys, False
    return (words_of_keys(keys), True) if is_key(keys.dtype) else (keys, False)


def _blocks(keys: Elements, size: int) -> tuple[Elements, Elements]:
    """Return the cipher of the counters 0 to size - 1 for each key: two arrays [number of keys, size]."""
    pairs = keys.reshape(-1, 2)
    y0, y1 = np.empty((len(pairs), size), np.uint32), np.empty((len(pairs), size), np.uint32)
    if len(pairs) > 1 and size < _CHUNK:  # all keys at once; the counters fit in the low word
        y0[...] = 0
        y1[...] = np.arange(size, dtype=np.uint32)
        _encrypt(pairs[:, :1], pairs[:, 1:], y0, y1)
    else:
        for number, (key0, key1) in enumerate(pairs.tolist()):
            _counted(key0, key1, size, y0[number], y1[number])
    return y0, y1


@eval_rule(RandomBits)
def random_bits_eval(primitive: RandomBits, keys: Elements) -> list[Elements]:
    """Both words of each counter, joined as the width has it; of wide keys, what their generator draws."""
    if is_wide_key(keys.dtype):
        return [bits_of_keys(keys, primitive.shape, primitive.bit_width)]
    size = reduce(mul, primitive.shape, 1)
    keys, _ = _words(keys)
    shape = keys.shape[:-1] + primitive.shape
    y0, y1 = _blocks(keys, size)
    if primitive.bit_width == 64:
        return [((y0.astype(np.uint64) << np.uint64(32)) | y1).reshape(shape)]
    y0 ^= y1
    return [y0.astype(f"u{primitive.bit_width // 8}", copy=False).reshape(shape)]


@eval_rule(RandomSplit)
def random_split_eval(primitive: RandomSplit, keys: Elements) -> list[Elements]:
    """Both words of each counter, side by side."""
    size = reduce(mul, primitive.shape, 1)
    if is_wide_key(keys.dtype):
        if keys.dtype == UNSAFE_RBG:
            return [keys_by_generator(keys, primitive.shape)]
        first, second = (random_split_eval(primitive, half)[0] for half in halves_of_keys(keys))
        return [keys_of_halves(first, second, keys.dtype)]
    keys, typed = _words(keys)
    shape = (*keys.shape[:-1], *primitive.shape, 2)
    new = np.stack(_blocks(keys, size), axis=-1).reshape(shape)
    return [keys_of_words(new) if typed else new]


@eval_rule(RandomFoldIn)
def random_fold_in_eval(primitive: RandomFoldIn, keys: Elements, data: Elements) -> list[Elements]:
    """Encrypt one block per key."""
    if is_wide_key(keys.dtype):
        if keys.dtype == UNSAFE_RBG:
            return [folded_by_generator(keys, data)]
        first, second = (
            random_fold_in_eval(primitive, half, data)[0] for half in halves_of_keys(keys)
        )
        return [keys_of_halves(first, second, keys.dtype)]
    keys, typed = _words(keys)
    y0 = np.zeros(keys.shape[:-1], np.uint32)
    y1 = np.broadcast_to(data, y0.shape).copy()
    _encrypt(keys[..., 0], keys[..., 1], y0, y1)
    new = np.stack([y0, y1], axis=-1)
    return [keys_of_words(new) if typed else new]


@eval_rule(RandomWrap)
def random_wrap_eval(primitive: RandomWrap, words: Elements) -> list[Elements]:
    """Return a view of the same memory."""
    return [keys_of_words(words, primitive.dtype)]


@eval_rule(RandomUnwrap)
def random_unwrap_eval(primitive: RandomUnwrap, keys: Elements) -> list[Elements]:
    """Return a view of the same memory."""
    return [words_of_keys(keys)]
