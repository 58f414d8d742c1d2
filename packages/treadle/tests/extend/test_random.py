"""Generators as objects, and their cipher; figures are of the cipher's paper, or of JAX as a black box."""

from __future__ import annotations

import copy
import pickle
from math import prod
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.errors import ArgumentError
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
    again = pickle.loads(pickle.dumps(impl))
    assert impl == again
    assert len({impl, again}) == 1


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
    with pytest.raises(ArgumentError, match="key_shape"):
        counting(key_shape=(0,))


# --- generators of users --------------------------------------------------------------------------------


def seed_of(seed: Any) -> Any:
    return tnp.full(3, seed, "uint32")


def split_of(key: Any, shape: Any) -> Any:
    return (key + tnp.arange(prod(shape), dtype="uint32")[:, None]).reshape(*shape, 3)


def bits_of(key: Any, width: int, shape: Any) -> Any:
    mixed = key[0] * 7919 + tnp.arange(prod(shape), dtype="uint32") * np.uint32(2654435761)
    return mixed.reshape(shape).astype(f"uint{width}")


def fold_of(key: Any, data: Any) -> Any:
    return key ^ data


def counting(**functions: Any) -> PRNGImpl:
    """A generator whose numbers are easy to tell; `functions` replace some of its own."""
    given = {
        "key_shape": (3,),
        "seed": seed_of,
        "split": split_of,
        "random_bits": bits_of,
        "fold_in": fold_of,
        "name": "counting",
        "tag": "count",
    }
    return define_prng_impl(**{**given, **functions})


def test_keys_of_a_users_generator() -> None:
    key = random.key(5, impl=counting())
    assert (key.dtype.name, str(key.dtype), key.itemsize) == ("key<count>", "key<count>", 12)
    assert repr(key) == "Array((), dtype=key<count>) overlaying:\n[5 5 5]"
    assert treadle.dtypes.issubdtype(key.dtype, treadle.dtypes.prng_key)
    assert random.key_impl(key) == counting()
    assert random.key(1, impl=counting()).dtype == key.dtype
    assert random.key(1, impl=counting(tag="other")).dtype != key.dtype
    assert random.key(1, impl=counting(fold_in=lambda k, d: k)).dtype != key.dtype
    assert random.key(0, impl=key.dtype).dtype == key.dtype
    assert random.PRNGKey(5, impl=counting()).tolist() == [5, 5, 5]  # type: ignore[arg-type]
    wrapped = random.wrap_key_data(tnp.zeros((2, 3), "uint32"), impl=counting())  # type: ignore[arg-type]
    assert wrapped.shape == (2,)
    with pytest.raises(ArgumentError, match=r"u32\[3\] with 'counting'"):
        random.wrap_key_data(tnp.zeros((2, 2), "uint32"), impl=counting())  # type: ignore[arg-type]
    assert random.key_data(random.key(-1, impl=counting())).tolist() == [2**32 - 1] * 3
    seeds = treadle.vmap(lambda s: random.key(s, impl=counting()))(tnp.arange(2))
    assert random.key_data(seeds).tolist() == [[0, 0, 0], [1, 1, 1]]


def test_a_users_generator_draws() -> None:
    # The numbers are JAX's, of the same functions.
    key = random.key(5, impl=counting())
    assert random.key_data(random.split(key)).tolist() == [[5, 5, 5], [6, 6, 6]]
    assert random.split(key, (2, 2)).shape == (2, 2)
    assert random.key_data(random.fold_in(key, 3)).tolist() == [6, 6, 6]
    assert random.bits(key, (2,)).tolist() == [39595, 2654475356]
    assert random.bits(key, (2,), "uint8").tolist() == [171, 92]
    np.testing.assert_allclose(
        random.uniform(key, (3,)), [9.1791153e-06, 6.1804318e-01, 2.3607719e-01], rtol=1e-6
    )
    np.testing.assert_allclose(random.normal(key, (2,)), [-4.283253, 0.3003456], rtol=1e-5)
    assert random.permutation(key, 5).tolist() == [0, 2, 4, 1, 3]


