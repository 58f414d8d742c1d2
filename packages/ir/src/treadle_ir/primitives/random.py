"""Random bits: threefry2x32; random_bits, random_split, random_fold_in on keys; keys and their words.

    threefry2x32(key0, key1, x0, x1) -> (y0, y1)             u32 each, elementwise
    random_bits(keys, *, shape, bit_width=32)                key[*keys] -> u8|u16|u32|u64[*keys, *shape]
    random_split(keys, *, shape)                             key[*keys] -> key[*keys, *shape]
    random_fold_in(keys, data)                               key[*keys], u32[*keys] -> key[*keys]
    random_wrap(words, *, dtype=key<fry>)                    u32[*keys, words] -> key[*keys]
    random_unwrap(keys)                                      key[*keys] -> u32[*keys, words]

The element type of keys selects the generator: key<fry> has two words, key<rbg> and key<urbg> have four. The three
in the middle also take raw keys, the words u32[*keys, 2] of key<fry>, and then return raw keys. A key holds its words
in memory one after the other, so wrapping and unwrapping are views.

The cipher of key<fry> is Threefry-2x32 with 20 rounds. Counters are the row-major positions in `shape` as 64-bit
numbers, x0 the high and x1 the low word, so that an element does not depend on how the work is divided. 32-bit bits are
y0 ^ y1, of which 16 and 8 bits are the low ones; 64-bit bits are y0 in the high and y1 in the low half.
Split uses (y0, y1) as the key at that position. Fold-in encrypts the counter (0, data).

The bits of key<rbg> and key<urbg> come from the device's own generator, StableHLO's rng_bit_generator with the key as
its state; the reference, and XLA on the CPU, use Philox-4x32. Of an array of keys, which `vmap` makes of one key,
only the first key counts: it draws the bits of all. By definition a batch is one call of
the generator, and results differ from the results of a loop over the keys. 16 and 8 bits are the low ones of 32.
Split and fold-in of key<rbg> treat both halves of a key as a key<fry>. For key<urbg> the generator draws
new keys: split draws ten times as many keys as are requested and keeps the first of each ten; fold-in makes keys
(0, data, 0, data), in the shape of the data, draws ten keys for each, and combines the last with the old key by
exclusive or.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
"""

from __future__ import annotations

from typing import ClassVar, Final, final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.core.families import Elementwise, Randomness
from treadle_ir.core.primitive import Attributeless
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, DTypeError, ShapeError
from treadle_ir.primitives.elementwise import common_type
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

ROTATIONS: Final = (13, 15, 26, 6, 17, 29, 16, 24)  # of rounds 0 to 7; they repeat
PARITY: Final = 0x1BD11BDA  # the third word of the key schedule is key0 ^ key1 ^ PARITY
ROUNDS: Final = 20
SPACING: Final = (
    10  # of ten keys that are drawn, key<urbg> keeps one: for split the first, for fold-in the last
)

_U32: Final[DType] = np.dtype(np.uint32)
_BITS: Final[dict[int, DType]] = {
    8: np.dtype(np.uint8),
    16: np.dtype(np.uint16),
    32: _U32,
    64: np.dtype(np.uint64),
}


