"""User-defined context values: jitted functions are traced again for each."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError


def test_a_jitted_function_is_traced_once_for_each_value() -> None:
    factor = treadle.make_user_context(2.0)
    traced: list[float] = []

    @treadle.jit
    def scaled(x: Any) -> Any:
        traced.append(factor.value)
        return factor.value * x

    assert [float(scaled(3.0)), float(scaled(3.0))] == [6.0, 6.0]
    with factor(5.0):
        assert [float(scaled(3.0)), float(scaled(3.0))] == [15.0, 15.0]
    assert float(scaled(3.0)) == 6.0
    assert traced == [2.0, 5.0]


@pytest.mark.parametrize("transform", [treadle.grad, treadle.vmap, treadle.checkpoint])
def test_under_transformations(transform: Any) -> None:
    factor = treadle.make_user_context(1.0)
    f = treadle.jit(transform(lambda x: factor.value * x))
    x = 3.0 if transform is not treadle.vmap else tnp.ones(2)
    before = f(x)
    with factor(7.0):
        assert tnp.array_equal(f(x), 7 * before)


def test_values_nest_and_are_their_thread_s_own() -> None:
    context = treadle.make_user_context()
    assert (context.value, context.get_global()) == (None, None)
    seen: list[object] = []
    with context("outer"):
        with context("inner"):
            assert context.value == "inner"
        other = threading.Thread(target=lambda: seen.append(context.value))
        other.start()
        other.join()
        assert (context.value, context.get_global(), seen) == ("outer", None, [None])


def test_the_process_s_value() -> None:
    context = treadle.make_user_context(1)
    f = treadle.jit(lambda x: x + context.value)
    assert int(f(1)) == 2
    context.set_global(5)
    assert (int(f(1)), context.value, context.get_global()) == (6, 5, 5)
    with context(7):
        assert (int(f(1)), context.value, context.get_global()) == (8, 7, 5)


def test_values_that_equal_the_default_are_other_values() -> None:
    context = treadle.make_user_context(1)
    with context(True):
        assert context.value is True


def test_two_contexts_are_two() -> None:
    one, other = treadle.make_user_context(0), treadle.make_user_context(0)
    with one(3):
        assert (one.value, other.value) == (3, 0)


@pytest.mark.parametrize("set_", [lambda context, x: context(x), lambda c, x: c.set_global(x)])
def test_a_value_can_be_hashed(set_: Any) -> None:
    with pytest.raises(ArgumentError, match="cannot be hashed"):
        set_(treadle.make_user_context(), [1])
