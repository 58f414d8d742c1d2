"""Keys: where randomness comes from. Typed keys (`key(0)`) and raw ones (`PRNGKey(0)`, two words) are both taken.

A typed key is an immutable value around its words, u32[*shape, 2], and a node of pytrees, so that keys go through
transformations as their words do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, final, overload

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, ops, x64_enabled
from treadle_ir.dtypes import is_integer
from treadle_ir.tree import register_pytree_node
from treadle_numpy.indexing.entries import read_index
from treadle_numpy.indexing.reading import take_entries
from treadle_numpy.numpy.manipulation.shapes import reshape
from treadle_numpy.operands.arrays import Elements, array_of, made
from treadle_numpy.operands.coerce import ArrayLike, canonical_elements, coerce, operand_type
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = [
    "Key",
    "PRNGKey",
    "clone",
    "fold_in",
    "key",
    "key_data",
    "key_impl",
    "split",
    "wrap_key_data",
]

_U32: Final = np.dtype(np.uint32)


@final
class KeyType:
    """The element type of typed keys."""

    __slots__ = ()
    is_key = True
    name = "key<fry>"
    itemsize = 8

    def __repr__(self) -> str:
        return "key<fry>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyType)

    def __hash__(self) -> int:
        return hash(KeyType)


KEY_TYPE: Final = KeyType()


@final
class Key:
    """A random key, or an array of them.

    Example:
        >>> key(0)
        Key((), key<fry>)
    """

    __slots__ = ("words",)
    words: Array
    dtype = KEY_TYPE

    def __init__(self, words: Array) -> None:
        object.__setattr__(self, "words", words)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"keys are immutable; `{name}` cannot be set")

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis of an array of keys."""
        return tuple(self.words.shape[:-1])

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of keys."""
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a single key")
        return self.shape[0]

    def __getitem__(self, index: object) -> Key:
        whole = (
            (*index, Ellipsis, slice(None))
            if isinstance(index, tuple)
            else (index, Ellipsis, slice(None))
        )
        if Ellipsis in [i for i in whole[:-2] if i is Ellipsis]:
            whole = (*whole[:-2], slice(None))
        return Key(take_entries(self.words, read_index(self.words.shape, whole)))

    def __iter__(self) -> Iterator[Key]:
        if not self.shape:
            raise TypeError(
                "iteration over a single key", "split it first: `a, b = random.split(key)`"
            )
        return (Key(self.words[i]) for i in range(self.shape[0]))

    def reshape(self, *shape: Shape) -> Key:
        """The same keys in another shape."""
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return Key(reshape(self.words, (*sizes, 2)))

    def ravel(self) -> Key:
        """The keys in one axis."""
        return self.reshape(-1)

    def __repr__(self) -> str:
        return f"Key({self.shape}, {KEY_TYPE})"


KeyLike: TypeAlias = Key | Array | Elements  # a typed key, or the words of a raw one


def _open(node: Key) -> tuple[tuple[Array], None]:
    return (node.words,), None


def _close(meta: None, children: Sequence[Array]) -> Key:
    return Key(children[0])


register_pytree_node(Key, _open, _close)


def _implementation(impl: str | None) -> None:
    if impl not in (None, "threefry2x32", "fry"):
        raise ArgumentError(
            f"random: unknown implementation {impl!r}",
            fix="only 'threefry2x32', the default, is there",
        )


def _seeded(seed: ArrayLike) -> Array:
    """The words of a key from a seed: its high and its low 32 bits."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        if not -(2**63) <= int(seed) < 2**64:
            raise OverflowError(f"the seed {seed} does not fit into 64 bits")
        high = (int(seed) >> 32) & 0xFFFFFFFF if x64_enabled() else 0
        return made(np.array([high, int(seed) & 0xFFFFFFFF], np.uint32))
    operand = coerce("key", 0, seed)
    type = operand_type(operand)
    if not is_integer(type.dtype) or type.shape:
        raise ArgumentError(
            f"key: the seed must be an integer, got {type}", fix="pass a Python integer"
        )
    low = ops.convert(
        canonical_elements(operand) if isinstance(operand, np.generic) else operand, dtype=_U32
    )
    if type.dtype.itemsize > 4:
        shifted = ops.shift_right_logical(operand, type.dtype.type(32))
        upper: Operand = ops.convert(shifted, dtype=_U32)
    else:
        upper = _U32.type(0)
    parts = [
        ops.broadcast_in_dim(upper, shape=(1,), dimensions=()),
        ops.broadcast_in_dim(low, shape=(1,), dimensions=()),
    ]
    return ops.concatenate(parts, dimension=0)


