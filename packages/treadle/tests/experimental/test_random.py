"""`stateful_rng` gives the numbers of `random` with keys folded from a counter; stored ones are jax 0.10.2's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
from treadle import lax, random
from treadle.experimental.random import StatefulPRNG, stateful_rng
from treadle_ir import ArgumentError


def words(keys: Any) -> Any:
    return np.asarray(random.key_data(keys)).tolist()


def test_keys_are_folded_from_a_counter() -> None:
    rng, base = stateful_rng(42), random.key(42)
    assert words(rng.key()) == words(random.fold_in(base, 0)) == [1832780943, 270669613]
    assert words(rng.key()) == words(random.fold_in(base, 1)) == [64467757, 2916123636]
    assert words(rng.key((2,))) == [[1605747716, 4117073388], [2853785955, 313133857]]
    assert rng.random() == random.uniform(random.fold_in(base, 3))


def test_distributions() -> None:
    rng, base = stateful_rng(5), random.key(5)
    keys = [random.fold_in(base, i) for i in range(6)]
    np.testing.assert_array_equal(rng.random((2, 3)), random.uniform(keys[0], (2, 3)))
    drawn = rng.uniform(-1, np.full(4, 2.0, np.float32))
    np.testing.assert_array_equal(drawn, random.uniform(keys[1], (4,), minval=-1, maxval=2))
    drawn = rng.normal(3.0, 2.0, 5)
    np.testing.assert_allclose(drawn, 3 + 2 * random.normal(keys[2], (5,)), rtol=1e-6)
    np.testing.assert_array_equal(rng.integers(4, size=9), random.randint(keys[3], (9,), 0, 4))
    np.testing.assert_array_equal(rng.integers(2, 4, 9), random.randint(keys[4], (9,), 2, 4))
    assert rng.integers(0, 9, dtype="uint8").dtype == np.uint8


def test_in_compiled_functions_and_loops() -> None:
    rng, again = stateful_rng(1), stateful_rng(1)
    expected = [float(again.random()) for _ in range(7)]
    assert float(treadle.jit(lambda: rng.random())()) == expected[0]
    assert float(treadle.jit(lambda r: r.random())(rng)) == expected[1]
    assert float(rng.random()) == expected[2]
    _, drawn = lax.scan(lambda c, _: (c, rng.random()), 0, np.arange(4))
    np.testing.assert_array_equal(drawn, np.array(expected[3:], np.float32))


def test_a_batch_has_a_generator_for_each_element() -> None:
    rngs = stateful_rng(42).split(3)
    with pytest.raises(TypeError, match="cannot operate on split"):
        rngs.key()
    for _ in range(2):
        keys = [random.fold_in(k, rngs._counter[0]) for k in rngs._base_key]
        drawn = treadle.jit(treadle.vmap(lambda r: r.random((2,))))(rngs)
        np.testing.assert_array_equal(drawn, np.stack([random.uniform(k, (2,)) for k in keys]))
    np.testing.assert_array_equal(rngs._counter[...], [2, 2, 2])


def test_children_have_states_of_their_own() -> None:
    rng = stateful_rng(0)
    one, two = rng.spawn(2)
    assert words(one._base_key) == words(random.split(random.fold_in(random.key(0), 0))[0])
    assert one.random() != two.random()
    assert rng._counter[...] == 1
    assert rng.spawn(0) == []


def test_a_generator_is_a_pytree() -> None:
    rng = stateful_rng(3, impl="rbg")
    leaves, structure = treadle.tree.flatten(rng)
    again = structure.unflatten(leaves)
    assert type(again) is StatefulPRNG
    assert random.key_impl(again.key()) == "rbg"
    assert rng._counter[...] == 1  # they share the state
    assert repr(stateful_rng(3)).startswith("StatefulPRNG(_base_key=Array((), dtype=key<fry>)")


@pytest.mark.parametrize("seed", ["a", 1.5, np.arange(2)])
def test_seeds_that_are_none(seed: Any) -> None:
    with pytest.raises(ArgumentError):
        stateful_rng(seed)


def test_without_a_seed_generators_differ() -> None:
    assert words(stateful_rng().key()) != words(stateful_rng().key())
