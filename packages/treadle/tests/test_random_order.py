"""The older order of random bits: compared with the cipher in NumPy, and with JAX 0.10.2 in that mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from treadle import enable_x64, jit, random, threefry_partitionable, vmap

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
KEY = random.key(42)


@pytest.fixture(autouse=True)
def in_halves() -> Iterator[None]:
    with threefry_partitionable(False):
        yield


def cipher(key: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Threefry-2x32 with 20 rounds, after Salmon et al. 2011."""
    one, two = np.uint32(key[0]), np.uint32(key[1])
    words = (one, two, one ^ two ^ np.uint32(0x1BD11BDA))
    with np.errstate(over="ignore"):
        x, y = x + words[0], y + words[1]
        for group in range(5):
            for by in ROTATIONS[group % 2]:
                x = x + y
                y = (y << np.uint32(by) | y >> np.uint32(32 - by)) ^ x
            x = x + words[(group + 1) % 3]
            y = y + words[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def in_two_halves(key: Any, count: int) -> Any:
    counters = np.append(np.arange(count, dtype=np.uint32), [np.uint32(0)] * (count % 2))
    counters = counters.astype(np.uint32)
    return np.concatenate(cipher(key, *np.split(counters, 2)))[:count]


def bits(key: Any, size: int, dtype: Any) -> Any:
    width = np.dtype(dtype).itemsize
    words = in_two_halves(key, -(-size * width // 4))
    if width == 8:
        return words[:size].astype(dtype) << dtype(32) | words[size:].astype(dtype)
    return words.astype("<u4").view(dtype)[:size]  # of each word, the lowest bits first


@pytest.mark.parametrize("shape", [(), (1,), (4,), (5,), (3, 5), (0,), (2, 0)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_bits(shape: tuple[int, ...], dtype: Any) -> None:
    words = np.asarray(random.key_data(KEY))
    expected = bits(words, int(np.prod(shape)), dtype).reshape(shape)
    with enable_x64(True):
        for key in (KEY, words):
            np.testing.assert_array_equal(random.bits(key, shape, dtype), expected)
        np.testing.assert_array_equal(
            jit(lambda key: random.bits(key, shape, dtype))(KEY), expected
        )


@pytest.mark.parametrize("shape", [(2,), (3,), (2, 3), (0,)])
def test_new_keys(shape: tuple[int, ...]) -> None:
    words = np.asarray(random.key_data(KEY))
    expected = in_two_halves(words, 2 * int(np.prod(shape))).reshape(*shape, 2)
    np.testing.assert_array_equal(random.key_data(random.split(KEY, shape)), expected)
    np.testing.assert_array_equal(random.split(words, shape), expected)
    np.testing.assert_array_equal(
        jit(lambda key: random.key_data(random.split(key, shape)))(KEY), expected
    )


def test_a_batch_of_keys_is_each_key_for_itself() -> None:
    keys = random.split(KEY, 4)
    np.testing.assert_array_equal(
        vmap(lambda key: random.normal(key, (3,)))(keys),
        [random.normal(keys[i], (3,)) for i in range(4)],
    )


def test_what_jax_draws() -> None:
    assert random.permutation(KEY, 8).tolist() == [6, 0, 3, 7, 2, 5, 4, 1]
    np.testing.assert_allclose(
        random.normal(KEY, (3,)),
        [0.18693546950817, -1.28065049648285, -1.55931317806244],
        rtol=1e-6,
    )
    np.testing.assert_allclose(
        random.gamma(KEY, 2.5, (3,)), [0.67145127058, 3.61697292327881, 5.27343130111694], rtol=1e-5
    )


def test_compiled_functions_follow_the_order_in_force() -> None:
    draw = jit(lambda key: random.bits(key, (3,)))
    halves = draw(KEY)
    with threefry_partitionable(True):
        positions = draw(KEY)
        np.testing.assert_array_equal(positions, random.bits(KEY, (3,)))
    np.testing.assert_array_equal(draw(KEY), halves)
    assert not np.array_equal(halves, positions)


def test_the_device_generators_keep_their_bits() -> None:
    for name in ("rbg", "unsafe_rbg"):
        key = random.key(1, impl=name)
        found = random.bits(key, (3,))
        with threefry_partitionable(True):
            np.testing.assert_array_equal(found, random.bits(key, (3,)))
