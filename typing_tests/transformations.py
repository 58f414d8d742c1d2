"""Transformed functions: what a gradient is by what its argument is declared to be; lambdas, nested and with trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, assert_type

import treadle
import treadle.numpy as tnp
from treadle import Array, grad, jit, value_and_grad, vmap
from treadle.typing import ArrayLike


class Model(NamedTuple):
    """A user's pytree."""

    w: Array
    b: Array


def of_array(x: Array, n: int = 2) -> Array:
    return (x**n).sum()


def of_anything(x: ArrayLike) -> Array:
    return tnp.sin(x)


def of_number(x: float) -> float:
    return x * x


def of_model(m: Model, x: Array) -> Array:
    return (m.w * x + m.b).sum()


def of_dictionary(p: dict[str, Array]) -> tuple[Array, str]:
    return p["w"].sum(), "aux"


def gradients(x: Array, m: Model, p: dict[str, Array]) -> None:
    assert_type(grad(of_array)(x), Array)
    assert_type(grad(of_array)(x, n=3), Array)
    assert_type(grad(of_anything)(1.0), Array)
    assert_type(grad(of_number)(1.0), Array)
    assert_type(grad(tnp.max)(x), Array)
    assert_type(grad(of_model)(m, x), Model)
    assert_type(grad(of_dictionary, has_aux=True)(p), tuple[dict[str, Array], str])
    assert_type(value_and_grad(of_array)(x), tuple[Array, Array])
    assert_type(value_and_grad(of_anything)(1.0), tuple[Array, Array])
    assert_type(value_and_grad(of_model)(m, x), tuple[Array, Model])
    assert_type(
        value_and_grad(of_dictionary, has_aux=True)(p), tuple[tuple[Array, str], dict[str, Array]]
    )
    assert_type(jit(grad(of_array))(x), Array)
    assert_type(jit(grad(of_anything))(x), Array)
    assert_type(jit(grad(of_model))(m, x), Model)
    assert_type(vmap(grad(of_anything))(x), Array)
    assert_type(grad(jit(of_array))(x), Array)
    of_one: Callable[[Array], Array] = grad(of_array)
    assert_type(of_one(x), Array)


def lambdas(x: Array, p: dict[str, Array]) -> None:
    def done(f: Callable[[Any], Any]) -> Any:
        return f(x)

    grad(lambda x: (x * 2).sum())(x)
    grad(lambda p: p["w"] * 2)(p)
    grad(lambda w, x: (w * x).sum(), argnums=(0, 1))(x, x)
    grad(lambda w, x: ((w * x).sum(), w), has_aux=True)(x, x)
    grad(lambda x: grad(lambda y: y * x * x)(x))(1.0)
    done(grad(lambda x: (x * x).sum()))
    jit(grad(lambda p: p["w"].sum()))(p)
    jit(grad(lambda w, x: (w * x).sum()))(x, x)
    vmap(grad(lambda x: x * x))(x)
    jit(vmap(lambda p: p["w"] * 2))(p)
    treadle.checkpoint(lambda p: p["w"])(p)
    jit(treadle.checkpoint(lambda p: p["w"]))(p)
    jit(value_and_grad(lambda w, x: (w * x).sum()))(x, x)


def mistakes(x: Array, p: dict[str, Array]) -> None:
    grad(of_array)(p)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    grad(of_array)(x, "n")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
