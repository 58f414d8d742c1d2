"""Families of rounds of which each makes something new: a function, a static value, a shape, a class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.kept.classes import CLASSES, doubled
from treadle import lax

Act: TypeAlias = Callable[[int], Any]
X: Final = np.float32(0.5)
XS: Final = np.arange(3, dtype=np.float32)
LARGE: Final = 200_000  # elements: XLA runs operations on so many of them


def of_shape(number: int) -> Any:
    """A large array whose shape no other number gives."""
    return tnp.asarray(np.ones(LARGE + number, np.float32))


def own_jvp(number: int) -> Any:
    @treadle.custom_jvp
    def f(x: Any) -> Any:
        return x * number

    f.defjvp(lambda xs, ts: (f(*xs), ts[0] * number))
    return treadle.jvp(f, (X,), (X,)), treadle.jit(f)(X)


def own_vjp(number: int) -> Any:
    @treadle.custom_vjp
    def f(x: Any) -> Any:
        return x * number

    f.defvjp(lambda x: (x * number, x), lambda x, ct: (ct * number,))
    return treadle.grad(f)(X), treadle.jit(treadle.grad(f))(X)


def callback(number: int) -> Any:
    shape = treadle.ShapeDtypeStruct((), np.float32)
    called = treadle.jit(lambda x: treadle.pure_callback(lambda x: np.float32(number), shape, x))
    return called(X)


def static_values() -> Act:
    scaled = treadle.jit(lambda x, number: tnp.sin(x) * number, static_argnums=1)
    return lambda number: scaled(X, number)


def static_values_by_name() -> Act:
    scaled = treadle.jit(lambda x, *, number: x * number, static_argnames="number")
    return lambda number: scaled(X, number=float(number))


def shapes() -> Act:
    function = treadle.jit(lambda x: x * 2 + 1)
    return lambda number: function(np.ones(number + 1, np.float32))


def dict_keys() -> Act:
    function = treadle.jit(lambda tree: doubled(tree))
    return lambda number: function({f"key {number}": X})


OF_ONE_FUNCTION: Final[dict[str, Callable[[], Act]]] = {
    "static values": static_values,
    "static values by name": static_values_by_name,
    "shapes": shapes,
    "dict keys": dict_keys,
}
ROUNDS: Final[dict[str, Act]] = {
    "static strings of jit in a loop": lambda number: treadle.jit(
        lambda x, text: x * len(text), static_argnums=1
    )(X, f"text {number}"),
    "jitted lambdas": lambda number: treadle.jit(lambda x: x * number)(X),
    "lowered and compiled": lambda number: treadle.jit(lambda x: x - number).lower(X).compile()(X),
    "derivatives of lambdas": lambda number: treadle.jit(treadle.grad(lambda x: x * number))(X),
    "custom_jvp": own_jvp,
    "custom_vjp": own_vjp,
    "callbacks": callback,
    "scans": lambda number: lax.scan(lambda c, x: (c * number + x, c), X, XS),
    "while_loops": lambda number: lax.while_loop(lambda c: c < number, lambda c: c + number, X),
    "branches": lambda number: lax.cond(True, lambda x: x * number, lambda x: x, X),
    "derivatives of branches": lambda number: treadle.grad(
        lambda x: lax.cond(True, lambda x: x * number, lambda x: x, x)
    )(X),
    "batches of branches": lambda number: treadle.vmap(
        lambda x: lax.cond(x > 1, lambda x: x * number, lambda x: x, x)
    )(XS),
    "derivatives of scans": lambda number: treadle.grad(
        lambda x: lax.scan(lambda c, x: (c * number + x, c), x, XS)[0]
    )(X),
    "solutions": lambda number: treadle.grad(
        lambda x: lax.custom_root(
            lambda y: y * number - x, x, lambda f, y: y - f(y), lambda g, y: y / g(tnp.float32(1))
        )
    )(X),
    "eager shapes": lambda number: tnp.asarray(np.ones(number + 1, np.float32)) * 2 + 1,
    "large eager shapes": lambda number: (
        tnp.asarray(np.ones((900 + number, 1000), np.float32)) @ tnp.ones((1000, 8))
    ),
    "eager shapes of composed functions": lambda number: treadle.nn.softmax(of_shape(number)),
    "shapes of random numbers": lambda number: treadle.random.uniform(
        treadle.random.key(0), (LARGE // 4 + number,)
    ),
    **{
        f"classes: {how}": lambda number, make=make: treadle.jit(lambda tree: doubled(tree))(make())  # type: ignore[misc]  # a default
        for how, make in CLASSES.items()
    },
}
FAMILIES: Final[dict[str, Callable[[], Act]]] = OF_ONE_FUNCTION | {
    name: lambda act=act: act  # type: ignore[misc]  # a default
    for name, act in ROUNDS.items()
}