@register
@final
@frozen
class Threefry2x32(Elementwise):
    """The cipher's two output words for two key words and two counter words.

    Constraints:
        (C1) operands have one shape (or are scalars) and are u32

    Source: Salmon et al. 2011.
    """

    name: ClassVar[str] = "threefry2x32"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return two words of the shape that the operands share."""
        assert len(operands) == 4, "two words of key and two of counter"
        type = common_type(self.name, operands)
        if type.dtype != _U32:  # C1
            raise DTypeError(f"threefry2x32: operands are {type}, but must be u32")
        return (type.strong(), type.strong())


def keys_shape(name: str, keys: ArrayType) -> tuple[int, ...]:
    """Return the shape of an array of keys, which are typed or the raw words of key<fry>.

    Raises:
        DTypeError: the operand is neither keys nor u32.
        ShapeError: raw keys do not have the axis of their 2 words.
    """
    if dtypes.is_own_key(keys.dtype):
        return keys.shape
    if keys.dtype != _U32:
        raise DTypeError(
            f"{name}: the keys are {keys}, but must be u32 words or random keys of a generator of treadle's own",
            fix="make a key with random.key(seed)",
        )
    if not keys.shape or keys.shape[-1] != 2:
        raise ShapeError(
            f"{name}: the raw keys are {keys}, but a key has 2 words along the last axis"
        )
    return keys.shape[:-1]


def _keys(name: str, keys: Type) -> tuple[ArrayType, tuple[int, ...]]:
    assert isinstance(keys, ArrayType)
    return keys, keys_shape(name, keys)


@register
@final
@frozen
class RandomWrap(Randomness):
    """Keys, from their words.

    Shapes:
        words: u32[*keys, words], 2 words for a key<fry> and 4 for the others; for a library's type, its key shape
        result: dtype[*keys]

    Constraints:
        (C1) words are u32, as many along the last axis (or axes) as a key has
        (C2) dtype is a type of random keys
    """

    takes_keys: ClassVar[bool] = False
    computes: ClassVar[bool] = False
    may_alias: ClassVar[bool] = True
    name: ClassVar[str] = "random_wrap"
    dtype: DType = dtypes.KEY

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of the keys, without the axis of words."""
        (words,) = operands
        assert isinstance(words, ArrayType)
        if not dtypes.is_key(self.dtype):  # C2
            raise DTypeError(
                f"random_wrap: dtype is {dtypes.dtype_name(self.dtype)}, not a type of random keys"
            )
        words_of_one, name = dtypes.key_shape(self.dtype), dtypes.dtype_name(self.dtype)
        if words.dtype != _U32:  # C1
            raise DTypeError(
                f"random_wrap: the words of keys must be u32, got {words}",
                fix="convert them with .astype(...), or make a key with random.key(seed)",
            )
        batch = words.ndim - len(words_of_one)
        if batch < 0 or words.shape[batch:] != words_of_one:  # C1
            said = f"{words_of_one[0]} words along the last axis"
            raise ShapeError(
                f"random_wrap: a {name} has {said if len(words_of_one) == 1 else f'words of shape {words_of_one}'}, "
                f"got {words}"
            )
        return (ArrayType(words.shape[:batch], self.dtype),)


@register
@final
class RandomUnwrap(Attributeless, Randomness):
    """The words of keys.

    Shapes:
        keys: key<...>[*keys]
        result: u32[*keys, words], or with the axes that the words of a library's keys have

    Constraints:
        (C1) keys have a type of random keys
    """

    __slots__ = ()
    computes: ClassVar[bool] = False
    may_alias: ClassVar[bool] = True
    name: ClassVar[str] = "random_unwrap"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of the words, two or four for each key."""
        (keys,) = operands
        assert isinstance(keys, ArrayType)
        if not dtypes.is_key(keys.dtype):  # C1
            raise DTypeError(f"random_unwrap: the operand is {keys}, but must be random keys")
        return (ArrayType((*keys.shape, *dtypes.key_shape(keys.dtype)), _U32),)


@register
@final
@frozen
class RandomBits(Randomness):
    """Uniformly random bits, as unsigned integers: `shape` of them for each key.

    Shapes:
        keys: key<...>[*keys] or u32[*keys, 2]
        result: [*keys, *shape]

    Constraints:
        (C1) keys are random keys, or u32 with 2 words along the last axis
        (C2) bit_width is 8, 16, 32 or 64
    """

    name: ClassVar[str] = "random_bits"
    shape: tuple[int, ...]
    bit_width: int = 32

    def __post_init__(self) -> None:
        if self.bit_width not in _BITS:  # C2
            raise ArgumentError(f"random_bits: bit_width is {self.bit_width}, not 8, 16, 32 or 64")

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return unsigned integers of that width."""
        _, shape = _keys(self.name, operands[0])  # C1
        return (ArrayType((*shape, *self.shape), _BITS[self.bit_width]),)


