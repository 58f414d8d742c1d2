"""The fast path of a call returns, calls back and raises like the slow path."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir.errors import DonatedError
from treadle_runtime import (
    ShapeDtypeStruct,
    debug_callback,
    effects_barrier,
    from_host,
    io_callback,
    jit,
    pure_callback,
)
from treadle_runtime.jitting.miss import MISS

State = namedtuple("State", "count mean square")
Other = namedtuple("Other", "count mean square")
Empty = namedtuple("Empty", "")

ops: Any = treadle_ir.ops
SCALAR = ShapeDtypeStruct((), np.float32)


def array(value: float) -> Any:
    return from_host(np.asarray(value, np.float32))


def host_function(ways: str, seen: list[float], errors: list[Exception]) -> Any:
    """A jitted function that calls back once, and adds one to what came; each error of the list is raised once."""

    def back(x: Any) -> Any:
        seen.append(float(x))
        if errors:
            raise errors.pop()
        return np.float32(x)

    def f(x: Any) -> Any:
        if ways == "pure":
            y = pure_callback(back, SCALAR, x)
        elif ways == "debug":
            debug_callback(back, x)
            y = x
        else:
            y = io_callback(back, SCALAR, x, ordered=ways == "ordered")
        return {"y": ops.add(y, np.float32(1))}

    return jit(f)


@pytest.mark.parametrize("ways", ["pure", "debug", "io", "ordered"])
def test_a_callback_is_called_once_in_each_call(ways: str) -> None:
    seen: list[float] = []
    f = host_function(ways, seen, [])
    for call in range(5):
        assert float(f(array(call))["y"]) == call + 1
    effects_barrier()
    assert seen == [0, 1, 2, 3, 4]
    assert f.cache.fast((array(5),), {}) is not MISS  # it has a fast path
    assert f.cache.fast(("no array",), {}) is MISS


@pytest.mark.parametrize("ways", ["pure", "io", "ordered"])
@pytest.mark.parametrize("error", [TypeError("of the user"), ValueError("other"), KeyError(1)])
def test_what_a_callback_raises_comes_out(ways: str, error: Exception) -> None:
    seen: list[float] = []
    errors: list[Exception] = []
    f = host_function(ways, seen, errors)
    for call in range(5):
        f(array(call))
    errors.append(error)
    with pytest.raises(type(error)) as raised:
        f(array(5))
    assert raised.value is error
    assert seen == [0, 1, 2, 3, 4, 5]  # it is not run again
    assert float(f(array(6))["y"]) == 7


def test_nothing_is_called_with_a_deleted_array() -> None:
    seen: list[float] = []
    f = host_function("io", seen, [])
    for call in range(4):
        f(array(call))
    gone = array(4)
    give = jit(lambda x: ops.add(x, x), donate_argnums=0)
    give(gone)
    with pytest.raises(DonatedError, match="deleted"):
        f(gone)
    assert seen == [0, 1, 2, 3]


def test_a_donated_argument_is_gone_after_each_call() -> None:
    errors: list[Exception] = []

    def back(x: Any) -> Any:
        if errors:
            raise errors.pop()
        return x

    f = jit(lambda x: ops.add(io_callback(back, SCALAR, x), x), donate_argnums=0)
    x = array(1)
    for call in range(5):
        before, x = x, f(x)
        assert float(x) == 2.0 ** (call + 1)
        with pytest.raises(DonatedError):
            float(before)
    errors.append(TypeError("now"))
    with pytest.raises(TypeError, match="now"):
        f(x)
    assert f.cache.fast((array(1),), {}) is not MISS


@pytest.mark.parametrize("count", [2, 60])
def test_many_donated_leaves_are_gone_after_each_call(count: int) -> None:
    """All leaves are flattened together; still none may be kept, and none may be given away twice."""

    def f(kept: Any, tree: Any) -> Any:
        return [{k: ops.add(x, kept) for k, x in layer.items()} for layer in tree]

    g = jit(f, donate_argnums=1)
    one = array(1)
    tree = [{"a": array(n), "b": array(-n)} for n in range(count)]
    for call in range(5):
        before, tree = tree, g(one, tree)
        assert [float(x["a"]) for x in tree] == [n + call + 1.0 for n in range(count)]
        assert float(one) == 1
        for layer in before:
            for leaf in layer.values():
                with pytest.raises(DonatedError):
                    float(leaf)
    assert g.cache.fast((one, tree), {}) is not MISS
    fresh = [{"a": array(n), "b": array(-n)} for n in range(count)]
    fresh[0]["b"] = fresh[0]["a"]
    assert g.cache.fast((one, fresh), {}) is MISS
    assert float(fresh[0]["a"]) == 0  # and it is still there


@pytest.mark.parametrize("count", [2, 20, 60, 200])
def test_trees_with_namedtuples(count: int) -> None:
    """Many leaves are taken one by one where few nodes are alike, and all together otherwise."""

    def tree(value: float, kind: Any = State) -> Any:
        layers = {f"p{i:03}": array(value + i) for i in range(count)}
        return kind(array(value), layers, {"only": array(-value), **layers}), Empty(), None

    def doubled(state: Any, empty: Any, none: Any) -> Any:
        twice = lambda d: {k: ops.add(x, x) for k, x in d.items()}  # noqa: E731
        return type(state)(state.count, twice(state.mean), twice(state.square)), empty, none

    f = jit(doubled)
    for call in range(5):
        made = f(*tree(call))
        assert [type(x) for x in made] == [State, Empty, type(None)]
        assert float(made[0].count) == call
        assert [*made[0].square] == sorted(made[0].square)
        assert [float(x) for x in made[0].mean.values()] == [2 * (call + i) for i in range(count)]
    assert f.cache.fast(tree(5), {}) is not MISS
    assert f.cache.fast(tree(5, Other), {}) is MISS
    assert type(f(*tree(5, Other))[0]) is Other


@pytest.mark.parametrize("kind", [lambda x: (x,), lambda x: [x], lambda x: {"x": x}])
@pytest.mark.parametrize(("depth", "is_fast"), [(32, True), (33, False)])
def test_deep_arguments_have_no_fast_path(kind: Any, depth: int, is_fast: bool) -> None:
    def nested(value: float) -> Any:
        tree = array(value)
        for _ in range(depth):
            tree = kind(tree)
        return tree

    f = jit(lambda tree: tree)
    for call in range(3):
        assert treadle_ir.tree.tree_leaves(f(nested(call))) == [call]
    assert (f.cache.fast((nested(3),), {}) is not MISS) == is_fast