def PRNGKey(seed: ArrayLike, *, impl: str | None = None) -> Array:  # noqa: N802 - JAX's name
    """A raw key, u32[2], from a seed.

    Example:
        >>> print(PRNGKey(7))
        [0 7]
    """
    _implementation(impl)
    return _seeded(seed)


def key(seed: ArrayLike, *, impl: str | None = None, dtype: object = None) -> Key:
    """A typed key from a seed.

    Example:
        >>> key(7).shape
        ()
    """
    _implementation(impl)
    return Key(_seeded(seed))


def words_of(name: str, key: KeyLike) -> Array:
    """The words of a typed or a raw key.

    Raises:
        ArgumentError: it is no key.
    """
    if isinstance(key, Key):
        return key.words
    if not isinstance(key, (Array, np.ndarray)):
        raise ArgumentError(
            f"{name}: the first argument must be a random key, got {key!r} of {type(key)}",
            fix="make one with `random.key(0)`",
        )
    words = array_of(key)
    if words.dtype != _U32 or not words.shape or words.shape[-1] != 2:
        raise ArgumentError(
            f"{name}: a raw key is u32[2], got {operand_type(words)}",
            fix="make one with `random.key(0)`",
        )
    return words


def single(name: str, key: KeyLike) -> Array:
    """The words of one key.

    Raises:
        ArgumentError: it is an array of keys.
    """
    words = words_of(name, key)
    if len(words.shape) != 1:
        raise ArgumentError(
            f"{name} accepts a single key, but was given a key array of shape {tuple(words.shape[:-1])} != ()",
            fix="use treadle.vmap for batching",
        )
    return words


def _as(key: KeyLike, words: Array) -> Key | Array:
    return Key(words) if isinstance(key, Key) else words


@overload
def split(key: Key, num: Shape = 2) -> Key: ...
@overload
def split(key: Array | Elements, num: Shape = 2) -> Array: ...
def split(key: KeyLike, num: Shape = 2) -> Key | Array:
    """New keys from a key, which should not be used again.

    Example:
        >>> split(key(0), 3).shape
        (3,)
    """
    return _as(key, ops.random_split(single("split", key), shape=as_shape("split", num)))


@overload
def fold_in(key: Key, data: ArrayLike) -> Key: ...
@overload
def fold_in(key: Array | Elements, data: ArrayLike) -> Array: ...
def fold_in(key: KeyLike, data: ArrayLike) -> Key | Array:
    """A new key from a key and a number.

    Raises:
        ArgumentError: the number is not a single integer.
    """
    words = single("fold_in", key)
    if isinstance(data, int) and not isinstance(data, bool):
        number: Operand = np.uint32(data & 0xFFFFFFFF)
    else:
        number = coerce("fold_in", 1, data)
        if not is_integer(number.dtype) or number.shape:
            raise ArgumentError(
                f"fold_in: data must be a single integer, got {operand_type(number)}"
            )
        number = ops.convert(number, dtype=_U32)
    return _as(key, ops.random_fold_in(words, number))


def key_data(keys: KeyLike) -> Array:
    """The words of keys, u32[*shape, 2]."""
    return words_of("key_data", keys)


def wrap_key_data(key_bits_array: KeyLike, *, impl: str | None = None, dtype: object = None) -> Key:
    """Typed keys from their words."""
    _implementation(impl)
    return Key(words_of("wrap_key_data", key_bits_array))


def key_impl(keys: KeyLike) -> str:
    """The name of the algorithm."""
    words_of("key_impl", keys)
    return "threefry2x32"


@overload
def clone(key: Key) -> Key: ...
@overload
def clone(key: Array | Elements) -> Array: ...
def clone(key: KeyLike) -> Key | Array:
    """The same key again, said on purpose."""
    return _as(key, words_of("clone", key))
