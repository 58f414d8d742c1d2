"""The generators of random numbers as objects, and the cipher of the default one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast, final

import numpy as np

import treadle.numpy as tnp
from treadle import random
from treadle.extend.core.primitives import threefry2x32_p as threefry2x32_p
from treadle_batching import vmap
from treadle_ir import ArgumentError, Array, DType, ops, type_of
from treadle_ir.calling import as_array
from treadle_ir.core.dtypes import GENERATORS, KeyDType
from treadle_ir.errors import boundaries, integer, integers, refused
from treadle_ir.process import frozen

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
    """A generator of random numbers: the shape of the words of a key, and its functions of the words of one key.

    It is taken wherever a generator is named: `random.key(0, impl=threefry_prng_impl)`.
    """

    key_shape: tuple[int, ...]
    seed: Callable[[ArrayLike], Array]
    split: Callable[[ArrayLike, tuple[int, ...]], Array]
    random_bits: Callable[[ArrayLike, int, tuple[int, ...]], Array]
    fold_in: Callable[[ArrayLike, ArrayLike], Array]
    name: str = "<unnamed>"
    tag: str = "?"

    @property
    def element_type_of_keys(self) -> DType:
        """The element type of its keys."""
        if isinstance(self.seed, _OfOwn):
            return GENERATORS[self.name]
        return cast("DType", KeyDType(self.tag, self, self.key_shape))

    def __repr__(self) -> str:
        return f"PRNGSpec({self.name!r})"


def _seed(name: str, seed: ArrayLike) -> Array:
    """Return the words of the key of a seed."""
    return random.key_data(random.key(seed, impl=name))


def _split(name: str, key: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Return the words of new keys from the words of one key."""
    return random.key_data(random.split(random.wrap_key_data(key, impl=name), shape))


def _random_bits(name: str, key: ArrayLike, bit_width: int, shape: tuple[int, ...]) -> Array:
    """Random unsigned integers of 8, 16, 32 or 64 bits, from the words of a key."""
    width = integer("random_bits", "bit_width", bit_width)
    if width not in (8, 16, 32, 64):
        raise ArgumentError(f"random_bits: bit_width must be 8, 16, 32 or 64, got {width}")
    return random.bits(random.wrap_key_data(key, impl=name), shape, f"uint{width}")


def _fold_in(name: str, key: ArrayLike, data: ArrayLike) -> Array:
    """Return the words of a key that depends on a number, too."""
    return random.key_data(random.fold_in(random.wrap_key_data(key, impl=name), data))


@final
@frozen
class _OfOwn:
    """A function of one of treadle's own generators; equal ones are the same, as generators are."""

    name: str
    function: Callable[..., Array]

    def __call__(self, *arguments: Any) -> Array:  # Any: as the function takes them
        return self.function(self.name, *arguments)


def _own(name: str, tag: str, words: int) -> PRNGImpl:
    """Return one of treadle's own generators."""
    seed, split, bits, fold = [_OfOwn(name, f) for f in (_seed, _split, _random_bits, _fold_in)]
    return PRNGImpl((words,), seed, split, bits, fold, name, tag)


threefry_prng_impl: Final = _own("threefry2x32", "fry", 2)
rbg_prng_impl: Final = _own("rbg", "rbg", 4)
unsafe_rbg_prng_impl: Final = _own("unsafe_rbg", "urbg", 4)


def seed_with_impl(impl: PRNGImpl, seed: ArrayLike) -> Array:
    """Return the key of a seed, for a generator.

    Raises:
        ArgumentError: it is not a generator, or the seed is not an integer.

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
        ArgumentError: it is not a generator, or the seeds are not integers.

    Example:
        >>> from treadle.extend.random import random_seed, threefry_prng_impl
        >>> random_seed([3, 4], threefry_prng_impl).shape
        (2,)
    """
    if not isinstance(impl, PRNGImpl):
        raise refused("random_seed", "impl", "a generator, such as threefry_prng_impl", impl)

    def key(seed: ArrayLike) -> Array:
        return random.key(seed, impl=impl)

    if isinstance(seeds, int):  # which may have more bits than arrays
        return key(seeds)
    given = tnp.asarray(seeds)
    if not given.ndim:
        return key(given)
    found: Array = vmap(key)(tnp.ravel(given))
    return tnp.reshape(found, given.shape)


def threefry_2x32(keypair: ArrayLike, count: ArrayLike) -> Array:
    """Return the cipher Threefry-2x32 of counts, with a key of two words: as many random words, in the shape of
    `count`.

    Counts are encrypted in pairs, one of the first half with one of the second half.

    Raises:
        ArgumentError: they are not unsigned integers of 32 bits, or the key does not have two words.

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
    fold_in: Callable[[Array, Array], Array],
    name: str = "<unnamed>",
    tag: str = "?",
) -> PRNGImpl:
    """Return a generator of random numbers of one's own; `random.key(0, impl=...)` makes keys of it.

    The functions see the words of one key, and may be traced, transformed and mapped over several. Two generators of
    the same functions, name and tag are the same one.

    Args:
        key_shape: the shape of the words of a key, which are uint32.
        seed: from an integer array without axes to the words of a key.
        split: from words and a shape to the words of new keys: an array of the shape [*shape, *key_shape].
        random_bits: from words, a number of bits and a shape to unsigned integers of so many bits, in that shape.
        fold_in: from words and a uint32 number to the words of another key.
        name: what `random.key_impl` shows, and messages.
        tag: what stands in the name of the keys' element type, key<tag>.

    Raises:
        ArgumentError: a key has no words.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle import random
        >>> def split(key, shape):
        ...     return key + tnp.arange(1, 1 + tnp.zeros(shape).size, dtype="uint32").reshape(*shape, 1)
        >>> counting = define_prng_impl(
        ...     key_shape=(1,),
        ...     seed=lambda seed: tnp.full(1, seed, "uint32"),
        ...     split=split,
        ...     random_bits=lambda key, width, shape: tnp.full(shape, key[0], f"uint{width}"),
        ...     fold_in=lambda key, data: key ^ data,
        ...     tag="count",
        ... )
        >>> random.split(random.key(4, impl=counting))
        Array((2,), dtype=key<count>) overlaying:
        [[5]
         [6]]
    """
    words = integers("define_prng_impl", "key_shape", key_shape)
    if not all(n > 0 for n in words):
        raise refused("define_prng_impl", "key_shape", "a shape with one word at least", key_shape)
    return PRNGImpl(words, seed, split, random_bits, fold_in, name, tag)


boundaries(__name__)
