"""Effects in jitted functions, loops and branches of rules of `custom_jvp`: each happens once, where it can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import UnsupportedError
from treadle.experimental import io_callback

seen: list[tuple[str, float]] = []


def tell(name: str, x: Any, ordered: bool = False) -> None:
    treadle.debug.callback(lambda x: seen.append((name, round(float(x), 3))), x, ordered=ordered)


def asked(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    seen.append(("asked", round(float(x), 3)))
    return np.cos(x)


def on_the_primal(x: Any, dx: Any) -> Any:
    tell("primal", x)
    return tnp.sin(x), tnp.cos(x) * dx


def on_the_tangent(x: Any, dx: Any) -> Any:
    tell("tangent", dx)
    return tnp.sin(x), tnp.cos(x) * dx


def in_order(x: Any, dx: Any) -> Any:
    tell("first", x, ordered=True)
    tell("second", x, ordered=True)
    return tnp.sin(x), tnp.cos(x) * dx


def with_a_result(x: Any, dx: Any) -> Any:
    slope = io_callback(asked, treadle.ShapeDtypeStruct((), np.float32), x)
    return tnp.sin(x), slope * dx


def within_another(x: Any, dx: Any) -> Any:
    return treadle.jit(on_the_primal)(x, dx)


def in_a_scan(x: Any, dx: Any) -> Any:
    def body(carry: Any, _: Any) -> Any:
        x, dx = carry
        tell("scan", x)
        return (tnp.sin(x), tnp.cos(x) * dx), None

    return lax.scan(body, (x, dx), None, length=1)[0]


def in_a_while_loop(x: Any, dx: Any) -> Any:
    def body(carry: Any) -> Any:
        i, x, dx = carry
        tell("while", x)
        return i + 1, tnp.sin(x), tnp.cos(x) * dx

    return lax.while_loop(lambda carry: carry[0] < 1, body, (0, x, dx))[1:]


def in_a_branch(x: Any, dx: Any) -> Any:
    def sine(x: Any, dx: Any) -> Any:
        tell("branch", x)
        return tnp.sin(x), tnp.cos(x) * dx

    return lax.cond(x > 0, sine, lambda x, dx: (x, dx), x, dx)


def in_a_branch_of_a_scan(x: Any, dx: Any) -> Any:
    return lax.scan(lambda carry, _: (in_a_branch(*carry), None), (x, dx), None, length=1)[0]


def function(body: Callable[..., Any]) -> Callable[..., Any]:
    @treadle.custom_jvp
    def f(x: Any) -> Any:
        return tnp.sin(x)

    @f.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        return treadle.jit(body)(*primals, *tangents)

    return f


ONE = np.float32(1)
BODIES: tuple[tuple[Any, list[tuple[str, float]]], ...] = (
    (on_the_primal, [("primal", 1.0)]),
    (on_the_tangent, []),  # which reverse mode has not got
    (in_order, [("first", 1.0), ("second", 1.0)]),
    (with_a_result, [("asked", 1.0)]),
    (within_another, [("primal", 1.0)]),
    (in_a_scan, [("scan", 1.0)]),
    (in_a_branch, [("branch", 1.0)]),
    (in_a_branch_of_a_scan, [("branch", 1.0)]),
)


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    seen.clear()


@pytest.mark.parametrize(("body", "expected"), BODIES)
@pytest.mark.parametrize("around", ["none", "inside", "outside"])
def test_gradients(body: Any, expected: list[tuple[str, float]], around: str) -> None:
    f = function(body)
    f = treadle.jit(f) if around == "inside" else f
    slope = treadle.grad(f)
    slope = treadle.jit(slope) if around == "outside" else slope
    np.testing.assert_allclose(slope(ONE), np.cos(1), rtol=1e-6)
    treadle.effects_barrier()
    assert seen == expected


def test_effects_on_tangents_happen_when_there_are_tangents() -> None:
    _, pushed = treadle.linearize(function(on_the_tangent), ONE)
    assert seen == []
    for dx in (2.0, 3.0):
        pushed(np.float32(dx))
    treadle.effects_barrier()
    assert seen == [("tangent", 2.0), ("tangent", 3.0)]


def test_in_a_loop_they_happen_once_for_each_iteration() -> None:
    f = function(with_a_result)

    def twice(x: Any) -> Any:
        return lax.scan(lambda c, _: (f(c), None), x, length=2)[0]

    treadle.grad(twice)(ONE)
    treadle.effects_barrier()
    assert seen == [("asked", 1.0), ("asked", 0.841)]


def test_effects_on_tangents_in_a_loop_wait_for_these() -> None:
    def both(x: Any, dx: Any) -> Any:
        def body(carry: Any, _: Any) -> Any:
            x, dx = carry
            tell("primal", x)
            tell("tangent", dx)
            return (tnp.sin(x), tnp.cos(x) * dx), None

        return lax.scan(body, (x, dx), None, length=2)[0]

    _, pushed = treadle.linearize(function(both), ONE)
    treadle.effects_barrier()
    assert seen == [("primal", 1.0), ("primal", 0.841)]
    pushed(ONE)
    treadle.effects_barrier()
    assert seen[2:] == [("tangent", 1.0), ("tangent", 0.54)]


def test_effects_in_a_while_loop() -> None:
    y, pushed = treadle.linearize(function(in_a_while_loop), ONE)
    np.testing.assert_allclose(y, np.sin(1), rtol=1e-6)
    for _ in range(2):
        np.testing.assert_allclose(pushed(ONE), np.cos(1), rtol=1e-6)
    treadle.effects_barrier()
    assert seen == [("while", 1.0)]


def test_results_of_effects_in_a_loop_are_refused() -> None:
    def looped(x: Any, dx: Any) -> Any:
        return lax.scan(lambda c, _: (with_a_result(*c), None), (x, dx), None, length=2)[0]

    with pytest.raises(
        UnsupportedError, match=r"uses the result of an effect.* within a `scan`"
    ) as said:
        treadle.grad(function(looped))(ONE)
    assert any("pure_callback" in note for note in said.value.__notes__)


def test_results_of_pure_callbacks_in_a_loop_are_used() -> None:
    def asked_purely(x: Any, dx: Any) -> Any:
        slope = treadle.pure_callback(np.cos, treadle.ShapeDtypeStruct((), np.float32), x)
        return tnp.sin(x), slope * dx

    def looped(x: Any, dx: Any) -> Any:
        return lax.scan(lambda c, _: (asked_purely(*c), None), (x, dx), None, length=2)[0]

    expected = np.cos(1) * np.cos(np.sin(1))
    np.testing.assert_allclose(treadle.grad(function(looped))(ONE), expected, rtol=1e-6)
