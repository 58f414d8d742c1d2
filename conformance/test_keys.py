"""Random keys are arrays: they compare, stack, index, pickle and go through transformations, and are not numbers.

Laws: what moves keys moves their words; vmap is a loop over keys; compiled is eager, bit for bit.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import Array, lax, random
from treadle.dtypes import extended, issubdtype, prng_key
from treadle.typing import ArrayLike

pytestmark = [pytest.mark.xla, pytest.mark.installed]


def words(keys: Any) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The words of keys, as NumPy has them."""
    return np.asarray(random.key_data(keys))


def split(count: int, seed: int = 7) -> Array:
    return random.split(random.key(seed), count)


# --- keys are arrays ------------------------------------------------------------------------------------


def test_keys_are_leaves_and_arrays() -> None:
    keys = random.split(random.key(0), 3)
    (leaf,) = treadle.tree.leaves(keys)
    assert leaf is keys
    assert isinstance(keys, Array)
    assert (keys.shape, keys.ndim, keys.size, keys.itemsize) == ((3,), 1, 3, 8)
    assert issubdtype(keys.dtype, prng_key)
    assert issubdtype(keys.dtype, extended)
    assert not issubdtype(keys.dtype, np.integer)
    assert not issubdtype(np.dtype(np.uint64), prng_key)


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg", "unsafe_rbg"])
def test_keys_that_were_moved_have_the_same_element_type(impl: str) -> None:
    keys = random.split(random.key(0, impl=impl), 3)
    for moved in (keys[0], tnp.stack([keys, keys]), pickle.loads(pickle.dumps(keys))):
        assert moved.dtype is keys.dtype
        assert moved.dtype.type is prng_key


@pytest.mark.parametrize(
    ("impl", "name"),
    [("threefry2x32", "key<fry>"), ("rbg", "key<rbg>"), ("unsafe_rbg", "key<urbg>")],
)
def test_the_element_type_has_the_name_of_its_generator(impl: str, name: str) -> None:
    dtype: Any = random.key(0, impl=impl).dtype
    assert dtype.name == str(dtype) == repr(dtype) == name
    assert not isinstance(dtype, np.dtype)
    assert dtype.type is prng_key
    assert dtype == random.key_dtype(impl) == random.split(random.key(1, impl=impl))[0].dtype
    assert hash(dtype) == hash(random.key_dtype(impl))
    assert random.key_impl(random.key(0, impl=dtype)) == impl
    for again in (pickle.loads(pickle.dumps(dtype)), copy.copy(dtype), copy.deepcopy(dtype)):
        assert again is dtype
    for other in (np.uint64, np.float32, tnp.float32, np.dtype("uint64"), "float32", None):
        assert dtype != other
        assert other != dtype
    assert tnp.result_type(dtype) == dtype
    assert name in str(treadle.ShapeDtypeStruct((2,), dtype))
    assert repr(treadle.eval_shape(random.split, random.key(0, impl=impl))) == (
        f"ShapeDtypeStruct(shape=(2,), dtype={name})"
    )
    assert f"{name}[2] = random_split" in str(
        treadle.make_jaxpr(random.split)(random.key(0, impl=impl))
    )
    with pytest.raises(TypeError, match=name):
        tnp.finfo(dtype)


def test_equality_is_by_value() -> None:
    keys = split(3)
    assert np.asarray(keys == split(3)).tolist() == [True] * 3
    assert np.asarray(keys == keys[1]).tolist() == [False, True, False]
    assert np.asarray(keys != keys[1]).tolist() == [True, False, True]
    assert bool(tnp.array_equal(keys, split(3)))
    assert not bool(random.key(0) == random.key(1))


