"""The generators of random numbers as objects, and the cipher of the default one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

import numpy as np

import treadle.numpy as tnp
from treadle import random
from treadle.extend.core.primitives import threefry2x32_p as threefry2x32_p
from treadle_batching import vmap
from treadle_ir import (
    ArgumentError,
    Array,
    DType,
    UnsupportedError,
    as_array,
    frozen,
    integer,
    ops,
    refused,
    type_of,
)
from treadle_ir.dtypes import GENERATORS, key_words

__all__ = [
    "PRNGImpl",
    "define_prng_impl",
    "random_seed",
    "rbg_prng_impl",
    "seed_with_impl",
    "threefry2x32_p",
    "threefry_2x32",
    "threefry_prng_impl",
    "unsafe_rbg_prng_impl",
]

ArrayLike = Any  # an array, or what can be made one


@final
@frozen
class PRNGImpl:
    """A generator of random numbers: its name, and what it does with the words of keys.

    It is taken wherever a generator is named: `random.key(0, impl=threefry_prng_impl)`.
    """

    name: str
    tag: str

    @property
    def element_type_of_keys(self) -> DType:
        """The element type of its keys."""
        return GENERATORS[self.name]

    @property
    def key_shape(self) -> tuple[int, ...]:
        """The shape of the words of a key."""
        return (key_words(self.element_type_of_keys),)

    def seed(self, seed: ArrayLike) -> Array:
        """The words of the key of a seed."""
        return random.key_data(random.key(seed, impl=self.name))

    def split(self, key: ArrayLike, shape: tuple[int, ...]) -> Array:
        """The words of new keys from those of one."""
        return random.key_data(random.split(self._key(key), shape))

    def random_bits(self, key: ArrayLike, bit_width: int, shape: tuple[int, ...]) -> Array:
        """Random unsigned integers of 8, 16, 32 or 64 bits, from the words of a key."""
        width = integer("random_bits", "bit_width", bit_width)
        if width not in (8, 16, 32, 64):
            raise ArgumentError(f"random_bits: bit_width must be 8, 16, 32 or 64, got {width}")
        return random.bits(self._key(key), shape, f"uint{width}")

    def fold_in(self, key: ArrayLike, data: ArrayLike) -> Array:
        """The words of a key that depends on a number, too."""
        return random.key_data(random.fold_in(self._key(key), data))

    def _key(self, words: ArrayLike) -> Array:
        return random.wrap_key_data(words, impl=self.name)


threefry_prng_impl: Final = PRNGImpl("threefry2x32", "fry")
rbg_prng_impl: Final = PRNGImpl("rbg", "rbg")
unsafe_rbg_prng_impl: Final = PRNGImpl("unsafe_rbg", "urbg")


def seed_with_impl(impl: PRNGImpl, seed: ArrayLike) -> Array:
    """The key of a seed, for a generator.

    Raises:
        ArgumentError: it is no generator, or the seed is no integer.

    Example:
        >>> from treadle import random
        >>> from treadle.extend.random import rbg_prng_impl, seed_with_impl
        >>> print(random.key_data(seed_with_impl(rbg_prng_impl, 7)))
        [0 7 0 7]
    """
    return random_seed(seed, impl)


def random_seed(seeds: ArrayLike, impl: PRNGImpl) -> Array:
    """Keys of seeds: an array of them for an array of seeds.

    Raises:
        ArgumentError: it is no generator, or the seeds are no integers.

    Example:
        >>> from treadle.extend.random import random_seed, threefry_prng_impl
        >>> random_seed([3, 4], threefry_prng_impl).shape
        (2,)
    """
    if not isinstance(impl, PRNGImpl):
        raise refused("random_seed", "impl", "a generator, such as threefry_prng_impl", impl)

    def key(seed: ArrayLike) -> Array:
        return random.key(seed, impl=impl.name)

    if isinstance(seeds, int):  # which may have more bits than arrays
        return key(seeds)
    given = tnp.asarray(seeds)
    if not given.ndim:
        return key(given)
    found: Array = vmap(key)(tnp.ravel(given))
    return tnp.reshape(found, given.shape)


def threefry_2x32(keypair: ArrayLike, count: ArrayLike) -> Array:
    """The cipher Threefry-2x32 of counts, with a key of two words: as many random words, in the shape of `count`.

    Counts are encrypted in pairs, one of the first half with one of the second half.

    Raises:
        ArgumentError: they are no unsigned integers of 32 bits, or the key has not two words.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.extend.random import threefry_2x32
        >>> print(threefry_2x32(tnp.array([1, 2], tnp.uint32), tnp.arange(2, dtype=tnp.uint32)))
        [ 629003988 1317161160]
    """
    words = [*keypair] if isinstance(keypair, (tuple, list)) else as_array(keypair)
    if len(words) != 2:
        raise ArgumentError(f"threefry_2x32: a key has two words, got {len(words)}")
    first, second = (as_array(words[i]) for i in range(2))
    counts = as_array(count)
    for each in (first, second, counts):
        type = type_of(each)
        if type.dtype != np.uint32:
            raise ArgumentError(
                f"threefry_2x32: keys and counts are uint32, got {type}",
                fix="convert them with .astype('uint32')",
            )
    flat = tnp.ravel(counts)
    half = -(-flat.size // 2)
    low, high = flat[:half], flat[half:]
    if flat.size % 2:
        high = tnp.append(high, np.uint32(0))
    keys = tnp.broadcast_to(first, low.shape), tnp.broadcast_to(second, low.shape)
    found = tnp.concatenate(list(ops.threefry2x32(*keys, low, high)))
    return tnp.reshape(found[: flat.size], counts.shape)


def define_prng_impl(
    *,
    key_shape: tuple[int, ...],
    seed: Callable[[Array], Array],
    split: Callable[[Array, tuple[int, ...]], Array],
    random_bits: Callable[[Array, int, tuple[int, ...]], Array],
    fold_in: Callable[[Array, int], Array],
    name: str = "<unnamed>",
    tag: str = "?",
) -> PRNGImpl:
    """JAX makes generators of users' functions here.

    Raises:
        UnsupportedError: always: each generator is an element type that all operations on keys are written for.
    """
    raise UnsupportedError(
        f"define_prng_impl: the generator {name!r} cannot be added",
        fix="use threefry_prng_impl, rbg_prng_impl or unsafe_rbg_prng_impl; or draw from raw words with your functions",
    )
