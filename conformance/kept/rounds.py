"""Rounds: each makes a function, a callback or a value around a held object, uses it, and releases it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax

KIB: Final = 256  # of each held object


class Held:
    """What a round captures: an array of its own, and a value for `==` and `hash` that no other has."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.elements = np.full(KIB * 256, float(number), np.float32)

    def __call__(self, x: Any) -> Any:
        return x * self.number

    def method(self, x: Any) -> Any:
        return x + self.number


Round: TypeAlias = Callable[[Held], object]
X: Final = np.float32(0.5)
XS: Final = np.arange(3, dtype=np.float32)


def on(held: Held, x: Any) -> Any:
    """Something that uses the object's number and array."""
    return x * held.elements[0] + held.elements[:3].sum()


def own_vjp(held: Held) -> Callable[[Any], Any]:
    @treadle.custom_vjp
    def f(x: Any) -> Any:
        return on(held, x)

    f.defvjp(lambda x: (on(held, x), x), lambda x, ct: (ct * held.number,))
    return f


def own_jvp(held: Held) -> Callable[[Any], Any]:
    @treadle.custom_jvp
    def f(x: Any) -> Any:
        return on(held, x)

    f.defjvp(lambda xs, ts: (f(*xs), ts[0] * held.number))
    return f


def host(held: Held) -> Callable[[Any], Any]:
    shape = treadle.ShapeDtypeStruct((), np.float32)

    def called(x: Any) -> Any:
        return np.float32(on(held, x))

    return lambda x: treadle.pure_callback(called, shape, x, vmap_method="sequential")


def looks(held: Held) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        treadle.debug.callback(lambda x: on(held, x), x)
        return x * 2

    return f


def written(held: Held) -> Callable[[Any], Any]:
    shape = treadle.ShapeDtypeStruct((), np.float32)
    return lambda x: treadle.experimental.io_callback(
        lambda x: np.float32(on(held, x)), shape, x, ordered=True
    )


def scanned(held: Held) -> Callable[[Any], Any]:
    return lambda x: lax.scan(lambda c, e: (c + e * held.number, on(held, c)), x, XS)[0]


def repeated(held: Held) -> Callable[[Any], Any]:
    return lambda x: lax.while_loop(lambda c: c < held.number, lambda c: on(held, c) + 1, x)


def chosen(held: Held) -> Callable[[Any], Any]:
    return lambda x: lax.cond(x > 0, lambda x: on(held, x), lambda x: x, x)


def failing(held: Held) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        y = on(held, x)
        raise ValueError(str(y.shape))

    return f


def caught(f: Callable[[Any], Any]) -> Callable[[Any], None]:
    def run(x: Any) -> None:
        try:
            f(x)
        except ValueError:
            return
        raise AssertionError("nothing was raised")

    return run


def in_a_thread(held: Held) -> None:
    thread = threading.Thread(target=lambda: treadle.jit(lambda x: on(held, x))(X))
    thread.start()
    thread.join()


FUNCTIONS: Final[dict[str, Callable[[Held], Callable[[Any], Any]]]] = {
    "closure": lambda held: lambda x: on(held, x),
    "captured array": lambda held: lambda x: (x + tnp.asarray(held.elements)).sum(),
    "custom_vjp": own_vjp,
    "custom_jvp": own_jvp,
    "checkpoint": lambda held: treadle.checkpoint(lambda x: on(held, x)),
    "scan": scanned,
    "cond": chosen,
}
WITHOUT_DERIVATIVE: Final[dict[str, Callable[[Held], Callable[[Any], Any]]]] = {
    "pure_callback": host,
    "debug.callback": looks,
    "io_callback": written,
    "while_loop": repeated,
}
TRANSFORMED: Final[dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]]] = {
    "eager": lambda f: f,
    "jit": treadle.jit,
    "grad": treadle.grad,
    "jit of grad": lambda f: treadle.jit(treadle.grad(f)),
    "grad of jit": lambda f: treadle.grad(treadle.jit(f)),
    "jvp": lambda f: lambda x: treadle.jvp(f, (x,), (x,)),
    "linearize": lambda f: lambda x: treadle.linearize(f, x)[1](x),
    "vmap": lambda f: lambda x: treadle.vmap(f)(np.stack([x, x])),
    "make_jaxpr": lambda f: lambda x: treadle.make_jaxpr(f)(x),
}
REFUSED: Final = {
    ("io_callback", "vmap"),  # ordered: elements of a batch have no order
    ("custom_vjp", "jvp"),  # a backward rule serves reverse mode only
    ("custom_vjp", "linearize"),
}
STATIC: Final = treadle.jit(lambda x, held: on(held, x), static_argnums=1)
STATIC_BY_NAME: Final = treadle.jit(lambda x, *, held: on(held, x), static_argnames="held")


def used(
    make: Callable[[Held], Callable[[Any], Any]],
    transform: Callable[[Callable[[Any], Any]], Callable[[Any], Any]],
) -> Round:
    return lambda held: transform(make(held))(X)


def rounds() -> dict[str, Round]:
    """All rounds, by name."""
    found: dict[str, Round] = {}
    for how, transform in TRANSFORMED.items():
        for what, make in (FUNCTIONS | WITHOUT_DERIVATIVE).items():
            if what in WITHOUT_DERIVATIVE and not {"eager", "jit", "vmap"} >= {how}:
                continue
            if (what, how) in REFUSED:
                continue
            found[f"{how}, {what}"] = used(make, transform)
    found |= {
        "static": lambda held: STATIC(X, held),
        "static by name": lambda held: STATIC_BY_NAME(X, held=held),
        "static of checkpoint": lambda held: treadle.grad(
            lambda x: treadle.checkpoint(lambda x, held: on(held, x), static_argnums=1)(x, held)
        )(X),
        "callable object": lambda held: treadle.jit(held)(X),
        "method": lambda held: treadle.jit(held.method)(X),
        "partial": lambda held: treadle.jit(functools.partial(on, held))(X),
        "derivative of a callable object": lambda held: treadle.jit(treadle.grad(held))(X),
        "lowered": lambda held: treadle.jit(lambda x: on(held, x)).lower(X).as_text(),
        "compiled": lambda held: treadle.jit(lambda x: on(held, x)).lower(X).compile()(X),
        "exception in jit": lambda held: caught(treadle.jit(failing(held)))(X),
        "exception in grad": lambda held: caught(treadle.grad(failing(held)))(X),
        "exception in scan": lambda held: caught(
            lambda x: lax.scan(lambda c, e: (failing(held)(c), None), x, XS)
        )(X),
        "exception in vmap": lambda held: caught(treadle.vmap(failing(held)))(XS),
        "thread": in_a_thread,
        "array": lambda held: (tnp.asarray(held.elements) + 1).sum(),
        "device_put": lambda held: treadle.device_put(held.elements).block_until_ready(),
        "pytree": lambda held: treadle.tree.map(lambda x: x, {"held": held, "x": [held, 1]}),
    }
    return found