@register
@final
@frozen
class RandomSplit(Randomness):
    """New keys, `shape` of them from each key.

    Shapes:
        keys: key<...>[*keys] or u32[*keys, 2]
        result: key<...>[*keys, *shape] or u32[*keys, *shape, 2], as the operand

    Constraints:
        (C1) keys are random keys, or u32 with 2 words along the last axis
    """

    name: ClassVar[str] = "random_split"
    shape: tuple[int, ...]

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return keys of the operand's kind."""
        keys, shape = _keys(self.name, operands[0])  # C1
        return (ArrayType((*shape, *self.shape, *keys.shape[len(shape) :]), keys.dtype),)


@register
@final
@frozen
class RandomFoldIn(Randomness):
    """A new key from each key and a number.

    Shapes:
        keys: key<...>[*keys] or u32[*keys, 2]
        data: u32[*keys], where axes of size 1 are broadcast, or a scalar for all keys
        result: as the keys

    Constraints:
        (C1) keys are random keys, or u32 with 2 words along the last axis
        (C2) data is u32, a scalar or of the shape of the keys, up to axes of size 1
    """

    name: ClassVar[str] = "random_fold_in"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of the keys."""
        keys, shape = _keys(self.name, operands[0])  # C1
        data = operands[1]
        assert isinstance(data, ArrayType)
        if data.dtype != _U32:  # C2
            raise DTypeError(
                f"random_fold_in: the data is {dtypes.dtype_name(data.dtype)}, but must be u32",
                fix="convert it first with .astype(...)",
            )
        same_rank = len(data.shape) == len(shape)
        if data.shape and not (
            same_rank and all([n in (1, m) for n, m in zip(data.shape, shape, strict=True)])
        ):
            raise ShapeError(
                f"random_fold_in: the data is {data}, but must have the shape of the keys of {keys}, or axes of size 1"
            )
        return (keys.strong(),)


_THREEFRY2X32: Final = Threefry2x32()
_RANDOM_FOLD_IN: Final = RandomFoldIn()
_RANDOM_WRAP: Final = RandomWrap()
_RANDOM_UNWRAP: Final = RandomUnwrap()


def threefry2x32(key0: Operand, key1: Operand, x0: Operand, x1: Operand) -> tuple[Array, Array]:
    """Return the cipher's two output words for two key words and two counter words, elementwise."""
    y0, y1 = bind(_THREEFRY2X32, key0, key1, x0, x1)
    return y0, y1


def random_bits(keys: Operand, *, shape: tuple[int, ...], bit_width: int = 32) -> Array:
    """Return uniformly random bits, as unsigned integers: `shape` of them for each key."""
    return bind(RandomBits(shape, bit_width), keys)[0]


def random_split(keys: Operand, *, shape: tuple[int, ...]) -> Array:
    """Return new keys, `shape` of them from each key."""
    return bind(RandomSplit(shape), keys)[0]


def random_fold_in(keys: Operand, data: Operand) -> Array:
    """Return a new key from each key and a 32-bit number."""
    return bind(_RANDOM_FOLD_IN, keys, data)[0]


def random_wrap(words: Operand, *, dtype: DType = dtypes.KEY) -> Array:
    """Return keys from their words, u32[*keys, 2], or u32[*keys, 4] for the wide types."""
    return bind(_RANDOM_WRAP if dtype is dtypes.KEY else RandomWrap(dtype), words)[0]


def random_unwrap(keys: Operand) -> Array:
    """Return the words of keys, u32[*keys, 2], or u32[*keys, 4] for the wide types."""
    return bind(_RANDOM_UNWRAP, keys)[0]
