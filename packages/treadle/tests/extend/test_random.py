"""Generators as objects, and their cipher; figures are of the cipher's paper, or of JAX as a black box."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import random
from treadle.errors import ArgumentError, UnsupportedError
from treadle.extend.random import (
    PRNGImpl,
    define_prng_impl,
    random_seed,
    rbg_prng_impl,
    seed_with_impl,
    threefry2x32_p,
    threefry_2x32,
    threefry_prng_impl,
    unsafe_rbg_prng_impl,
)

ALL = (threefry_prng_impl, rbg_prng_impl, unsafe_rbg_prng_impl)


def words(*values: int) -> Any:
    return np.array(values, np.uint32)


@pytest.mark.parametrize(
    ("key", "count", "expected"),
    [  # of Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011), the known answers of threefry2x32
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF,) * 2, (0xFFFFFFFF,) * 2, (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers(key: Any, count: Any, expected: Any) -> None:
    found = threefry_2x32(words(*key), words(*count))
    assert tuple(map(int, found)) == expected


def test_counts_are_paired_by_halves() -> None:
    odd = threefry_2x32(words(1, 2), np.arange(5, dtype=np.uint32))
    assert odd.tolist() == [2052595727, 3504730591, 2527474599, 1880214352, 1914734168]
    even = threefry_2x32((np.uint32(1), np.uint32(2)), np.arange(6, dtype=np.uint32).reshape(2, 3))
    assert even.tolist() == [
        [2052595727, 3504730591, 1038787879],
        [1880214352, 1914734168, 1027009547],
    ]
    traced = treadle.jit(threefry_2x32)(words(1, 2), np.arange(5, dtype=np.uint32))
    np.testing.assert_array_equal(traced, odd)
    assert threefry_2x32(words(1, 2), words()).shape == (0,)
    (first, _) = threefry2x32_p.bind(words(1), words(2), words(0), words(1))
    assert first.tolist() == [629003988]


@pytest.mark.parametrize("impl", ALL, ids=lambda impl: impl.name)
def test_a_generator_does_what_its_keys_do(impl: PRNGImpl) -> None:
    key = random.key(7, impl=impl.name)
    data = random.key_data(key)
    assert random.key(7, impl=impl).dtype == key.dtype  # type: ignore[arg-type]
    assert impl.key_shape == data.shape
    np.testing.assert_array_equal(impl.seed(7), data)
    split = random.key_data(random.split(key, (2, 3)))
    np.testing.assert_array_equal(impl.split(data, (2, 3)), split)
    folded = random.key_data(random.fold_in(key, 5))
    np.testing.assert_array_equal(impl.fold_in(data, 5), folded)
    for width in (8, 16, 32):
        bits = random.bits(key, (4,), f"uint{width}")
        np.testing.assert_array_equal(impl.random_bits(data, width, (4,)), bits)
    with pytest.raises(ArgumentError, match="bit_width"):
        impl.random_bits(data, 12, (4,))
    assert impl == PRNGImpl(impl.name, impl.tag)
    assert len({impl, PRNGImpl(impl.name, impl.tag)}) == 1


@pytest.mark.parametrize("impl", ALL, ids=lambda impl: impl.name)
def test_seeds_of_any_shape(impl: PRNGImpl) -> None:
    one = random.key_data(random.key(3, impl=impl.name))
    np.testing.assert_array_equal(random.key_data(seed_with_impl(impl, 3)), one)
    keys = random_seed(tnp.arange(6).reshape(2, 3), impl)
    assert keys.shape == (2, 3)
    np.testing.assert_array_equal(random.key_data(keys)[1, 0], one)
    traced = treadle.jit(lambda s: random.key_data(random_seed(s, impl)))(np.arange(6))
    np.testing.assert_array_equal(traced, random.key_data(keys).reshape(6, -1))


def test_mistakes() -> None:
    with pytest.raises(ArgumentError, match="impl"):
        random_seed(3, "threefry2x32")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="two words"):
        threefry_2x32(words(1, 2, 3), words(1))
    with pytest.raises(ArgumentError, match="uint32"):
        threefry_2x32(words(1, 2), np.arange(3.0))
    with pytest.raises(UnsupportedError, match="'mine'"):
        define_prng_impl(
            key_shape=(2,),
            seed=lambda s: s,
            split=lambda k, s: k,
            random_bits=lambda k, w, s: k,
            fold_in=lambda k, d: k,
            name="mine",
        )
