"""Derivatives of branches that batch elements take or do not agree with each element by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import treadle
import treadle.numpy as tnp
from treadle import lax

ENDS = np.array([0.0, 1.0, 4.0, -1.0, np.inf, 0.0, 2.0], np.float32)
BRANCHES: list[Callable[[Any], Any]] = [
    lambda x: 3 * x,
    tnp.sqrt,
    lambda x: tnp.where(x > 0, tnp.log(x), 0.0) * x,
    lambda x: 1 / x,
    lambda x: tnp.sqrt(x * x) ** 0.5,
]


def switch(i: Any, x: Any) -> Any:
    return lax.switch(i, BRANCHES, x)


def alone(f: Callable[..., Any], *arrays: Any) -> Any:
    """Each element by itself."""
    return np.array([f(*each) for each in zip(*arrays, strict=True)])


@pytest.mark.parametrize("how", [lambda f: f, treadle.jit], ids=["eager", "jit"])
def test_what_an_element_does_not_take_has_no_part_in_its_gradient(how: Any) -> None:
    def root(x: Any) -> Any:
        return lax.cond(x > 0, tnp.sqrt, lambda x: 0.0 * x, x)

    xs = np.array([0.0, 4.0, -1.0], np.float32)
    gradient = how(treadle.grad(lambda xs: treadle.vmap(root)(xs).sum()))
    assert gradient(xs).tolist() == [0.0, 0.25, 0.0]
    _, back = treadle.vjp(how(treadle.vmap(root)), xs)
    assert back(np.ones(3, np.float32))[0].tolist() == [0.0, 0.25, 0.0]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-2, 7), min_size=7, max_size=7), st.booleans(), st.booleans())
def test_of_several_branches(places: list[int], jitted: bool, twice: bool) -> None:
    i = np.array(places, np.int32)
    derivative = treadle.grad(switch, argnums=1)
    if twice:
        derivative = treadle.grad(lambda i, x: treadle.grad(switch, argnums=1)(i, x), argnums=1)

    def together(x: Any) -> Any:
        inner = treadle.vmap(treadle.grad(switch, argnums=1) if twice else switch)
        return inner(i, x).sum()

    gradient = treadle.grad(together)
    found = (treadle.jit(gradient) if jitted else gradient)(ENDS)
    # What an element takes may be NaN by itself; what it does not take is not.
    np.testing.assert_allclose(found, alone(derivative, i, ENDS), rtol=1e-5)


@pytest.mark.parametrize("how", [lambda f: f, treadle.jit], ids=["eager", "jit"])
def test_what_is_not_batched(how: Any) -> None:
    def total(s: Any) -> Any:
        return treadle.vmap(lambda p: lax.cond(p, lambda: 2 * s, lambda: tnp.sqrt(s)))(
            np.array([True, True, True])
        ).sum()

    assert how(treadle.grad(total))(0.0) == 6.0


def test_without_derivatives_it_costs_nothing() -> None:
    taken, x = np.array([True, False, True]), np.array([0.0, 1.0, 4.0], np.float32)
    batched = treadle.vmap(lambda p, x: lax.cond(p, tnp.sqrt, tnp.negative, x))
    text = treadle.jit(batched).lower(taken, x).as_text()
    assert text.count("stablehlo.select") == 1  # between the results
    assert batched(taken, x).tolist() == [0.0, -1.0, 2.0]


def test_large_operands_that_are_not_batched_are_not_spread() -> None:
    w = np.ones((300, 300), np.float32)
    batched = treadle.vmap(
        lambda p, x, w: lax.cond(p, lambda: (w @ x).sum(), lambda: x.sum()), (0, 0, None)
    )
    program = treadle.make_jaxpr(batched)(np.ones(4, bool), np.ones((4, 300), np.float32), w)
    assert "[4,300,300]" not in str(program)