def test_keys_have_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(random.key(0))


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0,)])
def test_copies(again: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    for keys in (
        random.split(random.key(5), shape),
        treadle.jit(random.split, static_argnums=1)(random.key(5), shape),
    ):
        made = again(keys)
        assert made.type is keys.type
        np.testing.assert_array_equal(words(made), words(keys))
        assert random.key_impl(made) == "threefry2x32"


MOVES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    # What moves keys, and what moves rows of words in the same way.
    "reshape": (lambda k: k.reshape(2, 3), lambda w: w.reshape(2, 3, 2)),
    "transpose": (lambda k: k.reshape(2, 3).T, lambda w: w.reshape(2, 3, 2).transpose(1, 0, 2)),
    "ravel": (lambda k: k.reshape(3, 2).ravel(), lambda w: w),
    "index": (lambda k: k[2], lambda w: w[2]),
    "slice": (lambda k: k[4:1:-2], lambda w: w[4:1:-2]),
    "positions": (lambda k: k[tnp.array([5, 0, 0])], lambda w: w[[5, 0, 0]]),
    "mask": (
        lambda k: tnp.where(tnp.arange(6) % 2 == 0, k, k[0]),
        lambda w: np.where((np.arange(6) % 2 == 0)[:, None], w, w[0]),
    ),
    "stack": (lambda k: tnp.stack([k[1], k[0]]), lambda w: np.stack([w[1], w[0]])),
    "array": (lambda k: tnp.array([k[1], k[0]]), lambda w: np.stack([w[1], w[0]])),
    "concatenate": (lambda k: tnp.concatenate([k[2:], k]), lambda w: np.concatenate([w[2:], w])),
    "flip": (lambda k: tnp.flip(k), lambda w: w[::-1]),
    "roll": (lambda k: tnp.roll(k, 2), lambda w: np.roll(w, 2, 0)),
    "tile": (lambda k: tnp.tile(k, 2), lambda w: np.tile(w, (2, 1))),
    "repeat": (lambda k: tnp.repeat(k, 2), lambda w: np.repeat(w, 2, 0)),
    "broadcast": (lambda k: tnp.broadcast_to(k, (2, 6)), lambda w: np.stack([w, w])),
    "take": (lambda k: tnp.take(k, 9, mode="fill"), lambda w: np.full(2, 2**32 - 1, np.uint32)),
    "set": (lambda k: k.at[1].set(k[3]), lambda w: np.concatenate([w[:1], w[3:4], w[2:]])),
    "dynamic_slice": (lambda k: lax.dynamic_slice(k, (3,), (2,)), lambda w: w[3:5]),
    "pad": (lambda k: lax.pad(k, k[0], ((1, 0, 0),)), lambda w: np.concatenate([w[:1], w])),
    "copy": (lambda k: k.copy(), lambda w: w),
    "clone": (random.clone, lambda w: w),
}


@pytest.mark.parametrize("name", MOVES)
def test_what_moves_keys_moves_their_words(name: str) -> None:
    move, same = MOVES[name]
    keys = split(6)
    expected = same(words(keys))
    for moved in (
        move(keys),
        treadle.jit(move)(keys),
        treadle.jit(move)(treadle.jit(split, static_argnums=0)(6)),
    ):
        assert moved.shape == expected.shape[:-1]
        assert issubdtype(moved.dtype, prng_key)
        np.testing.assert_array_equal(words(moved), expected)
    batched = treadle.vmap(move)(tnp.stack([keys, keys[::-1]]))
    np.testing.assert_array_equal(words(batched[0]), expected)
    np.testing.assert_array_equal(words(batched[1]), same(words(keys)[::-1]))


def test_iteration() -> None:
    keys = split(3)
    for key, row in zip(keys, words(keys), strict=True):
        np.testing.assert_array_equal(words(key), row)
    first, _, last = keys
    np.testing.assert_array_equal(words(tnp.stack([last, first])), words(keys)[[2, 0]])


def test_text() -> None:
    key = random.key(7)
    assert repr(key) == str(key) == f"{key}" == "Array((), dtype=key<fry>) overlaying:\n[0 7]"
    assert repr(tnp.stack([key, key])).splitlines()[1:] == ["[[0 7]", " [0 7]]"]
    shown: list[str] = []
    treadle.jit(lambda k: shown.append(repr(k)))(key)
    assert shown == ["Traced<ShapedArray(key<fry>[])>"]
    assert "key<fry>" in repr(treadle.eval_shape(lambda k: random.split(k), key))


@pytest.mark.parametrize(
    "read", [np.asarray, float, int, bool, lambda k: k.item(), lambda k: k.tolist(), np.from_dlpack]
)
def test_python_and_numpy_get_no_elements(read: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="random keys") as caught:
        read(random.key(0))
    assert "random.key_data" in "".join(caught.value.__notes__)


# --- transformations ------------------------------------------------------------------------------------


def test_split_of_a_stack_is_a_stack_of_splits() -> None:
    keys = split(4)
    at_once = treadle.vmap(lambda k: random.split(k, 3))(keys)
    one_by_one = tnp.stack([random.split(k, 3) for k in keys])
    assert at_once.shape == (4, 3)
    np.testing.assert_array_equal(words(at_once), words(one_by_one))


