"""Random bits from a counter that the caller keeps: `rng_bit_generator`.

A state is four 32-bit words, or two of 64 bits: 64 bits of key and 64 bits of counter, the low word first. Block number
i is the cipher of the counter plus i, so the result does not depend on how the work is cut up, nor on the device.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

import enum
import math
from typing import Final

import numpy as np

from treadle_ir import Array, DType, DTypeError, Operand, ShapeError, UnsupportedError, ops
from treadle_ir.core.dtypes import bit_width, is_unsigned, user_name
from treadle_ir.errors import refused
from treadle_numpy.lax.reinterpret import bitcast
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["RandomAlgorithm", "rng_bit_generator", "rng_uniform"]

_U32: Final = np.dtype(np.uint32)
_U64: Final = np.dtype(np.uint64)


class RandomAlgorithm(enum.IntEnum):
    """The cipher of `rng_bit_generator`; RNG_DEFAULT is RNG_PHILOX.

    Example:
        >>> state = np.array([0, 0, 0, 0], np.uint32)
        >>> _, bits = rng_bit_generator(state, (2,), algorithm=RandomAlgorithm.RNG_PHILOX)
        >>> print([hex(x) for x in bits])
        ['0x6627e8d5', '0xe169c58d']
    """

    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2


def rng_bit_generator(
    key: ArrayLike,
    shape: Shape,
    dtype: DTypeLike = np.uint32,
    algorithm: RandomAlgorithm | int = RandomAlgorithm.RNG_DEFAULT,
    *,
    out_sharding: object = None,
) -> list[Array]:
    """Return the next state, and random bits in an array of a shape.

    `key` is the state: u32[4] or u64[2]. `dtype` is uint8, uint16, uint32 or uint64. Threefry-2x32 with 20 rounds and
    Philox-4x32 with 10 rounds, whose counter has the key as its upper half, define the bits. `treadle.random` is for
    everybody who does not need the counter.

    Raises:
        ShapeError, DTypeError: the state is neither u32[4] nor u64[2], or `dtype` is another type.
        ArgumentError: there is no such algorithm.

    Example:
        >>> state, bits = rng_bit_generator(np.array([0, 0, 0, 0], np.uint32), (2,), algorithm=2)
        >>> print(state, [hex(x) for x in bits])
        [0 0 1 0] ['0x6627e8d5', '0xe169c58d']
    """
    name = "rng_bit_generator"
    named_only(name, out_sharding=out_sharding)
    state = coerce_array(name, 0, key)
    if dtype is None:
        raise refused(name, "dtype", "an element type", None)
    wanted = as_dtype(name, dtype)
    sizes = as_shape(name, shape)
    if algorithm.__class__ not in (RandomAlgorithm, int) or algorithm not in (0, 1, 2):
        raise refused(name, "algorithm", "a RandomAlgorithm", algorithm)
    if (state.shape, state.dtype) not in (((4,), _U32), ((2,), _U64)):
        raise ShapeError(
            f"{name}: key must be four uint32 or two uint64, got {user_name(state.dtype)} of shape {state.shape}",
            fix="join the data of a key twice: treadle.numpy.tile(treadle.random.key_data(key), 2)",
        )
    if not is_unsigned(wanted) or bit_width(wanted) < 8:
        raise DTypeError(
            f"{name}: unsupported dtype {user_name(wanted)}",
            fix="uint8, uint16, uint32 and uint64 are there",
        )
    words = state if state.dtype == _U32 else ops.reshape(bitcast(state, _U32), shape=(4,))
    three_fry = algorithm == RandomAlgorithm.RNG_THREE_FRY
    bits, used = (_three_fry if three_fry else _philox)(words, sizes, wanted)
    counter = ops.reshape(_counter(words, (1,), used), shape=())
    low, high = _halves(counter)
    moved = ops.concatenate(
        [slice_along(words, 0, 0, 2), *[ops.reshape(x, shape=(1,)) for x in (low, high)]],
        dimension=0,
    )
    if state.dtype == _U64:
        moved = bitcast(ops.reshape(moved, shape=(2, 2)), _U64)
    return [moved, bits]


def rng_uniform(a: ArrayLike, b: ArrayLike, shape: Shape) -> Array:
    """Uniform numbers from a state that XLA hides: it is not there, since every call would be a different function.

    Raises:
        UnsupportedError: always.

    Example:
        >>> try:
        ...     rng_uniform(0.0, 1.0, (2,))
        ... except UnsupportedError as error:
        ...     print(error)
        rng_uniform: there is no generator with a state of its own
    """
    raise UnsupportedError(
        "rng_uniform: there is no generator with a state of its own",
        fix="use treadle.random.uniform(key, shape, minval=a, maxval=b)",
    )


def _word(words: Array, i: int) -> Array:
    return ops.reshape(slice_along(words, 0, i, i + 1), shape=())


def _joined(low: Operand, high: Operand) -> Array:
    """Return two words as one of 64 bits."""
    upper = ops.shift_left(ops.convert(high, dtype=_U64), _U64.type(32))
    return ops.or_(ops.convert(low, dtype=_U64), upper)


def _halves(wide: Operand) -> tuple[Array, Array]:
    """Return the low and the high word of 64 bits."""
    upper = ops.shift_right_logical(wide, _U64.type(32))
    return ops.convert(wide, dtype=_U32), ops.convert(upper, dtype=_U32)


def _counter(words: Array, shape: tuple[int, ...], first: int = 0) -> Array:
    """Return the counter, counted on from `first` along a vector."""
    start = ops.add(_joined(_word(words, 2), _word(words, 3)), _U64.type(first))
    start = ops.broadcast_in_dim(start, shape=shape, dimensions=())
    return ops.add(start, ops.iota(shape=shape, dtype=_U64, dimension=0))


def _spread(words: Array, i: int, count: int) -> Array:
    return ops.broadcast_in_dim(_word(words, i), shape=(count,), dimensions=())


def _three_fry(words: Array, shape: tuple[int, ...], dtype: DType) -> tuple[Array, int]:
    """Bits, and how many blocks they took.

    64 bits are one block. Of others, the two words of a block are neighbours along the first axis of even size, or
    along the longest axis, made even, if there is none.
    """
    wide = dtype == _U64
    sizes = [*shape] or [1]
    axis = next((i for i, n in enumerate(sizes) if n % 2 == 0), sizes.index(max(sizes)))
    if not wide:
        sizes[axis] = -(-sizes[axis] // 2)
    count = math.prod(sizes)
    low, high = _halves(_counter(words, (count,)))
    keys = _spread(words, 0, count), _spread(words, 1, count)
    first, second = ops.threefry2x32(*keys, low, high)
    if wide:
        return ops.reshape(_joined(first, second), shape=shape), count
    split = [*sizes[: axis + 1], 1, *sizes[axis + 1 :]]
    parts = [ops.reshape(x, shape=split) for x in (first, second)]
    pairs = ops.concatenate(parts, dimension=axis + 1)
    even = [*sizes[:axis], 2 * sizes[axis], *sizes[axis + 1 :]]
    bits = slice_along(ops.reshape(pairs, shape=even), axis, 0, shape[axis] if shape else 1)
    return ops.reshape(ops.convert(bits, dtype=dtype), shape=shape), count


_ROUNDS: Final = 10
_MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
_WEYL: Final = (0x9E3779B9, 0xBB67AE85)


def _philox(words: Array, shape: tuple[int, ...], dtype: DType) -> tuple[Array, int]:
    """Bits, and how many blocks they took: four words each, in row-major order."""
    size = math.prod(shape)
    of_one = 2 if dtype == _U64 else 4
    count = -(-size // of_one)
    counter = _counter(words, (count,))
    low, high = _halves(counter)
    keys = [_spread(words, 0, count), _spread(words, 1, count)]
    start = ops.broadcast_in_dim(
        _joined(_word(words, 2), _word(words, 3)), shape=(count,), dimensions=()
    )
    carry = ops.convert(ops.compare(counter, start, direction="lt"), dtype=_U64)
    upper = ops.add(_joined(*keys), carry)
    block = [low, high, *_halves(upper)]
    for _ in range(_ROUNDS):
        (low_0, high_0), (low_1, high_1) = [
            _halves(ops.multiply(ops.convert(x, dtype=_U64), _U64.type(factor)))
            for x, factor in zip((block[0], block[2]), _MULTIPLIERS, strict=True)
        ]
        block = [
            ops.xor(ops.xor(high_1, block[1]), keys[0]),
            low_1,
            ops.xor(ops.xor(high_0, block[3]), keys[1]),
            low_0,
        ]
        keys = [ops.add(x, _U32.type(step)) for x, step in zip(keys, _WEYL, strict=True)]
    if dtype == _U64:
        block = [_joined(block[0], block[1]), _joined(block[2], block[3])]
    stacked = ops.concatenate([ops.reshape(x, shape=(count, 1)) for x in block], dimension=1)
    flat = slice_along(ops.reshape(stacked, shape=(count * of_one,)), 0, 0, size)
    return ops.reshape(ops.convert(flat, dtype=dtype), shape=shape), count
