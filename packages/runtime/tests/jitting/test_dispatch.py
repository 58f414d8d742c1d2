"""Calls of one function with arguments of several kinds in turns: each kind keeps its fast path."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from treadle_ir import ops
from treadle_ir.settings import X64
from treadle_runtime import DeviceArray, from_host, jit
from treadle_runtime.jitting.dispatch import MOST_ALIKE, MOST_OUTLINES, Dispatcher, outline_of
from treadle_runtime.jitting.miss import MISS


def array(*shape: int) -> DeviceArray:
    return from_host(np.ones(shape, np.float32))


def is_fast(function: Any, *args: Any, **kwargs: Any) -> bool:
    return function.cache.fast(args, kwargs) is not MISS


def called(function: Any, *calls: tuple[Any, ...]) -> None:
    """Call a function with each of several tuples of arguments in turns, until each has its fast path."""
    for _ in range(3):
        for args in calls:
            function(*args)


def test_two_shapes_in_turns_are_both_fast() -> None:
    f = jit(lambda x: ops.add(x, x))
    called(f, (array(3),), (array(4),))
    for size in (3, 4):
        assert is_fast(f, array(size))
        np.testing.assert_array_equal(f(array(size)), np.full(size, 2, np.float32))
    assert not is_fast(f, array(5))


def test_thirty_shapes_are_all_fast() -> None:
    f = jit(lambda x: ops.add(x, x))
    called(f, *[(array(n),) for n in range(1, 31)])
    assert all(is_fast(f, array(n)) for n in range(1, 31))
    assert [f(array(n)).shape for n in range(1, 31)] == [(n,) for n in range(1, 31)]


def test_numbers_and_arrays() -> None:
    f = jit(lambda x: ops.add(x, x))
    values = [array(3), 2.0, 3, True, np.ones(3, np.float32), np.float32(4)]
    called(f, *[(x,) for x in values])
    for x in values:
        assert is_fast(f, x)
        np.testing.assert_array_equal(f(x), jit(lambda x: ops.add(x, x))(x))


def test_static_values_by_number_and_by_name() -> None:
    def f(n: int, x: Any, *, kind: str) -> Any:
        return ops.multiply(x, np.float32(n if kind == "n" else -n))

    jitted = jit(f, static_argnums=0, static_argnames="kind")
    x = array(2)
    for _ in range(3):
        for n in (3, 4, 5):
            for kind in ("n", "-n"):
                jitted(n, x, kind=kind)
    for n in (3, 4, 5):
        assert is_fast(jitted, n, x, kind="n")
        assert float(np.asarray(jitted(n, x, kind="n"))[0]) == n
        assert float(np.asarray(jitted(n, x, kind="-n"))[0]) == -n


def test_equal_static_values_of_different_classes() -> None:
    f = jit(lambda n, x: ops.multiply(x, np.float32(isinstance(n, float))), static_argnums=0)
    x = array(2)
    called(f, (3, x), (3.0, x), (True, x), (1, x))
    assert [float(np.asarray(f(n, x))[0]) for n in (3, 3.0, True, 1)] == [0, 1, 0, 0]


def test_unhashable_static_value() -> None:
    f = jit(lambda n, x: x, static_argnums=0)
    called(f, (3, array(2)), (4, array(2)))
    with pytest.raises(ValueError, match="hash"):
        f([3], array(2))
    assert is_fast(f, 3, array(2))


def test_trees() -> None:
    f = jit(lambda tree, **more: [*tree.values(), *more.values()])
    trees = [{str(i): array(2) for i in range(n)} for n in (3, 4)]
    trees.append({"0": array(3), "1": array(2), "2": array(2)})
    called(f, *[(tree,) for tree in trees])
    assert all(is_fast(f, tree) for tree in trees)
    for _ in range(3):
        f(trees[0], y=array(5))
        f(trees[0], z=array(6))
    assert is_fast(f, trees[0], y=array(5))
    assert is_fast(f, trees[0], z=array(6))
    assert [each.shape for each in f(trees[0], z=array(6))] == [(2,), (2,), (2,), (6,)]


def test_contexts_in_turns() -> None:
    one: Any = 1  # a Python number in the place of an operand
    f = jit(lambda x: ops.add(x, one))
    for _ in range(4):
        assert f(1).dtype == np.int32
        with X64.override(True):
            assert f(1).dtype == np.int64
    assert is_fast(f, 1)
    with X64.override(True):
        assert is_fast(f, 1)


def test_a_cleared_cache_is_not_served() -> None:
    traced: list[tuple[int, ...]] = []

    def noted(x: Any) -> Any:
        traced.append(x.shape)
        return x

    f = jit(noted)
    called(f, (array(3),), (array(4),))
    assert len(traced) == 2
    f.clear_cache()
    assert not is_fast(f, array(3))
    f(array(3))
    assert len(traced) == 3


def test_static_values_are_not_kept() -> None:
    class Static:
        pass

    f = jit(lambda s, x: x, static_argnums=0)
    static = Static()
    called(f, (static, array(3)), (1, array(3)), (2, array(3)))
    gone = weakref.ref(static)
    del static
    gc.collect()
    assert gone() is None


def test_the_table_is_bounded() -> None:
    dispatcher = Dispatcher()

    def fast(args: Any, kwargs: Any) -> Any:
        return MISS

    for n in range(MOST_OUTLINES + 5):
        dispatcher.serving((), {f"name{n}": 1}, lambda args, kwargs: MISS, (), ())
    assert len(dispatcher._by_outline) <= MOST_OUTLINES
    servings = [
        dispatcher.serving((1,), {}, lambda args, kwargs: MISS, (), ())
        for _ in range(MOST_ALIKE + 5)
    ]
    assert max(map(len, dispatcher._by_outline.values())) == MOST_ALIKE
    assert servings[-1]((1,), {}) is MISS


def test_outlines() -> None:
    x = array(3)
    assert outline_of(x) == (x.placed,)
    assert outline_of({"a": [x, x], "b": x}) == (dict, 2, list, 2, x.placed)
    assert outline_of([]) == (list, 0)
    assert outline_of(2.5) == outline_of(1.5) == (float,)
    assert outline_of([[[[[[x]]]]]]) == (list, 1) * 4