@pytest.mark.parametrize("transform", [lambda f: f, treadle.jit], ids=["eager", "jit"])
def test_a_users_generator_is_transformed(transform: Any) -> None:
    key = random.key(5, impl=counting())
    keys = random.split(key, 4)
    uniform = transform(lambda k: random.uniform(k, (3,)))
    np.testing.assert_array_equal(uniform(key), random.uniform(key, (3,)))
    drawn = transform(treadle.vmap(lambda k: random.bits(k, (2,))))(keys)
    np.testing.assert_array_equal(drawn, [random.bits(k, (2,)) for k in keys])
    folded = transform(treadle.vmap(random.fold_in))(keys, tnp.arange(4))
    assert random.key_data(folded)[:, 0].tolist() == [5, 7, 5, 11]
    of_one = transform(treadle.vmap(random.fold_in, (None, 0)))(key, tnp.arange(3))
    assert random.key_data(of_one)[:, 0].tolist() == [5, 4, 7]

    def step(k: Any, _: Any) -> Any:
        return random.split(k)[1], random.bits(k)

    last, seen = transform(lambda k: lax.scan(step, k, None, length=3))(key)
    assert random.key_data(last).tolist() == [8, 8, 8]
    assert seen.tolist() == [39595, 47514, 55433]


@pytest.mark.parametrize("shape", [(3,), (2, 2)])
def test_keys_of_a_users_generator_are_moved(shape: tuple[int, ...]) -> None:
    impl = counting(
        key_shape=shape,
        seed=lambda seed: tnp.arange(prod(shape), dtype="uint32").reshape(shape) + seed,
        split=lambda key, new: key + tnp.arange(prod(new), dtype="uint32").reshape(*new, *[1] * len(shape)),
    )  # fmt: skip
    keys = random.split(random.key(tnp.uint32(7), impl=impl), 4)
    data = np.asarray(random.key_data(keys))
    moves: list[tuple[Any, Any]] = [
        (lambda x: x[1:3], lambda x: x[1:3]),
        (lambda x: x[tnp.array([2, 0])], lambda x: x[[2, 0]]),
        (lambda x: tnp.concatenate([x, x[:1]]), lambda x: np.concatenate([x, x[:1]])),
        (lambda x: x.reshape(2, 2).T, lambda x: x.reshape(2, 2, *shape).swapaxes(0, 1)),
        (lambda x: x.at[0].set(x[3]), lambda x: np.concatenate([x[3:], x[1:]])),
        (lambda x: tnp.where(tnp.array([True, False, True, False]), x, x[::-1]), lambda x: x[[0, 2, 2, 0]]),
        (lambda x: lax.cond(x[0] == x[0], lambda y: y[1], lambda y: y[0], x), lambda x: x[1]),
        (lambda x: tnp.zeros_like(x), np.zeros_like),
    ]  # fmt: skip
    for move, of_words in moves:
        for moved in (move(keys), treadle.jit(move)(keys)):
            np.testing.assert_array_equal(random.key_data(moved), of_words(data))
    same = treadle.jit(lambda x, y: (x == y, x != y))
    assert [x.tolist() for x in same(keys, keys[1])] == [
        [False, True, False, False],
        [True, False, True, True],
    ]
    assert bool((keys == keys).all())
    np.testing.assert_array_equal(random.key_data(treadle.device_put(keys)), data)


def test_keys_of_a_users_generator_are_copied() -> None:
    keys = random.split(random.key(5, impl=counting()), 2)
    for again in (pickle.loads(pickle.dumps(keys)), copy.deepcopy(keys)):
        assert again.dtype == keys.dtype
        assert bool((again == keys).all())


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"seed": lambda s: tnp.zeros(2, "uint32")}, r"shape \(3,\), got u32\[2\]"),
        ({"seed": lambda s: tnp.zeros(3)}, r"uint32, got f32\[3\]"),
        ({"split": lambda k, s: tnp.zeros(s, "uint32")}, r"shape \(2, 3\), got u32\[2\]"),
        ({"random_bits": lambda k, w, s: tnp.zeros(s)}, r"must give uint32, got f32\[2\]"),
        ({"random_bits": lambda k, w, s: tnp.zeros(3, "uint32")}, r"shape \(2,\), got u32\[3\]"),
        ({"fold_in": lambda k, d: k.astype(float)}, r"uint32, got f32\[3\]"),
    ],
)
def test_what_a_users_generator_must_give(functions: Any, message: str) -> None:
    def use() -> None:
        key = random.key(5, impl=counting(**functions))
        random.split(key)
        random.bits(key, (2,))
        random.fold_in(key, 1)

    with pytest.raises(TypeError, match=message):
        use()


def test_arithmetic_refuses_keys_of_a_users_generator() -> None:
    key = random.key(5, impl=counting())
    with pytest.raises(TypeError, match="random keys"):
        key + 1
    with pytest.raises(TypeError, match="NumPy array"):
        np.asarray(key)
