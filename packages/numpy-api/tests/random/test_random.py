"""Random numbers: recorded from JAX 0.10.2, bit for bit where the computation is exact; keys as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_ir import ArgumentError, DTypeError, UnsupportedError
from treadle_ir.settings import X64
from treadle_numpy import lax, random
from treadle_numpy.numpy.dtypes.questions import issubdtype
from treadle_numpy.numpy.dtypes.types import extended, prng_key
from treadle_numpy.settings import SEED_OFFSET

KEY = np.array([0, 3], np.uint32)  # PRNGKey(3)
UNIT = [0.07405257225036621, 0.938144326210022, 0.6489570140838623, 0.9756209850311279]


def test_bits_of_floats() -> None:
    recorded = np.array([3216877086, 1083319539, 1076018069, 1083869698], np.uint32).view(
        np.float32
    )
    # XLA contracts multiply and add: the last bit may differ
    np.testing.assert_allclose(
        random.uniform(KEY, (4,), minval=-2.0, maxval=5.0), recorded, rtol=3e-7
    )
    assert np.asarray(random.uniform(KEY, (4,))).tolist() == UNIT


def test_recorded() -> None:
    assert np.asarray(random.split(KEY, 2)).tolist() == [
        [3716834203, 3481239269],
        [1946498123, 2217676430],
    ]
    assert np.asarray(random.fold_in(KEY, 11)).tolist() == [2324564934, 2910198250]
    assert np.asarray(random.bits(KEY, (5,), "uint8")).tolist() == [126, 197, 222, 48, 174]
    assert np.asarray(random.randint(KEY, (5,), 0, 10)).tolist() == [5, 9, 5, 4, 6]
    assert np.asarray(random.randint(KEY, (5,), 0, 100, "uint8")).tolist() == [95, 39, 5, 54, 16]
    assert np.asarray(random.permutation(KEY, 10)).tolist() == [0, 5, 6, 7, 4, 2, 1, 3, 9, 8]
    assert np.asarray(random.choice(KEY, 5, (4,), replace=False)).tolist() == [0, 4, 2, 1]
    assert np.asarray(random.bernoulli(KEY, 0.3, (4,))).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    "name", ["uniform", "normal", "gumbel", "exponential", "laplace", "logistic", "cauchy"]
)
def test_staged_as_eager(name: str, staged: Callable[..., Any]) -> None:
    function = getattr(random, name)
    np.testing.assert_array_equal(staged(lambda k: function(k, (7,)), KEY), function(KEY, (7,)))


@pytest.mark.parametrize(
    ("name", "mean", "variance"),
    [
        ("uniform", 0.5, 1 / 12),
        ("normal", 0.0, 1.0),
        ("exponential", 1.0, 1.0),
        ("gumbel", 0.5772, np.pi**2 / 6),
    ],
)
def test_moments(name: str, mean: float, variance: float) -> None:
    drawn = np.asarray(getattr(random, name)(random.key(1), (20000,)))
    assert abs(drawn.mean() - mean) < 0.05
    assert abs(drawn.var() - variance) < 0.06


def test_typed_and_raw_keys_have_the_same_bits() -> None:
    typed = random.key(3)
    assert np.asarray(random.key_data(typed)).tolist() == KEY.tolist()
    np.testing.assert_array_equal(random.key_data(random.split(typed, 3)), random.split(KEY, 3))
    np.testing.assert_array_equal(
        random.key_data(random.fold_in(typed, 11)), random.fold_in(KEY, 11)
    )
    for draw in (random.normal, random.bits, random.uniform, random.gumbel):
        np.testing.assert_array_equal(draw(typed, (5,)), draw(KEY, (5,)))
    np.testing.assert_array_equal(random.permutation(typed, 10), random.permutation(KEY, 10))


def test_keys_have_an_abstract_element_type() -> None:
    dtype = random.key(0).dtype
    assert issubdtype(dtype, prng_key)
    assert issubdtype(dtype, extended)
    assert issubdtype(prng_key, extended)
    assert not issubdtype(extended, prng_key)
    assert not issubdtype(dtype, np.integer)
    assert not issubdtype(np.dtype(np.uint64), prng_key)


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg", "unsafe_rbg"])
def test_numpys_type_of_keys_equals_their_element_type(impl: str) -> None:
    keys = random.split(random.key(0, impl=impl), 3)
    dtype = random.key_dtype(impl)
    plain = np.asarray(random.key_data(keys)).view(dtype).dtype
    moved = [keys, keys[0], tnp.stack([keys, keys])]
    assert all(each.dtype == dtype == plain for each in moved)
    assert issubdtype(plain, prng_key)


@pytest.mark.parametrize(
    "made",
    [
        lambda keys: tnp.ones_like(keys),
        lambda keys: tnp.full((2,), 7, keys.dtype),
        lambda keys: tnp.array(7, keys.dtype),
        lambda keys: tnp.array([1, 2], keys.dtype),
        lambda keys: tnp.pad(keys, 1),
        lambda keys: tnp.where(True, keys, 0),
        lambda keys: lax.bitcast_convert_type(random.key_data(keys), keys.dtype),
    ],
)
def test_numbers_do_not_become_keys(made: Callable[[Any], Any]) -> None:
    with pytest.raises(DTypeError, match="random keys"):
        made(random.split(random.key(0), 3))


@pytest.mark.parametrize("function", [tnp.add, tnp.sin, tnp.sum, tnp.cumsum, tnp.sort, tnp.argmax])
def test_keys_take_no_part_in_arithmetic(function: Callable[..., Any]) -> None:
    keys = random.split(random.key(0), 3)
    with pytest.raises(DTypeError, match="random keys") as caught:
        function(*[keys] * (2 if function is tnp.add else 1))
    assert "random.key_data(key)" in "".join(caught.value.__notes__)


def test_wrapping_is_undone_by_unwrapping() -> None:
    words = np.arange(12, dtype=np.uint32).reshape(2, 3, 2)
    keys = random.wrap_key_data(words)
    assert keys.shape == (2, 3)
    np.testing.assert_array_equal(random.key_data(keys), words)
    np.testing.assert_array_equal(random.key_data(keys[1, 2]), words[1, 2])


def test_keys_of_zeros() -> None:
    keys = random.split(random.key(0), 3)
    for made in (tnp.zeros_like(keys), tnp.empty_like(keys), tnp.zeros(3, keys.dtype)):
        assert np.asarray(random.key_data(made)).tolist() == [[0, 0]] * 3
    assert bool((tnp.full((2,), keys[1]) == keys[1]).all())


def test_permutation_and_choice_of_keys() -> None:
    keys = random.split(random.key(1), 5)
    mixed = random.permutation(random.key(0), keys)
    order = np.asarray(random.permutation(random.key(0), 5))
    np.testing.assert_array_equal(random.key_data(mixed), np.asarray(random.key_data(keys))[order])
    assert random.choice(random.key(0), keys, (2,)).shape == (2,)


def test_what_is_no_key_is_refused() -> None:
    with pytest.raises(ArgumentError, match="must be a random key"):
        random.uniform(0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="a raw key is u32"):
        random.uniform(np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="accepts a single key"):
        random.uniform(random.split(random.key(0)))
    with pytest.raises(ArgumentError, match="typed keys already"):
        random.wrap_key_data(random.key(0))
    with pytest.raises(ArgumentError, match="must be a random key"):
        random.key_data(1)  # type: ignore[arg-type]  # the mistake


def test_implementations() -> None:
    for impl in (None, "threefry2x32", random.key_dtype()):
        assert random.key_impl(random.key(3, impl=impl)) == "threefry2x32"
        np.testing.assert_array_equal(random.PRNGKey(3, impl=impl), KEY)
        np.testing.assert_array_equal(random.key_data(random.wrap_key_data(KEY, impl=impl)), KEY)
    assert random.key(3, dtype=random.key_dtype()).dtype == random.key_dtype("threefry2x32")
    makers: list[Callable[..., Any]] = [
        lambda **more: random.key(3, **more),
        lambda **more: random.PRNGKey(3, **more),
        lambda **more: random.wrap_key_data(KEY, **more),
        lambda impl: random.key_dtype(impl),
    ]
    for make in makers:
        with pytest.raises(UnsupportedError, match="'philox4x32' is not there"):
            make(impl="philox4x32")
        with pytest.raises(ArgumentError, match="unrecognized"):
            make(impl="dice")
        with pytest.raises(ArgumentError, match="unrecognized"):
            make(impl=3)
    with pytest.raises(ArgumentError, match="both"):
        random.key(3, impl="threefry2x32", dtype=random.key_dtype())
    with pytest.raises(ArgumentError, match="unrecognized"):
        random.key(3, dtype=np.dtype(np.uint32))


def test_twice_as_many_bits() -> None:
    recorded = [2.564755916595459, -1.0235120058059692, -0.045782435685396194]
    np.testing.assert_allclose(random.gumbel(KEY, (3,), mode="high"), recorded, rtol=1e-5)
    found = np.asarray(random.bernoulli(KEY, 0.3, (4,), mode="high"))
    assert found.tolist() == [True, False, False, False]
    logits = np.sin(np.arange(20, dtype=np.float32)).reshape(4, 5)
    assert random.categorical(KEY, logits, mode="high").tolist() == [0, 3, 3, 0]
    drawn = random.choice(KEY, 5, (3,), replace=False, p=np.full(5, 0.2, np.float32), mode="high")
    assert drawn.tolist() == [0, 4, 2]
    draws: list[Callable[[], Any]] = [
        lambda: random.gumbel(KEY, (3,), mode="middle"),
        lambda: random.bernoulli(KEY, mode="middle"),
        lambda: random.categorical(KEY, logits, mode="middle"),
        lambda: random.choice(KEY, 5, mode="middle"),
    ]
    for draw in draws:
        with pytest.raises(ArgumentError, match="there is no mode 'middle'"):
            draw()


def test_the_offset_is_added_to_seeds() -> None:
    """To Python integers and to arrays; the words carry into each other."""
    with SEED_OFFSET.override(1):
        for seed in (6, np.int32(6)):
            assert np.asarray(random.PRNGKey(seed)).tolist() == [0, 7]
        with X64.override(True):
            assert np.asarray(random.PRNGKey(2**32 - 1)).tolist() == [1, 0]


def test_seeds_of_64_bits_have_two_words() -> None:
    """Both words of a seed make a key; without 64-bit types the upper one is cut off, as in JAX."""
    with X64.override(True):
        for seed in (1, 2**32 + 1, 5 << 40 | 7, 2**63 - 1):
            for words in (random.PRNGKey(seed), random.PRNGKey(np.int64(seed))):
                assert np.asarray(words).tolist() == [seed >> 32, seed & 0xFFFFFFFF]
    assert np.asarray(random.PRNGKey(2**32 + 1)).tolist() == [0, 1]
