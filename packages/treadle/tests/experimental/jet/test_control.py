from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.experimental.jet import jet


@pytest.fixture(autouse=True)
def _wide() -> Iterator[None]:
    with treadle.enable_x64(True):
        yield


def forward(f: Any) -> Any:
    return lambda t: treadle.jvp(f, (t,), (1.0,))[1]


def derivatives(f: Any, x: float, order: int = 3) -> list[float]:
    found = []
    for _ in range(order):
        f = forward(f)
        found.append(float(f(x)))
    return found


def scanned(x: Any) -> Any:
    def step(carry: Any, each: Any) -> Any:
        total, fixed, late, count = carry
        y = tnp.sin(total) * each
        return (total + y * x, fixed, late + total, count + 1), (y * fixed, count)

    carry = (x, tnp.ones(()), tnp.zeros(()), 0)
    (total, _, late, _), (ys, _) = lax.scan(step, carry, tnp.arange(1.0, 4.0) * x)
    return total + late * tnp.sum(ys)


checkpoint: Any = treadle.checkpoint  # mypy infers no lambda from a ParamSpec
FUNCTIONS: Any = {
    "cond, first": lambda x: lax.cond(x > 0, lambda x: (tnp.sin(x), 1.0), lambda x: (x, x), x)[0],
    "cond, second": lambda x: lax.cond(x < 0, tnp.sin, lambda x: x**4, x),
    "switch with a constant branch": lambda x: lax.switch(1, [lambda x: 2.0, lambda x: x**3], x),
    "scan": scanned,
    "scan backwards": lambda x: lax.scan(
        lambda c, i: (tnp.cos(c) * x + i, c), x, tnp.arange(3.0), reverse=True
    )[0],
    "while": lambda x: lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * x + tnp.sin(x)), (0, x)
    )[1],
    "while on the value": lambda x: lax.while_loop(lambda y: y < 5, lambda y: y * (1 + x), x),
    "fori": lambda x: lax.fori_loop(0, 3, lambda i, y: y * x + i, 1.0),
    "jit": treadle.jit(lambda x: treadle.jit(tnp.exp)(x) * x),
    "checkpoint": checkpoint(lambda x: tnp.sin(x) * x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nested_programs_agree_with_nested_forward_mode(name: str) -> None:
    f = FUNCTIONS[name]
    y, found = jet(f, (0.7,), ((1.0, 0.0, 0.0),))
    np.testing.assert_allclose(y, f(0.7), rtol=1e-12)
    np.testing.assert_allclose(found, derivatives(f, 0.7), rtol=1e-10)


def test_rules_for_forward_mode_are_followed_and_those_for_reverse_mode_are_not() -> None:
    @treadle.custom_jvp
    def f(x: Any) -> Any:
        return x**2

    f.defjvps(lambda dx, y, x: 3 * x * dx)  # not what it is

    @treadle.custom_vjp
    def g(x: Any) -> Any:
        return x**3

    g.defvjp(lambda x: (g(x), None), lambda _, ct: (100 * ct,))
    for transform in (lambda h: h, treadle.jit):
        assert [float(x) for x in jet(transform(f), (2.0,), ((1.0, 0.0),))[1]] == [6, 3]
        assert [float(x) for x in jet(transform(g), (2.0,), ((1.0, 0.0),))[1]] == [12, 12]


def test_python_may_look_at_values() -> None:
    def f(x: Any) -> Any:
        return tnp.sin(x) if x > 0 else x

    assert float(jet(f, (-2.0,), ((1.0,),))[1][0]) == 1
