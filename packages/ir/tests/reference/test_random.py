import numpy as np
import pytest

from treadle_ir import ops
from treadle_ir.primitives.random import PARITY, ROTATIONS, ROUNDS
from treadle_ir.reference import keys_of_words, random, words_of_keys
from treadle_ir.reference.registry import Elements
from treadle_ir.testing.golden_random import BITS, FOLD_IN, KEYS, MANY, SPLIT


def block(key0: int, key1: int, x0: int, x1: int) -> tuple[int, int]:
    """One block of the cipher, in Python's integers."""
    keys = (key0, key1, key0 ^ key1 ^ PARITY)
    rotations = (ROTATIONS[:4], ROTATIONS[4:])
    x0, x1 = (x0 + key0) % 2**32, (x1 + key1) % 2**32
    for number in range(ROUNDS // 4):
        for r in rotations[number % 2]:
            x0 = (x0 + x1) % 2**32
            x1 = ((x1 << r | x1 >> 32 - r) ^ x0) % 2**32
        x0 = (x0 + keys[(number + 1) % 3]) % 2**32
        x1 = (x1 + keys[(number + 2) % 3] + number + 1) % 2**32
    return x0, x1


def key(name: str) -> Elements:
    return np.array(KEYS[name], np.uint32)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((0, 0, 0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF,) * 4, (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344, 0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry_known_answers(
    words: tuple[int, int, int, int], expected: tuple[int, int]
) -> None:
    # the known answers published with Salmon et al. 2011 (Random123, kat_vectors, threefry2x32 with 20 rounds)
    assert block(*words) == expected
    arrays = [np.full(5, word, np.uint32) for word in words]
    y0, y1 = ops.threefry2x32(*arrays)
    np.testing.assert_array_equal(y0, np.full(5, expected[0], np.uint32))
    np.testing.assert_array_equal(y1, np.full(5, expected[1], np.uint32))
    z0, z1 = ops.threefry2x32(*(np.uint32(word) for word in words))
    assert (int(np.asarray(z0)), int(np.asarray(z1))) == expected


@pytest.mark.parametrize(("name", "width", "shape"), BITS)
def test_bits_are_those_of_jax(name: str, width: int, shape: tuple[int, ...]) -> None:
    bits = np.asarray(ops.random_bits(key(name), shape=shape, bit_width=width))
    assert bits.dtype == np.dtype(f"u{width // 8}")
    assert bits.tolist() == BITS[name, width, shape]


@pytest.mark.parametrize(("name", "width"), MANY)
def test_many_bits_are_those_of_jax(name: str, width: int) -> None:
    bits = np.asarray(ops.random_bits(key(name), shape=(10000,), bit_width=width))
    assert [int(bits[0]), int(bits[-1]), int(np.bitwise_xor.reduce(bits))] == MANY[name, width]


@pytest.mark.parametrize(("name", "shape"), SPLIT)
def test_split_keys_are_those_of_jax(name: str, shape: tuple[int, ...]) -> None:
    assert np.asarray(ops.random_split(key(name), shape=shape)).tolist() == SPLIT[name, shape]


@pytest.mark.parametrize(("name", "data"), FOLD_IN)
def test_folded_keys_are_those_of_jax(name: str, data: int) -> None:
    assert (
        np.asarray(ops.random_fold_in(key(name), np.uint32(data))).tolist() == FOLD_IN[name, data]
    )


def test_counters_above_32_bits_use_the_high_word() -> None:
    # The kernel's counters are 64 bits wide; a shape of that size does not fit into a test, its arithmetic does.
    y0, y1 = np.empty(8, np.uint32), np.empty(8, np.uint32)
    random._counted(1, 2, 8, y0, y1)
    assert [(int(a), int(b)) for a, b in zip(y0, y1, strict=True)] == [
        block(1, 2, 0, at) for at in range(8)
    ]
    x0, x1 = np.array([1], np.uint32), np.array([7], np.uint32)
    random._encrypt(np.asarray(1, np.uint32), np.asarray(2, np.uint32), x0, x1)
    assert (int(x0[0]), int(x1[0])) == block(1, 2, 1, 7)


def test_several_keys_are_independent() -> None:
    keys = np.array([KEYS["a"], KEYS["b"]], np.uint32)
    bits = np.asarray(ops.random_bits(keys, shape=(5,)))
    assert bits.tolist() == [BITS["a", 32, (5,)], BITS["b", 32, (5,)]]


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3, 4), (300,)])
def test_typed_keys_are_split_like_their_words(shape: tuple[int, ...]) -> None:
    typed = ops.random_split(keys_of_words(key("a")), shape=shape)
    words = ops.random_split(key("a"), shape=shape)
    np.testing.assert_array_equal(words_of_keys(np.asarray(typed)), np.asarray(words))
