"""References that the backward rules of users write to, within loops and calls: values as JAX gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError
from treadle.ref import new_ref

A = np.arange(1, 4, dtype=np.float32)


@treadle.custom_vjp
def logged(ref: Any, x: Any) -> Any:
    return x


def _forward(ref: Any, x: Any) -> Any:
    return x, ref


def _backward(ref: Any, cotangent: Any) -> Any:
    ref[...] = ref[...] * 2 + cotangent
    return None, cotangent


logged.defvjp(_forward, _backward)


def scanned(ref: Any, x: Any) -> Any:
    return lax.scan(lambda c, a: (logged(ref, tnp.sin(c)) * a, c), x, A)[0]


def counted(ref: Any, x: Any) -> Any:
    return lax.fori_loop(0, 3, lambda _, c: logged(ref, tnp.sin(c)), x)


def called(ref: Any, x: Any) -> Any:
    return treadle.jit(lambda x: logged(ref, tnp.sin(x)))(x) * 3


def recomputed(ref: Any, x: Any) -> Any:
    return treadle.checkpoint(lambda x: logged(ref, tnp.sin(x)) * 3)(x)


def called_in_a_loop(ref: Any, x: Any) -> Any:
    step = treadle.jit(lambda c: logged(ref, tnp.sin(c)))
    return lax.scan(lambda c, a: (step(c) * a, c), x, A)[0]


# Function, its slope at 1.1, and what the reference holds afterwards: of JAX 0.10.2.
CASES = [
    (scanned, 0.025884876, 12.2386675),
    (counted, 0.20309663, 5.872622),
    (called, 1.3607882, 3.0),
    (recomputed, 1.3607882, 3.0),
    (called_in_a_loop, 0.025884876, 12.2386675),
]


@pytest.mark.parametrize(("function", "slope", "held"), CASES)
@pytest.mark.parametrize("jitted", [False, True])
def test_what_they_write_is_kept(
    function: Callable[..., Any], slope: float, held: float, jitted: bool
) -> None:
    for way in ("closed over", "given", "made inside"):
        ref: Any = new_ref(tnp.zeros(()))

        def alone(x: Any) -> Any:
            inner: Any = new_ref(tnp.zeros(()))
            return treadle.grad(lambda x: function(inner, x))(x), inner[...]

        with_ref = treadle.grad(lambda x, ref: function(ref, x))
        closing = treadle.grad(lambda x: function(ref, x))  # noqa: B023 - called here
        wrap: Any = treadle.jit if jitted else lambda f: f
        if way == "made inside":
            found, after = wrap(alone)(1.1)
        else:
            found = wrap(closing)(1.1) if way == "closed over" else wrap(with_ref)(1.1, ref)
            after = ref[...]
        np.testing.assert_allclose(found, slope, rtol=1e-5)
        np.testing.assert_allclose(after, held, rtol=1e-5)


def test_twice_and_by_vjp() -> None:
    ref: Any = new_ref(tnp.zeros(()))
    _, back = treadle.vjp(lambda x: scanned(ref, x), 1.1)
    np.testing.assert_allclose(back(2.0)[0], 2 * 0.025884876, rtol=1e-5)
    np.testing.assert_allclose(ref[...], 24.477335, rtol=1e-5)
    ref[...] = 0.0
    np.testing.assert_allclose(treadle.jit(back)(2.0)[0], 2 * 0.025884876, rtol=1e-5)
    np.testing.assert_allclose(ref[...], 24.477335, rtol=1e-5)


def test_a_reference_for_each_batch_element() -> None:
    ref: Any = new_ref(tnp.zeros(3))
    slopes = treadle.vmap(treadle.grad(lambda x, ref: scanned(ref, x)))(tnp.arange(3.0), ref)
    np.testing.assert_allclose(slopes, [6.0, 0.17166151, 0.01127104], rtol=1e-5)
    np.testing.assert_allclose(ref[...], [30.0, 13.271284, 11.884736], rtol=1e-5)


def test_within_branches_they_are_refused() -> None:
    """JAX fails there, too."""
    ref: Any = new_ref(tnp.zeros(()))

    def branch(x: Any) -> Any:
        return lax.cond(x > 0, lambda x: logged(ref, x), lambda x: x, x)

    with pytest.raises(ArgumentError, match="a function that is staged"):
        treadle.jit(treadle.grad(branch))(1.1)
    assert float(ref[...]) == 0
