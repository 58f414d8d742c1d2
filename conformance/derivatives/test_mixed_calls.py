"""Derivative rules that are compiled as a whole: of one call, some results depend on tangents and others do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.extend.core import Primitive
from treadle.interpreters import ad


@treadle.jit
def called(x: Any, dx: Any) -> tuple[Any, Any]:
    y = tnp.sin(x)
    return y, tnp.where(y > 0, tnp.cos(x) * dx, tnp.cos(x) * dx)


@treadle.jit
def called_within_a_call(x: Any, dx: Any) -> tuple[Any, Any]:
    y, dy = called(x, dx)
    return y, tnp.where(y > 0.5, dy, 1.0 * dy)


def chosen(x: Any, dx: Any) -> tuple[Any, Any]:
    y, dy = lax.cond(x > 0, called, lambda x, dx: called(x, dx), x, dx)
    return y, tnp.where(y > 0.5, dy, dy)


def looped(x: Any, dx: Any) -> tuple[Any, Any]:
    def body(carry: Any, _: Any) -> tuple[Any, Any]:
        n, x, dx = carry
        return (n + 1, x, tnp.where(n > 1, dx, dx)), tnp.sin(x)

    (n, x, dx), ys = lax.scan(body, (0, x, dx), None, length=3)
    return ys[n - 1], tnp.where(ys[0] > 0.5, tnp.cos(x) * dx, tnp.cos(x) * dx)


def counted(x: Any, dx: Any) -> tuple[Any, Any]:
    n, dx = lax.fori_loop(0, 3, lambda i, carry: (carry[0] + i, carry[1] * 1.0), (0, dx))
    return called(x + (n - 3), dx)


RULES = [called, called_within_a_call, chosen, looped, counted]


def custom(rule: Callable[..., Any]) -> Callable[[Any], Any]:
    @treadle.custom_jvp
    def sine(x: Any) -> Any:
        return tnp.sin(x)

    sine.defjvp(lambda primals, tangents: rule(*primals, *tangents))
    return sine


def own(rule: Callable[..., Any]) -> Callable[[Any], Any]:
    sine = Primitive("own_sine")
    sine.def_impl(tnp.sin)
    sine.def_abstract_eval(lambda x: x)
    ad.primitive_jvps[sine] = lambda primals, tangents: rule(*primals, *tangents)
    return lambda x: sine.bind(x)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("made", [custom, own])
def test_the_gradient_by_such_a_rule(
    made: Callable[..., Callable[[Any], Any]], rule: Callable[..., Any]
) -> None:
    sine = made(rule)
    for x in (0.3, 1.0, 2.5):
        for gradient in (
            treadle.grad(sine),
            treadle.jit(treadle.grad(sine)) if made is custom else treadle.grad(sine),
        ):
            np.testing.assert_allclose(gradient(x), np.cos(x), rtol=1e-6)
        np.testing.assert_allclose(treadle.jvp(sine, (x,), (2.0,))[1], 2 * np.cos(x), rtol=1e-6)
        _, pulled = treadle.vjp(lambda x: sine(x) * 3, x)
        np.testing.assert_allclose(pulled(1.0)[0], 3 * np.cos(x), rtol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_the_second_derivative_and_batches(rule: Callable[..., Any]) -> None:
    sine, xs = custom(rule), tnp.array([0.3, 1.0, 2.5])
    np.testing.assert_allclose(treadle.vmap(treadle.grad(sine))(xs), np.cos(xs), rtol=1e-6)
    second = treadle.grad(treadle.grad(sine))
    np.testing.assert_allclose(treadle.vmap(second)(xs), -np.sin(xs), rtol=1e-5)


def test_a_call_that_is_not_linear_in_tangents_is_refused() -> None:
    sine = custom(treadle.jit(lambda x, dx: (tnp.sin(x), dx * dx)))
    with pytest.raises(treadle.errors.TreadleError):
        treadle.grad(sine)(1.0)


def test_effects_of_such_a_call_happen_once() -> None:
    seen: list[float] = []

    @treadle.jit
    def rule(x: Any, dx: Any) -> tuple[Any, Any]:
        treadle.debug.callback(lambda x: seen.append(float(x)), x)
        return tnp.sin(x), tnp.cos(x) * dx

    treadle.jvp(custom(rule), (1.0,), (1.0,))
    treadle.effects_barrier()
    assert seen == [1.0]
