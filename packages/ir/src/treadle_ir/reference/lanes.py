"""The cipher of some hundred blocks in one long integer of Python's, and the kernels of few random bits by it.

A word of each block has 64 bits of the integer: one operation on integers adds, shifts or masks all blocks. What
additions carry and rotations shift beyond the 32 bits stays within the part, as twenty rounds add less than 2^38; it is
masked out of one word only, before the rotation that would bring it back.

An operation on long integers costs as much as three on short ones, however many blocks there are. So draws that do not
wait for each other are ciphered together, each with its key (`bits_together`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul
from typing import Final, final

import numpy as np

from treadle_ir.dtypes import KEY
from treadle_ir.primitives.random import PARITY, RandomBits, RandomSplit
from treadle_ir.reference.registry import Elements
from treadle_ir.types import ArrayType

MOST: Final = 256  # blocks in one integer
_MASK: Final = 0xFFFFFFFF
# A number for each of the most blocks, in parts of 64 bits: ones, and 0 to 255. The first parts are for fewer.
_ONES: Final = int.from_bytes((b"\1" + bytes(7)) * MOST, "little")
_COUNTERS: Final = int.from_bytes(np.arange(MOST, dtype="<u8").tobytes(), "little")


@final
class Lanes:
    """The blocks of some draws, side by side: each has its key, and counts from 0."""

    __slots__ = ("_counters", "_mask", "_ones", "_parity", "_steps", "size")

    def __init__(self, *sizes: int) -> None:
        self.size = sum(sizes)
        ones = _ONES & (1 << 64 * self.size) - 1
        self._mask, self._parity = ones * _MASK, ones * PARITY
        self._steps = [ones * number for number in range(1, 6)]
        self._ones: list[int] = []
        self._counters = begun = 0
        for size in sizes:
            parts = (1 << 64 * size) - 1
            self._ones.append((_ONES & parts) << begun)
            self._counters |= (_COUNTERS & parts) << begun
            begun += 64 * size

    def ciphered(self, keys: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """The first words of all blocks, and the second ones, for a key of each draw."""
        key0 = key1 = 0
        for (first, second), ones in zip(keys, self._ones):  # noqa: B905 - a key of each
            key0 += first * ones
            key1 += second * ones
        key2, mask = key0 ^ key1 ^ self._parity, self._mask
        one, two, three, four, five = self._steps
        x0, x1 = key0, self._counters + key1 & mask
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
        """The 64-bit parts of a long integer."""
        return np.frombuffer(number.to_bytes(8 * self.size, "little"), "<u8")


def halves(key: Elements) -> tuple[int, int]:
    """The words of one typed key in Python's integers; the first is the lower half, as little-endian memory has it."""
    whole: int = key.item()[0]
    return whole & _MASK, whole >> 32


def joined(first: int, second: int) -> int:
    """Both words in one number."""
    return first | second << 32


def drawn_together(lanes: Lanes, primitives: Sequence[RandomBits]) -> Callable[..., list[Elements]]:
    """A function of one key for each draw, whose bits it gives."""
    makers, begin = [], 0
    for primitive in primitives:
        end = begin + reduce(mul, primitive.shape, 1)
        dtype = np.dtype(f"u{primitive.bit_width // 8}")
        makers.append((begin, end, dtype, primitive.shape))
        begin = end
    narrow = [each for each in makers if each[2].itemsize < 8]

    def drawn(*keys: Elements) -> list[Elements]:
        first, second = lanes.ciphered([*map(halves, keys)])
        mixed = lanes.parts(first ^ second) if narrow else None
        whole = lanes.parts(joined(second, first)) if len(narrow) < len(makers) else None
        results = []
        for begin, end, dtype, shape in makers:
            source = whole if dtype.itemsize == 8 else mixed
            assert source is not None
            results.append(source[begin:end].astype(dtype).reshape(shape))
        return results

    return drawn


def split_by(lanes: Lanes, primitive: RandomSplit) -> Callable[[Elements], Elements]:
    """A function of a key that gives the keys it is split into."""
    shape = primitive.shape

    def split(key: Elements) -> Elements:
        whole = lanes.parts(joined(*lanes.ciphered([halves(key)])))
        return whole.copy().view(KEY).reshape(shape)

    return split


def _is_served(keys: ArrayType, size: int) -> bool:
    return keys.dtype is KEY and not keys.ndim and 0 < size <= MOST


def bits_kernel(
    primitive: RandomBits, operands: Sequence[ArrayType], result: ArrayType
) -> Callable[[Elements], Elements] | None:
    """The kernel of some bits of one typed key, whose sizes are known; None of others."""
    if not _is_served(operands[0], result.size):
        return None
    lanes, is_whole = Lanes(result.size), primitive.bit_width == 64
    shape, dtype = result.shape, result.dtype

    def drawn(key: Elements) -> Elements:
        first, second = lanes.ciphered([halves(key)])
        whole = joined(second, first) if is_whole else first ^ second
        return lanes.parts(whole).astype(dtype).reshape(shape)

    return drawn


def split_kernel(
    primitive: RandomSplit, operands: Sequence[ArrayType], result: ArrayType
) -> Callable[[Elements], Elements] | None:
    """The kernel that splits one typed key into some; None of others."""
    if not _is_served(operands[0], result.size):
        return None
    return split_by(Lanes(result.size), primitive)


def bits_together(
    primitives: Sequence[RandomBits], keys: Sequence[ArrayType], results: Sequence[ArrayType]
) -> Callable[..., list[Elements]] | None:
    """The kernel of several draws, of a key of each; None if they are not ciphered in one number."""
    sizes = [result.size for result in results]
    if sum(sizes) > MOST or not all(map(_is_served, keys, sizes)):
        return None
    return drawn_together(Lanes(*sizes), primitives)
