"""JAX's place for what its random keys are made of."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

import treadle_numpy as tnp
from treadle_ir import ArgumentError, Array, frozen, ops, refused
from treadle_numpy import random

__all__ = [
    "random_seed",
    "rbg_prng_impl",
    "seed_with_impl",
    "threefry_2x32",
    "threefry_prng_impl",
    "unsafe_rbg_prng_impl",
]


@final
@frozen
class Generator:
    """A generator of random bits, by the name that `random.key` knows."""

    name: str
    tag: str  # as in the type of its keys
    key_shape: tuple[int, ...]


threefry_prng_impl: Final = Generator("threefry2x32", "fry", (2,))
rbg_prng_impl: Final = Generator("rbg", "rbg", (4,))
unsafe_rbg_prng_impl: Final = Generator("unsafe_rbg", "urbg", (4,))


def seed_with_impl(impl: Generator, seed: Any) -> Array:
    """A key of a generator.

    Raises:
        ArgumentError: the generator is none of this module.

    Example:
        >>> import treadle
        >>> from treadle.extend import random
        >>> treadle.random.key_impl(random.seed_with_impl(random.rbg_prng_impl, 3))
        'rbg'
    """
    if not isinstance(impl, Generator):
        raise refused("seed_with_impl", "impl", "a generator, such as threefry_prng_impl", impl)
    return random.key(seed, impl=impl.name)


def random_seed(seeds: Any, impl: Generator) -> Array:
    """`seed_with_impl` with its arguments the other way round; an array of seeds gives an array of keys.

    Raises:
        ArgumentError: the generator is none of this module.

    Example:
        >>> from treadle.extend import random
        >>> random.random_seed([1, 2, 3], random.threefry_prng_impl).shape
        (3,)
    """
    given = tnp.asarray(seeds)
    if not given.ndim:
        return seed_with_impl(impl, seeds)
    rows = [seed_with_impl(impl, each) for each in given.ravel()]
    return tnp.stack(rows).reshape(given.shape)


def threefry_2x32(keypair: Any, count: Any) -> Array:
    """The words that Threefry-2x32 of 20 rounds makes of counters under a key of two words.

    The first half of the counters are the first words of the blocks, the second half the second ones; an odd number
    is filled up with a zero.

    Shapes:
        keypair: two words of type uint32; count, result: any

    Raises:
        ArgumentError: something is not of type uint32.

    Source: J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", SC11.

    Example:
        >>> import numpy as np
        >>> from treadle.extend import random
        >>> print(random.threefry_2x32(np.zeros(2, np.uint32), np.zeros(2, np.uint32)))
        [1797259609 2579123966]
    """
    first, second = (tnp.asarray(word) for word in keypair)
    counters = tnp.asarray(count)
    if not (first.dtype == second.dtype == counters.dtype == np.uint32):
        raise ArgumentError(
            f"threefry_2x32: keys and counters must be of type uint32, got {first.dtype}, {second.dtype} and "
            f"{counters.dtype}",
            fix="convert with `.astype('uint32')`",
        )
    flat = counters.ravel()
    odd = flat.size % 2
    padded = tnp.pad(flat, (0, odd))
    half = padded.size // 2
    one, two = (tnp.broadcast_to(word, (half,)) for word in (first, second))
    words = tnp.concatenate(ops.threefry2x32(one, two, padded[:half], padded[half:]))
    return tnp.reshape(words[: flat.size], counters.shape)