@pytest.mark.parametrize(
    "draw", [random.uniform, random.normal, random.bits, lambda k: random.randint(k, (3,), 0, 9)]
)
def test_vmap_is_a_loop_over_keys(draw: Callable[..., Array]) -> None:
    keys = split(5)
    expected = np.stack([np.asarray(treadle.jit(draw)(k)) for k in keys])
    np.testing.assert_array_equal(treadle.jit(treadle.vmap(draw))(keys), expected)
    columns = treadle.jit(treadle.vmap(treadle.vmap(draw), in_axes=1))(tnp.stack([keys, keys], 1))
    np.testing.assert_array_equal(columns, np.stack([expected, expected]))


def test_vmap_of_fold_in() -> None:
    key, numbers = random.key(3), tnp.arange(4)
    folded = treadle.vmap(random.fold_in, in_axes=(None, 0))(key, numbers)
    np.testing.assert_array_equal(words(folded), [words(random.fold_in(key, i)) for i in range(4)])
    crossed = treadle.vmap(random.fold_in)(split(4), numbers)
    expected = [words(random.fold_in(k, i)) for i, k in enumerate(split(4))]
    np.testing.assert_array_equal(words(crossed), expected)


def test_jit_is_eager() -> None:
    key = random.key(9)
    for function in (
        random.split,
        lambda k: random.fold_in(k, 5),
        lambda k: random.split(k, (2, 3)),
    ):
        np.testing.assert_array_equal(words(treadle.jit(function)(key)), words(function(key)))
    seeded = treadle.jit(random.key)(tnp.int32(9))
    np.testing.assert_array_equal(words(seeded), words(key))
    data = treadle.jit(random.key_data)(key)
    np.testing.assert_array_equal(data, words(key))
    np.testing.assert_array_equal(words(treadle.jit(random.wrap_key_data)(data)), words(key))


def test_typed_and_raw_keys_give_the_same_numbers() -> None:
    typed, raw = random.key(4), random.PRNGKey(4)
    for draw in (random.bits, random.normal, random.exponential):
        for function in (lambda k, draw=draw: draw(k, (6,)),):
            np.testing.assert_array_equal(function(typed), function(raw))
            np.testing.assert_array_equal(treadle.jit(function)(typed), treadle.jit(function)(raw))
    np.testing.assert_array_equal(words(random.split(typed)), random.split(raw))


def _step(key: Array, x: Array) -> tuple[Array, tuple[Array, Array]]:
    key, here = random.split(key)
    return key, (here, random.uniform(here) * x)


def test_scan_is_a_loop() -> None:
    xs = tnp.arange(1.0, 5.0)
    last, (used, drawn) = lax.scan(_step, random.key(2), xs)
    key, expected = random.key(2), []
    for i, x in enumerate(xs):
        key, (here, number) = treadle.jit(_step)(key, x)
        np.testing.assert_array_equal(words(used[i]), words(here))
        expected.append(float(number))
    np.testing.assert_array_equal(words(last), words(key))
    np.testing.assert_array_equal(drawn, np.array(expected, np.float32))


def test_scan_over_keys_is_a_loop() -> None:
    keys = split(4)
    _, drawn = lax.scan(lambda c, k: (c, random.bits(k, (2,))), 0, keys)
    np.testing.assert_array_equal(drawn, np.stack([random.bits(k, (2,)) for k in keys]))


def test_loops_and_branches() -> None:
    key = random.key(1)
    looped = lax.fori_loop(0, 3, lambda i, k: random.fold_in(k, i), key)
    whiled = lax.while_loop(
        lambda s: s[0] < 3, lambda s: (s[0] + 1, random.fold_in(s[1], s[0])), (0, key)
    )[1]
    expected = key
    for i in range(3):
        expected = random.fold_in(expected, i)
    np.testing.assert_array_equal(words(looped), words(expected))
    np.testing.assert_array_equal(words(whiled), words(expected))
    first, second = random.split(key)
    for flag in (True, False):
        chosen = treadle.jit(lambda p, a, b: lax.cond(p, lambda a, b: a, lambda a, b: b, a, b))(
            flag, first, second
        )
        np.testing.assert_array_equal(words(chosen), words(first if flag else second))
    flags = tnp.array([True, False])
    batched = treadle.vmap(lambda p: lax.cond(p, lambda: first, lambda: second))(flags)
    np.testing.assert_array_equal(words(batched), words(random.split(key)))


