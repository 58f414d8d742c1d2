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


def chained(ns: Namespace) -> Callable[[], Any]:
    """Each call takes the result of the one before."""
    step = ns.jit(lambda x: 0.5 * x)
    (state,) = arrays(ns, 1)

    def call() -> Any:
        nonlocal state
        state = step(state)
        return state

    return call


def donated(ns: Namespace) -> Callable[[], Any]:
    """Each call takes the result of the one before, and its memory."""
    step = ns.jit(lambda x: 0.5 * x, donate_argnums=0)
    state = ns.np.ones(4, numpy.float32) * 2

    def call() -> Any:
        nonlocal state
        state = step(state)
        return state

    return call


def keywords(ns: Namespace) -> Callable[[], Any]:
    """Two arrays by keyword."""
    x, y = arrays(ns, 2)
    function = ns.jit(lambda x, y: x + y)
    return lambda: function(x=x, y=y)


def two_statics(ns: Namespace) -> Callable[[], Any]:
    """An array, and two static arguments by position."""
    (x,) = arrays(ns, 1)
    function = ns.jit(lambda x, n, flag: x * n if flag else x, static_argnums=(1, 2))
    return lambda: function(x, 3, True)


def static_by_name(ns: Namespace) -> Callable[[], Any]:
    """An array, and a static argument by keyword."""
    (x,) = arrays(ns, 1)
    function = ns.jit(lambda x, *, mode: x * 2 if mode == "double" else x, static_argnames="mode")
    return lambda: function(x, mode="double")


def scalars(ns: Namespace) -> Callable[[], Any]:
    """An array and two Python numbers, the same in each call."""
    (x,) = arrays(ns, 1)
    function = ns.jit(lambda x, a, b: a * x + b)
    return lambda: function(x, 2.5, 3)


def new_scalar(ns: Namespace) -> Callable[[], Any]:
    """An array and a Python number, another one in each call."""
    (x,) = arrays(ns, 1)
    function = ns.jit(lambda x, a: a * x)
    numbers = itertools.count()
    return lambda: function(x, next(numbers) + 0.5)


def numpy_array(ns: Namespace) -> Callable[[], Any]:
    """A NumPy array."""
    x = numpy.ones(4, numpy.float32)
    function = ns.jit(lambda x: x + x)
    return lambda: function(x)


def new_numpy_array(ns: Namespace) -> Callable[[], Any]:
    """A NumPy array that has other elements in each call."""
    x = numpy.ones(4, numpy.float32)
    function = ns.jit(lambda x: x + x)

    def call() -> Any:
        x[0] += 1
        return function(x)

    return call


def numpy_scalar(ns: Namespace) -> Callable[[], Any]:
    """An array and a NumPy scalar."""
    (x,) = arrays(ns, 1)
    scalar = numpy.float32(2.5)
    function = ns.jit(lambda x, a: a * x)
    return lambda: function(x, scalar)


def flat_tree(count: int) -> Callable[[Namespace], Callable[[], Any]]:
    """A dict of so many arrays goes in and comes out."""

    def make(ns: Namespace) -> Callable[[], Any]:
        tree = {f"p{i:03}": x for i, x in enumerate(arrays(ns, count))}
        update = ns.jit(lambda t: {k: 1.01 * x for k, x in t.items()})
        return lambda: update(tree)

    return make


def in_turns(
    function: Callable[..., Any],
    calls: Callable[[Namespace], list[tuple[Any, ...]]],
    **options: Any,
) -> Callable[[Namespace], Callable[[], Any]]:
    """One function called with several kinds of arguments in turns."""

    def make(ns: Namespace) -> Callable[[], Any]:
        jitted = ns.jit(function, **options)
        given = calls(ns)
        for args in 3 * given:  # each kind is compiled, and known
            ns.wait(jitted(*args))
        turns = itertools.cycle(given)
        return lambda: jitted(*next(turns))

    return make


def of_sizes(*sizes: int) -> Callable[[Namespace], list[tuple[Any, ...]]]:
    """One array in each call."""
    return lambda ns: [(ns.np.ones(size),) for size in sizes]


def layers(ns: Namespace, count: int) -> dict[str, dict[str, Any]]:
    """A dict of weights and biases."""
    return {f"l{i}": {"w": ns.np.ones((8, 8)), "b": ns.np.ones(8)} for i in range(count)}


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
    Case("jit call, chained", chained, budget=Budget(jax=1.25)),
    Case("jit call, donated and chained", donated, budget=Budget(jax=1.25)),
    Case("jit call, keyword arguments", keywords, budget=Budget(jax=1.25)),
    Case("jit call, 2 static arguments", two_statics, budget=Budget(jax=1.25)),
    Case("jit call, static by name", static_by_name, budget=Budget(jax=1.25)),
    Case("jit call, Python scalars", scalars, budget=Budget(jax=1.25)),
    Case("jit call, a new Python scalar", new_scalar, budget=Budget(jax=1.25)),
    Case("jit call, NumPy array", numpy_array, budget=Budget(jax=1.25)),
    Case("jit call, a new NumPy array", new_numpy_array, budget=Budget(jax=1.25)),
    Case("jit call, NumPy scalar", numpy_scalar, budget=Budget(jax=1.25)),
    Case("jit call, dict of 100 in and out", flat_tree(100), budget=Budget(jax=1.25)),
    Case("jit call, dict of 1000 in and out", flat_tree(1000), budget=Budget(jax=1.25)),
    Case("jit call, 1000 leaves in", tree(False), budget=Budget(jax=0.5)),
    Case("jit call, 1000 leaves in and out", tree(True), budget=Budget(jax=0.5)),
    Case(
        "jit call, 2 shapes in turns",
        in_turns(lambda x: x + 1, of_sizes(4, 5)),
        budget=Budget(jax=1.1),
    ),
    Case(
        "jit call, 30 shapes in turns",
        in_turns(lambda x: x + 1, of_sizes(*range(1, 31))),
        budget=Budget(jax=1.1),
    ),
    Case(
        "jit call, array and Python scalar in turns",
        in_turns(lambda x: x + 1, lambda ns: [(ns.np.ones(4),), (2.0,)]),
        budget=Budget(jax=1.1),
    ),
    Case(
        "jit call, static 3 and 4 in turns",
        in_turns(
            lambda n, x: x * n,
            lambda ns: [(3, ns.np.ones(4)), (4, ns.np.ones(4))],
            static_argnums=0,
        ),
        budget=Budget(jax=1.1),
    ),
    Case(
        "jit call, trees of 20 and 18 leaves in turns",
        in_turns(
            lambda p, x: sum([(v["w"] @ x + v["b"]).sum() for v in p.values()]),
            lambda ns: [(layers(ns, count), ns.np.ones(8)) for count in (10, 9)],
        ),
        budget=Budget(jax=1.1),
    ),
    Case(
        "jit call, 8 weights of 8 shapes",
        in_turns(
            lambda w, g: w - 0.1 * g,
            lambda ns: [(ns.np.ones((i, 4)), ns.np.ones((i, 4))) for i in range(1, 9)],
        ),
        budget=Budget(jax=1.1),
    ),
    Case("a new shape, jit(x + 1)", new_shape, budget=Budget(jax=1.02)),
    Case("a new shape, eager sin, sum", new_shape_eager, budget=Budget(jax=1 / 5)),
]
