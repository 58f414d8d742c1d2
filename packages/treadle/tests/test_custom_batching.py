from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.custom_batching import custom_vmap, sequential_vmap
from treadle.errors import DerivativeError

X = np.arange(3, dtype=np.float32)


@custom_vmap
def product(x: Any, y: Any) -> Any:
    return tnp.sin(x) * y


@product.def_vmap
def product_vmap(axis_size: int, in_batched: Any, x: Any, y: Any) -> Any:
    return tnp.cos(x) * y, in_batched[0] or in_batched[1]  # another function, to see which one ran


@pytest.mark.parametrize("transform", [lambda f: f, treadle.jit], ids=["eager", "jit"])
def test_derivatives_of_what_is_vectorised_are_those_of_the_rule(transform: Any) -> None:
    over = transform(treadle.vmap(product, (0, None)))
    np.testing.assert_allclose(over(X, 2.0), 2 * np.cos(X), rtol=1e-6)
    gradient = treadle.grad(lambda x: over(x, 2.0).sum())(X)
    np.testing.assert_allclose(gradient, -2 * np.sin(X), rtol=1e-6, atol=1e-6)
    # Forward mode inside of vmap: the rule's jvp.
    tangent = treadle.vmap(
        transform(lambda x: treadle.jvp(lambda x: product(x, 2.0), (x,), (1.0,)))
    )
    np.testing.assert_allclose(tangent(X)[1], -2 * np.sin(X), rtol=1e-6, atol=1e-6)
    shared = treadle.vmap(transform(lambda dx: treadle.jvp(product, (1.0, 2.0), (dx, 0.0))[1]))
    np.testing.assert_allclose(shared(X), -2 * np.sin(1.0) * X, rtol=1e-6)


@pytest.mark.parametrize("transform", [lambda f: f, treadle.jit], ids=["eager", "jit"])
def test_reverse_mode_needs_the_vmap_inside(transform: Any) -> None:
    for function in (product, sequential_vmap(lambda x, y: x * y)):
        with pytest.raises(DerivativeError, match="a function with a batching rule of its own"):
            treadle.grad(transform(lambda x, f=function: f(x, 2.0)))(1.0)
        gradient = treadle.grad(lambda x, f=function: treadle.vmap(f, (0, None))(x, 2.0).sum())
        if function is product:
            np.testing.assert_allclose(gradient(X), -2 * np.sin(X), rtol=1e-6, atol=1e-6)


def test_a_sequential_function_may_call_the_host() -> None:
    seen = []

    def on_host(x: Any) -> Any:
        seen.append(x.shape)
        return np.asarray(x * 2)

    @sequential_vmap
    def doubled(x: Any) -> Any:
        return treadle.pure_callback(on_host, treadle.ShapeDtypeStruct((), np.float32), x)

    np.testing.assert_array_equal(treadle.jit(treadle.vmap(doubled))(X), 2 * X)
    assert seen == [()] * 3


def test_functions_with_lists_among_their_fields() -> None:
    @dataclasses.dataclass(eq=False)
    class Scaled:
        factors: list[float]

        def __call__(self, *args: Any) -> Any:
            return (args[-1] * self.factors[0],)

    @treadle.custom_vjp
    def f(x: Any) -> Any:
        return x * 2.0

    f.defvjp(lambda x: (x * 2.0, None), Scaled([5.0]))
    assert float(treadle.jit(f)(1.0)) == 2.0
    assert float(treadle.jit(treadle.grad(lambda x: f(x) + f(x)))(1.0)) == 10.0


def test_rules_of_several_kinds_are_set_on_one_function() -> None:
    @treadle.custom_vjp
    @custom_vmap
    def f(x: Any, y: Any) -> Any:
        return tnp.sin(x) * y

    @f.def_vmap  # type: ignore[attr-defined]  # the inner function's
    def rule(axis_size: int, in_batched: Any, xs: Any, ys: Any) -> Any:
        return tnp.cos(xs) * ys, True

    f.defvjp(lambda x, y: (f(x, y), (x, y)), lambda kept, ct: (ct * 7, ct * 5))
    np.testing.assert_array_equal(treadle.vmap(f)(tnp.zeros(3), tnp.ones(3)), np.ones(3))
    assert [float(ct) for ct in treadle.grad(f, (0, 1))(1.0, 2.0)] == [7.0, 5.0]
    with pytest.raises(AttributeError, match="'custom_vjp' object has no attribute 'def_nothing'"):
        f.def_nothing  # type: ignore[attr-defined]  # noqa: B018
