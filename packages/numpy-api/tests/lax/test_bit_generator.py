"""Bits of counters: known answers, NumPy's Philox of 64 bits is another cipher, so Python's integers are the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError, UnsupportedError
from treadle_ir.settings import X64
from treadle_numpy.lax import RandomAlgorithm, rng_bit_generator, rng_uniform

STATE = np.array([1, 2, 0xFFFFFFFE, 4], np.uint32)
MASK = 0xFFFFFFFF


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Ten rounds of Philox-4x32."""
    for _ in range(10):
        one, other = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (other >> 32) ^ counter[1] ^ key[0],
            other & MASK,
            (one >> 32) ^ counter[3] ^ key[1],
            one & MASK,
        ]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return counter


def test_the_papers_known_answers() -> None:
    """Random123's vectors: zeros, and ones in every bit (of the words that the state has)."""
    _, bits = rng_bit_generator(np.zeros(4, np.uint32), (4,))
    assert [hex(x) for x in bits] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]
    _, bits = rng_bit_generator(np.full(4, MASK, np.uint32), (4,))
    assert [hex(x) for x in bits] == ["0x408f276d", "0x41c83b0e", "0xa20bc7c6", "0x6d5451fd"]
    _, bits = rng_bit_generator(
        np.zeros(4, np.uint32), (2,), algorithm=RandomAlgorithm.RNG_THREE_FRY
    )
    assert [hex(x) for x in bits] == ["0x6b200159", "0x99ba4efe"]


@pytest.mark.parametrize("shape", [(), (1,), (4,), (5,), (2, 3), (0, 3), (3, 4)])
def test_philox_against_pythons_integers(shape: Any) -> None:
    """The counter carries into its upper word; the next state is the counter after the blocks that were used."""
    with X64.override(True):
        for state in (STATE, STATE.view(np.uint64)):
            size = int(np.prod(shape))
            after, bits = rng_bit_generator(state, shape, np.uint32, RandomAlgorithm.RNG_PHILOX)
            counter = (4 << 32) + 0xFFFFFFFE
            words: list[int] = []
            while len(words) < size:
                words += philox(
                    [counter & MASK, counter >> 32 & MASK, 1 + (counter >> 64), 2], [1, 2]
                )
                counter += 1
            assert np.asarray(bits).ravel().tolist() == words[:size]
            assert after.dtype == state.dtype
            assert np.asarray(after).view(np.uint64).tolist() == [(2 << 32) + 1, counter]


def test_element_types_share_the_words() -> None:
    with X64.override(True):
        for algorithm in RandomAlgorithm:
            _, words = rng_bit_generator(STATE, (8,), algorithm=algorithm)
            for dtype in (np.uint8, np.uint16):
                _, bits = rng_bit_generator(STATE, (8,), dtype, algorithm)
                np.testing.assert_array_equal(bits, np.asarray(words).astype(dtype))
            _, wide = rng_bit_generator(STATE, (4,), np.uint64, algorithm)
            np.testing.assert_array_equal(np.asarray(wide).view(np.uint32), words)


@pytest.mark.parametrize("algorithm", list(RandomAlgorithm))
def test_states_continue(algorithm: RandomAlgorithm) -> None:
    """Two calls of four blocks each are one call of eight, where blocks are complete."""
    middle, first = rng_bit_generator(STATE, (16,), algorithm=algorithm)
    last, second = rng_bit_generator(middle, (16,), algorithm=algorithm)
    end, both = rng_bit_generator(STATE, (32,), algorithm=algorithm)
    np.testing.assert_array_equal(np.concatenate([first, second]), both)
    np.testing.assert_array_equal(last, end)


def test_traced(staged: Any) -> None:
    found = staged(lambda state: rng_bit_generator(state, (3, 3))[1], STATE)
    np.testing.assert_array_equal(found, rng_bit_generator(STATE, (3, 3))[1])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rng_bit_generator(STATE[:2], (2,)), ShapeError, "four uint32 or two uint64"),
        (lambda: rng_bit_generator(STATE.view(np.int32), (2,)), ShapeError, "got int32 of shape"),
        (lambda: rng_bit_generator(STATE, (2,), np.int32), DTypeError, "unsupported dtype int32"),
        (lambda: rng_bit_generator(STATE, (-2,)), ShapeError, "negative size"),
        (lambda: rng_bit_generator(STATE, (2,), algorithm=3), ArgumentError, "a RandomAlgorithm"),
        (lambda: rng_uniform(0.0, 1.0, (2,)), UnsupportedError, "no generator with a state"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
