"""In which order keys give their bits: by position, or in halves, as JAX did before its version 0.5.

By position, element i is made of the cipher of i alone (`treadle_ir`'s operations). In halves, the counters 0 to n - 1
are cut in the middle, element i of the first half is enciphered together with element i of the second, and the two
words take the two places; a last counter 0 fills up an odd number. That order exists for results that must agree with
older programs: `threefry_partitionable` selects it. Found by asking JAX 0.10.2, and tested against it.
"""

from __future__ import annotations

from math import prod

import numpy as np

from treadle_ir import Array, Operand, ops
from treadle_ir.core.dtypes import BY_NAME, UNSAFE_RBG, is_key
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.random.defined import (
    defined_generator,
    drawn_bits,
    folded_keys,
    split_keys,
)
from treadle_numpy.settings import THREEFRY_PARTITIONABLE

_WORD = np.dtype(np.uint32)


def random_bits(keys: Array, shape: tuple[int, ...], width: int) -> Array:
    """Bits from each of some keys, typed or raw, in the order in force."""
    generator = defined_generator(keys.dtype)
    if generator is not None:
        return drawn_bits(generator, keys, shape, width)
    raw = None if THREEFRY_PARTITIONABLE() else _raw(keys)
    if raw is None or raw.shape[-1] != 2:  # keys of four words draw with the device's own generator
        return ops.random_bits(keys, shape=shape, bit_width=width)
    size, whole = prod(shape), raw.shape[:-1]
    words = _in_halves(raw, -(-size * width // 32))
    wanted = BY_NAME[f"u{width}"]
    if width == 64:
        wide = ops.convert(words, dtype=wanted)
        high, low = _last(wide, 0, size), _last(wide, size, 2 * size)
        words = ops.or_(ops.shift_left(high, wanted.type(32)), low)
    elif width < 32:  # each word is several, its lowest bits first
        parts = (*words.shape, 32 // width)
        shifts = ops.multiply(
            ops.iota(shape=parts, dtype=_WORD, dimension=words.ndim), np.uint32(width)
        )
        rows = ops.broadcast_in_dim(words, shape=parts, dimensions=tuple(range(words.ndim)))
        narrow = ops.convert(ops.shift_right_logical(rows, shifts), dtype=wanted)
        words = _last(ops.reshape(narrow, shape=(*whole, parts[-2] * parts[-1])), 0, size)
    return ops.reshape(words, shape=(*whole, *shape))


def random_split(keys: Array, shape: tuple[int, ...]) -> Array:
    """New keys from each of some, typed or raw as they are, in the order in force; wide ones half by half."""
    generator = defined_generator(keys.dtype)
    if generator is not None:
        return split_keys(generator, keys, shape)
    if THREEFRY_PARTITIONABLE() or keys.dtype == UNSAFE_RBG:
        return ops.random_split(keys, shape=shape)
    raw = _raw(keys)
    whole, width = raw.shape[:-1], raw.shape[-1]
    halves = [
        ops.reshape(_in_halves(_last(raw, i, i + 2), 2 * prod(shape)), shape=(*whole, *shape, 2))
        for i in range(0, width, 2)
    ]
    words = (
        halves[0] if width == 2 else ops.concatenate(halves, dimension=raw.ndim - 1 + len(shape))
    )
    return ops.random_wrap(words, dtype=keys.dtype) if is_key(keys.dtype) else words


def random_fold_in(keys: Array, data: Operand) -> Array:
    """Return a new key from each of some, and a number."""
    generator = defined_generator(keys.dtype)
    if generator is not None:
        return folded_keys(generator, keys, data)
    return ops.random_fold_in(keys, data)


def _raw(keys: Array) -> Array:
    return ops.random_unwrap(keys) if is_key(keys.dtype) else keys


def _last(x: Array, start: int, limit: int) -> Array:
    return slice_along(x, x.ndim - 1, start, limit)


def _in_halves(keys: Array, count: int) -> Array:
    """So many words for each key, from its two words, along a last axis."""
    half = -(-count // 2)
    shape = (*keys.shape[:-1], half)
    first = ops.iota(shape=shape, dtype=_WORD, dimension=len(shape) - 1)
    second = ops.add(first, np.uint32(half))
    if count % 2:  # in the place of the counter that there is not
        last = ops.compare(second, np.uint32(count), direction="eq")
        second = ops.select(last, np.uint32(0), second)
    rows = tuple(range(len(shape)))
    one, two = [
        ops.broadcast_in_dim(_last(keys, i, i + 1), shape=shape, dimensions=rows) for i in (0, 1)
    ]
    found = ops.concatenate(ops.threefry2x32(one, two, first, second), dimension=len(shape) - 1)
    return _last(found, 0, count)
