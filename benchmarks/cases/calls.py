"""Calls of compiled functions: what a hit costs, and what a new shape does."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy

from cases.base import Budget, Case, Namespace


def arrays(ns: Namespace, count: int) -> list[Any]:
    """Small device arrays."""
    double = ns.jit(lambda *xs: [2 * x for x in xs])
    hosts = [numpy.full(4, i, numpy.float32) for i in range(count)]
    return list(ns.wait(double(*hosts)))


def many_arguments(count: int) -> Callable[[Namespace], Callable[[], Any]]:
    """A jitted function of many arrays with one result."""

    def make(ns: Namespace) -> Callable[[], Any]:
        xs = arrays(ns, count)
        function = ns.jit(lambda *xs: xs[0] + xs[-1], keep_unused=True)
        return lambda: function(*xs)

    return make


def tree(both_ways: bool) -> Callable[[Namespace], Callable[[], Any]]:
    """1000 leaves in a dict of dicts go in, and perhaps come out."""

    def make(ns: Namespace) -> Callable[[], Any]:
        leaves = iter(arrays(ns, 1000))
        tree = {f"layer{i:03}": {"w": next(leaves), "b": next(leaves)} for i in range(500)}
        if both_ways:
            update = ns.jit(
                lambda t: {k: {n: 1.01 * x for n, x in layer.items()} for k, layer in t.items()}
            )
            return lambda: update(tree)
        first = ns.jit(lambda t: t["layer000"]["w"] + t["layer499"]["b"], keep_unused=True)
        return lambda: first(tree)

    return make


def new_shape(ns: Namespace) -> Callable[[], Any]:
    """Each call has a shape that was never seen: trace, lower and compile `x + 1`."""
    function = ns.jit(lambda x: x + 1)
    sizes = itertools.count(3)

    def call() -> Any:
        return function(numpy.zeros(next(sizes), numpy.float32))[:3]

    return call


def new_shape_eager(ns: Namespace) -> Callable[[], Any]:
    """An eager operation on a shape that was never seen."""
    sizes = itertools.count(3)
    return lambda: ns.np.sin(ns.np.asarray(numpy.zeros(next(sizes), numpy.float32))).sum()


CASES: Final = [
    Case("jit call, 1 argument", many_arguments(1), budget=Budget(jax=1.1)),
    Case("jit call, 10 arguments", many_arguments(10), budget=Budget(jax=0.95)),
    Case("jit call, 100 arguments", many_arguments(100), budget=Budget(jax=0.8)),
    Case("jit call, 1000 leaves in", tree(False), budget=Budget(jax=0.5)),
    Case("jit call, 1000 leaves in and out", tree(True), budget=Budget(jax=0.5)),
    Case("a new shape, jit(x + 1)", new_shape, budget=Budget(jax=1.02)),
    Case("a new shape, eager sin, sum", new_shape_eager, budget=Budget(jax=1 / 5)),
]
