"""Keys of 128 bits, of the generators rbg and unsafe_rbg: move as others do, and draw as they are defined to.

Stored numbers are from jax 0.10.2 on the CPU, run as a black box.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.test_keys import MOVES, words
from conformance.truth import generated
from treadle import lax, random

pytestmark = [pytest.mark.xla, pytest.mark.installed]

WIDE = ("rbg", "unsafe_rbg")
NAMES = {"rbg": "key<rbg>", "unsafe_rbg": "key<urbg>"}


def keys_of(impl: str, count: int) -> Any:
    return random.split(random.key(7, impl=impl), count)


@pytest.mark.parametrize("impl", WIDE)
@pytest.mark.parametrize("name", MOVES)
def test_what_moves_keys_moves_their_words(name: str, impl: str) -> None:
    move, same = MOVES[name]
    keys = keys_of(impl, 6)
    expected = words(keys)
    if name == "take":
        expected = np.full(4, 2**32 - 1, np.uint32)
    elif name in ("reshape", "transpose"):
        expected = expected.reshape(2, 3, 4)
        expected = expected.transpose(1, 0, 2) if name == "transpose" else expected
    else:
        expected = same(expected)
    for moved in (move(keys), treadle.jit(move)(keys)):
        assert moved.dtype == keys.dtype
        np.testing.assert_array_equal(words(moved), expected)
    batched = treadle.jit(treadle.vmap(move))(tnp.stack([keys, keys]))
    np.testing.assert_array_equal(words(batched[1]), expected)


@pytest.mark.parametrize("impl", WIDE)
def test_stored_numbers(impl: str) -> None:
    key = random.key(7, impl=impl)
    split = {
        "rbg": [
            [3625411723, 1954958720, 3625411723, 1954958720],
            [195045567, 4062205631, 195045567, 4062205631],
        ],
        "unsafe_rbg": [
            [3109483441, 1367189518, 2515982561, 3310080778],
            [3848958661, 3271070264, 2639373597, 23941900],
        ],
    }[impl]
    folded = {
        "rbg": [3583082021, 1947592014, 3583082021, 1947592014],
        "unsafe_rbg": [3810769997, 2355009018, 1837142617, 748193193],
    }[impl]
    for run in (lambda f, *xs: f(*xs), lambda f, *xs: treadle.jit(f)(*xs)):
        assert words(run(random.split, key)).tolist() == split
        assert words(run(lambda k: random.fold_in(k, 5), key)).tolist() == folded
        bits = run(lambda k: random.bits(k, (4,)), key)
        assert np.asarray(bits).tolist() == [3109483441, 1367189518, 2515982561, 3310080778]
        assert np.asarray(run(lambda k: random.bits(k, (3,), "uint8"), key)).tolist() == [
            177,
            14,
            225,
        ]


@pytest.mark.parametrize("impl", WIDE)
def test_a_batch_draws_from_its_first_key(impl: str) -> None:
    keys = keys_of(impl, 3)
    expected = [generated(words(keys), at, 32) for at in range(6)]
    for drawn in (
        treadle.vmap(lambda k: random.bits(k, (2,)))(keys),
        treadle.jit(treadle.vmap(lambda k: random.bits(k, (2,))))(keys),
    ):
        assert np.asarray(drawn).ravel().tolist() == expected


def test_split_and_fold_in_of_rbg_are_a_loop_under_vmap() -> None:
    keys = keys_of("rbg", 3)
    np.testing.assert_array_equal(
        words(treadle.vmap(random.split)(keys)), [words(random.split(k)) for k in keys]
    )
    np.testing.assert_array_equal(
        words(treadle.vmap(random.fold_in)(keys, tnp.arange(3))),
        [words(random.fold_in(k, i)) for i, k in enumerate(keys)],
    )


@pytest.mark.parametrize("impl", WIDE)
def test_text_and_names(impl: str) -> None:
    key = random.key(7, impl=impl)
    assert repr(key) == f"Array((), dtype={NAMES[impl]}) overlaying:\n[0 7 0 7]"
    assert random.key_impl(key) == impl
    assert random.key_dtype(impl) == key.dtype
    assert random.key(7, dtype=key.dtype) == key
    assert key.itemsize == 16
    assert NAMES[impl] in str(treadle.make_jaxpr(random.split)(key))
    assert bool(random.wrap_key_data(random.key_data(key), impl=impl) == key)
    assert random.PRNGKey(7, impl=impl).tolist() == [0, 7, 0, 7]


@pytest.mark.parametrize("impl", WIDE)
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies(again: Any, impl: str) -> None:
    for keys in (keys_of(impl, 3), treadle.jit(lambda: keys_of(impl, 3))()):
        made = again(keys)
        assert made.type is keys.type
        np.testing.assert_array_equal(words(made), words(keys))


@pytest.mark.parametrize("impl", WIDE)
def test_control_flow(impl: str) -> None:
    keys = keys_of(impl, 4)

    def step(carry: Any, key: Any) -> Any:
        carry = lax.cond(
            random.bits(key) % 2 == 0, lambda c: random.fold_in(c, 1), lambda c: c, carry
        )
        return carry, (key, random.uniform(carry))

    def run(keys: Any) -> Any:
        return lax.scan(step, keys[0], keys, reverse=True)

    carry, (passed, drawn) = treadle.jit(run)(keys)
    np.testing.assert_array_equal(words(passed), words(keys))
    expected, numbers = keys[0], []
    for key in reversed(list(keys)):
        expected, (_, number) = step(expected, key)
        numbers.append(float(number))
    np.testing.assert_array_equal(words(carry), words(expected))
    np.testing.assert_array_equal(drawn[::-1], np.array(numbers, np.float32))
    looped = treadle.jit(lambda k: lax.fori_loop(0, 3, lambda i, c: random.fold_in(c, i), k))
    expected = keys[0]
    for i in range(3):
        expected = random.fold_in(expected, i)
    np.testing.assert_array_equal(words(looped(keys[0])), words(expected))


def test_the_default_generator_is_that_of_raw_keys() -> None:
    with treadle.default_prng_impl("rbg"):
        raw = random.PRNGKey(3)
        assert raw.tolist() == [0, 3, 0, 3]
        assert random.key_impl(raw) == random.key_impl(random.key(3)) == "rbg"
        typed = random.key(3)
        np.testing.assert_array_equal(random.split(raw), words(random.split(typed)))
        np.testing.assert_array_equal(random.fold_in(raw, 2), words(random.fold_in(typed, 2)))
        np.testing.assert_array_equal(random.normal(raw, (3,)), random.normal(typed, (3,)))
        assert treadle.jit(random.key)(3).dtype == typed.dtype
        with pytest.raises(TypeError, match="raw key is u32"):
            random.split(tnp.zeros(2, np.uint32))
    assert treadle.jit(random.key)(3).dtype == random.key(3).dtype


def test_generators_do_not_mix() -> None:
    keys = [random.key(1), random.key(1, impl="rbg"), random.key(1, impl="unsafe_rbg")]
    for one, other in [(keys[0], keys[1]), (keys[1], keys[2])]:
        with pytest.raises(TypeError):
            tnp.stack([one, other])
        with pytest.raises(TypeError):
            one == other  # noqa: B015
        with pytest.raises(TypeError):
            one.astype(other.dtype)
    with pytest.raises(ValueError, match="unrecognized PRNG implementation"):
        random.key(0, impl="nope")
    with pytest.raises(ValueError, match="raw key is u32"):
        random.wrap_key_data(np.zeros(2, np.uint32), impl="rbg")


@pytest.mark.parametrize("impl", WIDE)
def test_distributions_have_their_moments(impl: str) -> None:
    one, two = random.split(random.key(11, impl=impl))
    drawn = np.asarray(random.normal(one, (20000,)), np.float64)
    assert abs(drawn.mean()) < 4 / 20000**0.5
    assert abs(drawn.std() - 1) < 4 / 40000**0.5
    gammas = np.asarray(random.gamma(two, 3.0, (20000,)), np.float64)
    assert abs(gammas.mean() - 3) < 4 * (3 / 20000) ** 0.5


def test_arrays_of_many_keys_go_to_the_device_and_back() -> None:
    keys = treadle.jit(lambda k: random.split(k, 70000))(random.key(1, impl="rbg"))
    again = treadle.jit(lambda k: k[::-1])(keys)
    np.testing.assert_array_equal(words(again)[::-1], words(keys))
    donated = treadle.jit(lambda k: k.T, donate_argnums=0)(again)
    np.testing.assert_array_equal(words(donated)[::-1], words(keys))
