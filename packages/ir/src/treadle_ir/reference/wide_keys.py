"""NumPy kernels of the generators `rbg` and `unsafe_rbg`, whose keys have 128 bits.

Bits are Philox-4x32 with 10 rounds, as XLA's generator on the CPU has it: the first two words of a key are
the cipher's key; its last two are the lower half of the counter, and its first two again the upper half.

Sources: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011), for the cipher; the layout of
the counter was found by experiment with the StableHLO operation `rng_bit_generator`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from treadle_ir.core.dtypes import RBG
from treadle_ir.primitives.random import SPACING
from treadle_ir.reference.keys import keys_of_words, words_of_keys
from treadle_ir.reference.registry import Elements

PHILOX_ROUNDS: Final = 10
PHILOX_MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
PHILOX_STEPS: Final = (0x9E3779B9, 0xBB67AE85)  # added to the key's words after each round

_MASK: Final = 0xFFFFFFFF
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(_MASK)


def philox(key: tuple[int, int], counter: list[Elements]) -> list[Elements]:
    """Four words for each counter; a counter's words are given lowest first, each in 64 bits."""
    first, second = key
    x0, x1, x2, x3 = counter
    for _ in range(PHILOX_ROUNDS):
        product0 = x0 * np.uint64(PHILOX_MULTIPLIERS[0])
        product1 = x2 * np.uint64(PHILOX_MULTIPLIERS[1])
        x0, x2 = (
            (product1 >> _HALF) ^ x1 ^ np.uint64(first),
            (product0 >> _HALF) ^ x3 ^ np.uint64(second),
        )
        x1, x3 = product1 & _LOW, product0 & _LOW
        first = (first + PHILOX_STEPS[0]) & _MASK
        second = (second + PHILOX_STEPS[1]) & _MASK
    return [x0, x1, x2, x3]


def generated(words: Elements, shape: tuple[int, ...], bit_width: int) -> Elements:
    """Return unsigned integers of a shape from the state whose four words are given."""
    key0, key1, low, high = (int(word) for word in words)
    size = math.prod(shape)
    wide = bit_width == 64
    blocks = -(-size // (2 if wide else 4))
    start = np.uint64(low | high << 32)
    counts = np.arange(blocks, dtype=np.uint64) + start  # wraps around
    upper = np.uint64(key0 | key1 << 32) + (counts < start)  # the carry
    counter = [counts & _LOW, counts >> _HALF, upper & _LOW, upper >> _HALF]
    drawn = np.stack(philox((key0, key1), counter), axis=-1).astype(np.uint32)
    flat = drawn.view(np.uint64) if wide else drawn
    bits = flat.reshape(-1)[:size].reshape(shape)
    return bits.astype(f"u{bit_width // 8}", copy=False)


def bits_of_keys(keys: Elements, shape: tuple[int, ...], bit_width: int) -> Elements:
    """Return bits for keys, all of them drawn from the first key."""
    whole = (*keys.shape, *shape)
    if not math.prod(whole):
        return np.zeros(whole, f"u{bit_width // 8}")
    return generated(words_of_keys(keys.reshape(-1)[:1])[0], whole, bit_width)


def keys_by_generator(keys: Elements, shape: tuple[int, ...]) -> Elements:
    """Return new keys by the generator alone, as `unsafe_rbg` has them: each is the first of ten that are drawn."""
    drawn = bits_of_keys(keys, (SPACING * math.prod(shape), 4), 32)
    kept = drawn[..., ::SPACING, :].reshape(*keys.shape, *shape, 4)
    return keys_of_words(kept, keys.dtype)


def folded_by_generator(keys: Elements, data: Elements) -> Elements:
    """Keys changed by what the generator draws from the data as seeds: the last of ten."""
    seeds = np.zeros((*data.shape, 4), np.uint32)
    seeds[..., 1] = seeds[..., 3] = data
    drawn = bits_of_keys(keys_of_words(seeds, RBG), (SPACING, 4), 32)[..., -1, :]
    return keys_of_words(words_of_keys(keys) ^ drawn, keys.dtype)
