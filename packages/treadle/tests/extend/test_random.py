from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
from treadle.errors import ArgumentError
from treadle.extend import random

U32 = np.uint32


# The vectors of the authors' Random123 distribution, `kat_vectors`: threefry2x32 with 20 rounds.
@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ([0, 0], [0, 0], [0x6B200159, 0x99BA4EFE]),
        ([0xFFFFFFFF] * 2, [0xFFFFFFFF] * 2, [0x1CB996FC, 0xBB002BE7]),
        ([0x13198A2E, 0x03707344], [0x243F6A88, 0x85A308D3], [0xC4923A9C, 0x483DF7A0]),
    ],
)
def test_known_answers(key: Any, counter: Any, words: Any) -> None:
    found = random.threefry_2x32(np.array(key, U32), np.array(counter, U32))
    assert found.tolist() == words


def test_halves_and_odd_numbers() -> None:
    key, count = np.array([1, 2], U32), np.arange(5, dtype=U32)
    whole = random.threefry_2x32(key, np.append(count, U32(0)))
    np.testing.assert_array_equal(random.threefry_2x32(key, count), whole[:5])
    np.testing.assert_array_equal(
        random.threefry_2x32(key, count[:4].reshape(2, 2)).ravel(),
        random.threefry_2x32(key, count[:4]),
    )
    with pytest.raises(ArgumentError, match="uint32"):
        random.threefry_2x32(key, np.arange(4))


@pytest.mark.parametrize(
    "impl", [random.threefry_prng_impl, random.rbg_prng_impl, random.unsafe_rbg_prng_impl]
)
def test_keys_of_generators(impl: Any) -> None:
    key = random.seed_with_impl(impl, 7)
    expected = treadle.random.key(7, impl=impl.name)
    assert key.dtype == expected.dtype
    words = treadle.random.key_data(key)
    assert words.shape == impl.key_shape
    np.testing.assert_array_equal(words, treadle.random.key_data(expected))
    several = random.random_seed(np.array([[7, 8]]), impl)
    assert several.shape == (1, 2)
    np.testing.assert_array_equal(treadle.random.key_data(several[0, 0]), words)
    assert random.random_seed(7, impl).shape == ()
    with pytest.raises(ArgumentError, match="a generator"):
        random.seed_with_impl("threefry2x32", 7)  # type: ignore[arg-type]
