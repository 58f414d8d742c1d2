"""`disable_jit`: the Python of functions, loops and branches runs on values, and gives what the compiled ones give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.programs_pool import POOL
from treadle import lax
from treadle.errors import ArgumentError, ConcretizationError


@pytest.mark.parametrize("name", POOL)
def test_results_are_those_of_compiled_programs(name: str) -> None:
    pooled = POOL[name]
    function = treadle.jit(pooled.program)
    arguments = treadle.tree.map(tnp.asarray, pooled.arguments)
    expected = treadle.tree.leaves(function(*arguments))
    with treadle.disable_jit():
        found = treadle.tree.leaves(function(*arguments))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            np.asarray(one).astype(complex), np.asarray(other).astype(complex), rtol=2e-4, atol=2e-4
        )


def test_jitted_functions_see_values() -> None:
    seen: list[float] = []

    @treadle.jit
    def f(x: Any) -> Any:
        seen.append(float(x))
        return x * 2 if x > 1 else x

    with pytest.raises(ConcretizationError):
        f(3.0)
    with treadle.disable_jit():
        assert f(3.0) == 6
        with treadle.disable_jit(False), pytest.raises(ConcretizationError):
            f(3.0)
    assert seen == [3.0]


def test_bodies_of_loops_and_branches_see_values() -> None:
    seen: list[float] = []

    def see(x: Any) -> Any:
        seen.append(float(x))
        return x

    with treadle.disable_jit():
        lax.scan(lambda c, x: (see(c) + x, x), 0.0, tnp.arange(3.0))
        assert seen == [0.0, 0.0, 1.0]
        seen.clear()
        lax.scan(lambda c, x: (see(x), c), 0.0, tnp.arange(3.0), reverse=True)
        assert seen == [2.0, 1.0, 0.0]
        seen.clear()
        lax.while_loop(lambda x: x < 3, lambda x: see(x) + 1, 0)
        lax.fori_loop(5, 7, lambda i, x: x + see(i), 0)
        lax.cond(True, lambda x: see(x), lambda x: see(x + 1), 8.0)
        lax.switch(9, [see, lambda x: see(x + 10)], 9.0)
        lax.map(see, tnp.array([3.0]))
    assert seen == [0, 1, 2, 5, 6, 8, 19, 3]


def test_loops_agree_where_only_staging_knows_the_result() -> None:
    def of_nothing() -> Any:
        return lax.scan(lambda c, x: (c + x, c * 2), 0.0, tnp.zeros((0,), tnp.float32))

    def widening(xs: Any) -> Any:
        return lax.scan(lambda c, x: (c + x, c), 0, xs)

    def batched(n: Any) -> Any:
        return treadle.vmap(lambda n: lax.while_loop(lambda x: x < n, lambda x: x + 1, 0))(n)

    def choosing(n: Any) -> Any:
        return treadle.vmap(lambda n: lax.cond(n > 1, lambda: n * 2, lambda: n))(n)

    calls = [
        of_nothing,
        lambda: widening(tnp.arange(3.0)),
        lambda: batched(tnp.arange(3)),
        lambda: choosing(tnp.arange(3)),
        lambda: treadle.grad(lambda x: lax.fori_loop(0, 3, lambda i, y: y * x, 1.0))(2.0),
    ]
    for call in calls:
        expected = treadle.tree.map(lambda x: (np.asarray(x).tolist(), x.dtype), call())
        with treadle.disable_jit():
            found = treadle.tree.map(lambda x: (np.asarray(x).tolist(), x.dtype), call())
        assert found == expected


def test_derivatives_of_loops_that_have_none_compiled() -> None:
    def f(x: Any) -> Any:
        return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x), (0, 1.0))[1]

    with treadle.disable_jit():
        assert treadle.grad(f)(2.0) == 12.0


@pytest.mark.parametrize("condition", [lambda x: (x < 3,), lambda x: None, lambda x: x])
def test_a_condition_that_is_none_is_refused(condition: Callable[[Any], Any]) -> None:
    with treadle.disable_jit(), pytest.raises(ArgumentError, match="a boolean scalar"):
        lax.while_loop(condition, lambda x: x + 1, 1)
