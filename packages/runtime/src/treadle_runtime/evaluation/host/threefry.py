"""The Threefry cipher of a few hundred blocks in one long Python integer, and kernels of random bits that use it.

A word of each block has 64 bits of the integer: one operation on integers adds, shifts or masks all blocks. The
carries of additions and the bits that rotations shift beyond the 32 bits stay within these 64 bits, as twenty rounds
add less than 2^38; they are masked out of one word only, before the rotation that would bring them back.

An operation on long integers costs as much as three on short ones, however many blocks there are. So independent draws
are ciphered together, each with its key (`bits_together`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.core.dtypes import KEY
from treadle_ir.primitives.random import PARITY, RandomBits, RandomFoldIn, RandomSplit
from treadle_runtime.arrays.array import Elements
from treadle_runtime.evaluation.host.by_rule import Kernel

MOST: Final = 256  # blocks in one integer
_MASK: Final = 0xFFFFFFFF
# A number for each of the most blocks, in parts of 64 bits: ones, and 0 to 255. The first parts are for fewer.
_ONES: Final = int.from_bytes((b"\1" + bytes(7)) * MOST, "little")
_COUNTERS: Final = int.from_bytes(np.arange(MOST, dtype="<u8").tobytes(), "little")


@final
class Lanes:
    """The blocks of several draws: each draw has its key, and counters from 0."""

    __slots__ = ("_mask", "_ones", "_parity", "_steps", "counters", "size")

    def __init__(self, *sizes: int) -> None:
        self.size = sum(sizes)
        ones = _ONES & (1 << 64 * self.size) - 1
        self._mask, self._parity = ones * _MASK, ones * PARITY
        self._steps = [ones * number for number in range(1, 6)]
        self._ones: list[int] = []
        self.counters = begun = 0
        for size in sizes:
            parts = (1 << 64 * size) - 1
            self._ones.append((_ONES & parts) << begun)
            self.counters |= (_COUNTERS & parts) << begun
            begun += 64 * size

    def ciphered(self, keys: Sequence[tuple[int, int]], counters: int) -> tuple[int, int]:
        """Return the first words of all blocks, and the second words.

        Args:
            keys: the two words of the key of each draw.
            counters: the second words to cipher; the first are 0.
        """
        key0 = key1 = 0
        for (first, second), ones in zip(keys, self._ones):  # noqa: B905 - a key of each
            key0 += first * ones
            key1 += second * ones
        key2, mask = key0 ^ key1 ^ self._parity, self._mask
        one, two, three, four, five = self._steps
        x0, x1 = key0, counters + key1 & mask
        # The rotations are written out: two loops around them would take a fifth of the time of ten blocks.
        for then0, then1, last0, last1 in (
            (key1, key2 + one, key2, key0 + two),
            (key0, key1 + three, key1, key2 + four),
            (key2, key0 + five, 0, 0),
        ):
            x0 += x1
            x1 = (x1 << 13 ^ x1 >> 19 ^ x0) & mask
            x0 += x1
            x1 = (x1 << 15 ^ x1 >> 17 ^ x0) & mask
            x0 += x1
            x1 = (x1 << 26 ^ x1 >> 6 ^ x0) & mask
            x0 += x1
            x1 = (x1 << 6 ^ x1 >> 26 ^ x0) & mask
            x0 += then0
            x1 = x1 + then1 & mask
            if not last1:
                break
            x0 += x1
            x1 = (x1 << 17 ^ x1 >> 15 ^ x0) & mask
            x0 += x1
            x1 = (x1 << 29 ^ x1 >> 3 ^ x0) & mask
            x0 += x1
            x1 = (x1 << 16 ^ x1 >> 16 ^ x0) & mask
            x0 += x1
            x1 = (x1 << 24 ^ x1 >> 8 ^ x0) & mask
            x0 += last0
            x1 = x1 + last1 & mask
        return x0 & mask, x1

    def parts(self, number: int) -> Elements:
        """Return the 64-bit parts of a long integer."""
        return np.frombuffer(number.to_bytes(8 * self.size, "little"), "<u8")


def _words(key: Elements) -> tuple[int, int]:
    """Return the words of one typed key; the first is the lower half, as in little-endian memory."""
    whole: int = key.item()[0]
    return whole & _MASK, whole >> 32


def _joined(first: int, second: int) -> int:
    """Return both words in one number."""
    return first | second << 32


def _is_served(keys: ArrayType, size: int) -> bool:
    return keys.dtype is KEY and not keys.ndim and 0 < size <= MOST


def bits_kernel(
    primitive: RandomBits, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """Return the kernel of the bits of one typed key; None for other keys and for more blocks than `MOST`."""
    if not _is_served(operands[0], result.size):
        return None
    lanes, is_wide = Lanes(result.size), primitive.bit_width == 64
    shape, dtype, counters = result.shape, result.dtype, lanes.counters

    def drawn(key: Any) -> Any:
        first, second = lanes.ciphered([_words(key)], counters)
        whole = _joined(second, first) if is_wide else first ^ second
        return lanes.parts(whole).astype(dtype).reshape(shape)

    return drawn


def split_kernel(
    primitive: RandomSplit, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """Return the kernel that splits one typed key; None for other keys and for more blocks than `MOST`."""
    if not _is_served(operands[0], result.size):
        return None
    lanes, shape = Lanes(result.size), primitive.shape
    counters = lanes.counters

    def split(key: Any) -> Any:
        whole = lanes.parts(_joined(*lanes.ciphered([_words(key)], counters)))
        return whole.copy().view(KEY).reshape(shape)

    return split


def fold_in_kernel(
    primitive: RandomFoldIn, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """Return the kernel that folds a number into one typed key; None for other keys."""
    if not _is_served(result, result.size):
        return None
    lanes = Lanes(1)
    return lambda key, data: np.array(_joined(*lanes.ciphered([_words(key)], int(data))), KEY)


def bits_together(
    primitives: Sequence[RandomBits], keys: Sequence[ArrayType], results: Sequence[ArrayType]
) -> Kernel | None:
    """Return a function from keys to a list of random bits, for several draws that are ciphered in one number.

    Args:
        primitives: the draws.
        keys: the type of the key of each draw.
        results: the type of the bits of each draw.

    Returns:
        The function; None if a key is not a single typed key, or the draws have more blocks than `MOST`.
    """
    sizes = [result.size for result in results]
    if sum(sizes) > MOST or not all(map(_is_served, keys, sizes)):
        return None
    lanes = Lanes(*sizes)
    makers, begin = [], 0
    for result, size in zip(results, sizes, strict=True):
        makers.append((begin, begin + size, result.dtype, result.shape))
        begin += size
    narrow = [result for result in results if result.dtype.itemsize < 8]
    counters = lanes.counters

    def drawn(*keys: Any) -> list[Elements]:
        first, second = lanes.ciphered([*map(_words, keys)], counters)
        mixed = lanes.parts(first ^ second) if narrow else None
        whole = lanes.parts(_joined(second, first)) if len(narrow) < len(makers) else None
        drawn = []
        for begin, end, dtype, shape in makers:
            source = whole if dtype.itemsize == 8 else mixed
            assert source is not None
            drawn.append(source[begin:end].astype(dtype).reshape(shape))
        return drawn

    return drawn
