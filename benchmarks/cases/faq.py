"""The FAQ's own benchmark, step by step: `x.T @ (x - x.mean(axis=0))` in NumPy, transferred, compiled, run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

from cases.base import ALL, Budget, Case, Namespace
from cases.eager import on_matrix

LEVEL: Final = Budget(jax=1.05)


def centred(x: Any) -> Any:
    """Compute the example that the FAQ measures."""
    return x.T @ (x - x.mean(axis=0))


def host(size: int) -> Any:
    """The matrix, on the host."""
    return numpy.random.default_rng(0).random((size, size), numpy.float32)


def as_written(size: int) -> Callable[[Namespace], Callable[[], Any]]:
    """Operation by operation; for numpy, the FAQ's line of comparison."""

    def make(ns: Namespace) -> Callable[[], Any]:
        x = ns.np.asarray(host(size))
        return lambda: centred(x)

    return make


def transferred(size: int) -> Callable[[Namespace], Callable[[], Any]]:
    """The matrix to the device. On the CPU treadle copies it, since the user may write to it; jax may share it."""

    def make(ns: Namespace) -> Callable[[], Any]:
        x = host(size)
        return lambda: ns.wait(ns.top.device_put(x))

    return make


def compiled(size: int) -> Callable[[Namespace], Any]:
    """The function and its argument, for the stages on the way to an executable."""
    return lambda ns: (lambda x: centred(x), (ns.np.asarray(host(size)),))


def jitted(size: int) -> Callable[[Namespace], Callable[[], Any]]:
    """One call of the compiled function."""

    def make(ns: Namespace) -> Callable[[], Any]:
        x = ns.top.device_put(host(size))
        function = ns.jit(centred)
        return lambda: function(x)

    return make


CASES: Final = [
    *(
        case
        for n in (10, 100, 1000)
        for case in (
            Case(f"{n} × {n}, as written", as_written(n), budget=LEVEL, libraries=ALL),
            Case(f"{n} × {n}, transferred", transferred(n)),
            Case(f"{n} × {n}, compiled", compiled(n), kind="stages"),
            Case(f"{n} × {n}, run", jitted(n), budget=LEVEL),
        )
    ),
    Case("x + x, 10 × 10", on_matrix(lambda np, x: x + x), budget=Budget(jax=0.2), libraries=ALL),
]