def test_loops_that_end_at_different_times() -> None:
    keys, counts = split(3), tnp.array([0, 2, 4])

    def walk(key: Array, count: Array) -> Any:
        step = lambda s: (s[0] + 1, random.fold_in(s[1], s[0]))  # noqa: E731
        return lax.while_loop(lambda s: s[0] < count, step, (0, key))[1]

    at_once = treadle.vmap(walk)(keys, counts)
    np.testing.assert_array_equal(
        words(at_once), [words(walk(k, n)) for k, n in zip(keys, counts, strict=True)]
    )


def test_derivatives_pass_keys_by() -> None:
    def loss(x: Array, key: Array) -> Array:
        noise = random.normal(key, (3,))
        key = random.fold_in(key, 1)
        return tnp.sum(tnp.sin(x) * noise + random.uniform(key))

    x, key = tnp.arange(3.0), random.key(0)
    noise = np.asarray(random.normal(key, (3,)))
    np.testing.assert_allclose(
        treadle.grad(loss)(x, key), np.cos(np.arange(3.0)) * noise, rtol=1e-6
    )
    np.testing.assert_allclose(
        treadle.jit(treadle.grad(loss))(x, key), np.cos(np.arange(3.0)) * noise, rtol=1e-6
    )
    _, tangent = treadle.jvp(lambda x: loss(x, key), (x,), (tnp.ones(3),))
    np.testing.assert_allclose(tangent, (np.cos(np.arange(3.0)) * noise).sum(), rtol=1e-5)
    zero = treadle.grad(loss, argnums=1, allow_int=True)(x, key)
    assert zero.dtype == treadle.float0


def test_derivatives_of_loops_that_carry_keys() -> None:
    def loss(x: Array, key: Array) -> Array:
        def step(carry: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], Array]:
            x, key = carry
            key, here = random.split(key)
            return (x * random.uniform(here), key), random.key_data(key)

        return lax.scan(step, (x, key), None, length=3)[0][0]

    key = random.key(8)
    factors = 1.0
    at = key
    for _ in range(3):
        at, here = random.split(at)
        factors *= float(random.uniform(here))
    for gradient in (treadle.grad(loss), treadle.jit(treadle.grad(treadle.checkpoint(loss)))):
        np.testing.assert_allclose(gradient(2.0, key), factors, rtol=1e-6)
    batched = treadle.vmap(treadle.grad(loss), in_axes=(None, 0))(2.0, split(2, 8))
    np.testing.assert_allclose(
        batched, [treadle.grad(loss)(2.0, k) for k in split(2, 8)], rtol=1e-6
    )


def test_custom_derivatives_keep_keys_as_residuals() -> None:
    @treadle.custom_vjp
    def noisy(x: Array, key: Array) -> Array:
        return x * random.uniform(key)

    noisy.defvjp(
        lambda x, key: (noisy(x, key), key),
        lambda key, ct: (ct * random.uniform(key), None),
    )
    key = random.key(6)
    expected = float(random.uniform(key))
    np.testing.assert_allclose(treadle.grad(noisy)(3.0, key), expected, rtol=1e-6)
    np.testing.assert_allclose(treadle.jit(treadle.grad(noisy))(3.0, key), expected, rtol=1e-6)


def test_keys_are_not_differentiable() -> None:
    with pytest.raises(TypeError, match="random keys are not differentiable"):
        treadle.grad(lambda k: random.uniform(k))(random.key(0))


# --- places and calls -----------------------------------------------------------------------------------


def test_arguments_of_compiled_calls() -> None:
    calls = []

    @treadle.jit
    def drawn(key: Array, count: ArrayLike) -> tuple[Array, Array]:
        calls.append(1)
        return random.fold_in(key, count), random.uniform(key)

    for seed in range(4):
        key = random.key(seed)
        folded, number = drawn(key, seed)
        np.testing.assert_array_equal(words(folded), words(random.fold_in(key, seed)))
        assert float(number) == float(random.uniform(key))
        key = folded  # with a device buffer only
        np.testing.assert_array_equal(words(drawn(key, seed)[0]), words(random.fold_in(key, seed)))
    assert len(calls) == 1
    assert "custom_call" not in drawn.lower(random.key(0), 1).as_text()


def test_device_put_and_get() -> None:
    keys = split(3)
    put = treadle.device_put(keys, treadle.devices()[0])
    np.testing.assert_array_equal(words(put), words(keys))
    assert put.committed
    got = treadle.device_get({"k": keys, "x": tnp.arange(2)})
    assert isinstance(got["x"], np.ndarray)
    assert isinstance(got["k"], Array)
    assert treadle.block_until_ready(keys) is keys


def test_donation() -> None:
    keys = treadle.jit(split, static_argnums=0)(3)
    expected = words(keys)[::-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        turned = treadle.jit(lambda k: k[::-1], donate_argnums=0)(keys)
    np.testing.assert_array_equal(words(turned), expected)
    assert keys.is_deleted()


def test_trees() -> None:
    keys = split(2)
    tree = {"a": keys, "b": (keys[0], 1.0)}
    assert len(treadle.tree.leaves(tree)) == 3
    doubled = treadle.tree.map(lambda x: tnp.stack([x, x]), {"a": keys})
    np.testing.assert_array_equal(words(doubled["a"][1]), words(keys))


def test_callbacks_receive_words(capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []

    def function(data: Any) -> np.float32:
        seen.append(np.array(data))
        return np.float32(data[..., 1].sum())

    result = treadle.ShapeDtypeStruct((), np.float32)
    assert (
        float(treadle.jit(lambda k: treadle.pure_callback(function, result, k))(random.key(5)))
        == 5.0
    )
    assert seen[0].tolist() == [0, 5]
    treadle.debug.print("key {}", random.key(5))
    treadle.effects_barrier()
    assert "key [0 5]" in capfd.readouterr().out
    with pytest.raises(TypeError, match="cannot return random keys"):
        treadle.pure_callback(function, random.key(0), 1.0)


# --- what keys are not ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "made",
    [
        lambda keys: tnp.ones_like(keys),
        lambda keys: tnp.full((2,), 7, keys.dtype),
        lambda keys: tnp.array(7, keys.dtype),
        lambda keys: tnp.array([1, 2], keys.dtype),
        lambda keys: tnp.asarray(np.arange(3), keys.dtype),
        lambda keys: tnp.arange(3).astype(keys.dtype),
        lambda keys: tnp.pad(keys, 1),
        lambda keys: keys.at[0].set(5),
        lambda keys: tnp.where(True, keys, 0),
        lambda keys: random.key_data(keys).view(keys.dtype),
        lambda keys: lax.bitcast_convert_type(random.key_data(keys), keys.dtype),
    ],
)
def test_numbers_do_not_become_keys(made: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="key"):
        made(random.split(random.key(0), 3))


@pytest.mark.parametrize(
    "computed",
    [
        lambda keys: keys + 1,
        lambda keys: 1 - keys,
        lambda keys: -keys,
        lambda keys: keys & keys,
        lambda keys: keys * np.ones(3),
        lambda keys: keys.sum(),
        lambda keys: keys.max(),
        lambda keys: tnp.cumsum(keys),
        lambda keys: tnp.sin(keys),
        lambda keys: tnp.sort(keys),
        lambda keys: tnp.argmax(keys),
        lambda keys: keys.at[0].add(keys[1]),
        lambda keys: keys.astype(np.float32),
        lambda keys: keys.view(np.uint32),
        lambda keys: keys @ keys,
    ],
)
def test_keys_take_no_part_in_arithmetic(computed: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="random keys") as caught:
        computed(random.split(random.key(0), 3))
    assert "random.key_data(key)" in "".join(caught.value.__notes__)


def test_keys_have_no_order() -> None:
    one, other = random.split(random.key(0))
    with pytest.raises(TypeError, match="no order"):
        _ = one < other


def test_a_single_key_is_not_unpacked() -> None:
    with pytest.raises(TypeError, match="iteration over a single random key"):
        _one, _other = random.key(0)
    with pytest.raises(TypeError, match="split it first"):
        treadle.jit(lambda k: [*k])(random.key(0))


def test_what_is_no_key_is_refused() -> None:
    others: list[Any] = [1, 1.0, "key", None]
    for other in others:
        with pytest.raises(TypeError, match="must be a random key"):
            random.split(other)
    for wrong in (tnp.arange(2), np.zeros((2, 3), np.uint32)):
        with pytest.raises(TypeError, match="raw key is u32"):
            random.uniform(wrong)
    with pytest.raises(TypeError, match="typed keys already"):
        random.wrap_key_data(random.key(0))
    with pytest.raises(ValueError, match="single key"):
        random.normal(split(3))
