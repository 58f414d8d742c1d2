"""Memory: donation, which gives a result its argument's buffer, and checkpoint, which keeps less."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any, Final

import numpy

from cases.base import Budget, Case, Namespace

LAYERS: Final = 100
LEVEL: Final = Budget(jax=1.02)
SIDE: Final = 1000  # a layer's values take 4 MB


def temporaries(
    layer: Callable[[Namespace, Any, Any], Any], every: int | None
) -> Callable[[Namespace], Callable[[], Any]]:
    """Megabytes of temporaries in the gradient of 100 layers, as the compiler counts them."""

    def make(ns: Namespace) -> Callable[[], Any]:
        def measured() -> float:
            compiled = gradient(ns, layer, every)
            return float(compiled.memory_analysis().temp_size_in_bytes) / 1e6

        return measured

    return make


def gradient(
    ns: Namespace, layer: Callable[[Namespace, Any, Any], Any], every: int | None
) -> Any:  # the library's own compiled object
    """The compiled gradient of 100 layers, with a checkpoint for each `every` of them."""

    def some(x: Any, w: Any, count: int) -> Any:
        for _ in range(count):
            x = layer(ns, x, w)
        return x

    def loss(x: Any, w: Any) -> Any:
        if every is None:
            return ns.np.sum(some(x, w, LAYERS))
        block = ns.checkpoint(lambda x, w: some(x, w, every))
        for _ in range(LAYERS // every):
            x = block(x, w)
        return ns.np.sum(x)

    x = numpy.ones((SIDE, SIDE), numpy.float32)
    return ns.jit(ns.grad(loss)).lower(x, x).compile()


def gradient_peak(ns: Namespace) -> Callable[[], Any]:
    """Megabytes that one call of the gradient adds to the process's peak, in a process of its own."""

    def measured() -> float:
        compiled = gradient(ns, dense, 10)
        x = ns.wait(ns.np.ones((SIDE, SIDE), ns.np.float32))
        small = ns.np.ones((8, 8), ns.np.float32)
        ns.wait(ns.jit(lambda x: x @ x)(small))  # what the first product starts is not asked for
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ns.wait(compiled(x, x))
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3

    return measured


def dense(ns: Namespace, x: Any, w: Any) -> Any:
    """A dense layer."""
    return ns.np.tanh(x @ w)


def wave(ns: Namespace, x: Any, w: Any) -> Any:
    """A layer without a product: the compiler may fuse all of them."""
    return ns.np.sin(x) * 1.01


def peak(donate: bool) -> Callable[[Namespace], Callable[[], Any]]:
    """Megabytes that three steps on a state of 256 MB add to the process's peak, in a process of its own."""

    def make(ns: Namespace) -> Callable[[], Any]:
        def measured() -> float:
            options = {"donate_argnums": 0} if donate else {}
            step = ns.jit(lambda x: x * 1.0001 + 1.0, **options)
            start = ns.jit(lambda: ns.np.zeros((64, 1024, 1024), ns.np.float32))
            ns.wait(step(ns.np.zeros(8)))  # the compiler's own memory is not what we ask for
            state = ns.wait(start())
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(3):
                state = ns.wait(step(state))
            return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3

        return measured

    return make


CASES: Final = [
    Case(
        "temporaries, grad of 100 dense layers",
        temporaries(dense, None),
        kind="value",
        unit="MB",
        budget=LEVEL,
    ),
    Case(
        "the same, checkpoint each 10",
        temporaries(dense, 10),
        kind="value",
        unit="MB",
        budget=Budget(most=80),
    ),
    Case(
        "peak of a process, checkpoint each 10",
        gradient_peak,
        kind="process value",
        unit="MB",
        budget=Budget(most=100),
    ),
    Case(
        "temporaries, grad of 100 x sin",
        temporaries(wave, None),
        kind="value",
        unit="MB",
        budget=LEVEL,
    ),
    Case(
        "the same, checkpoint each 10 sin",
        temporaries(wave, 10),
        kind="value",
        unit="MB",
        budget=LEVEL,
    ),
    Case("three steps on 256 MB: peak", peak(False), kind="process value", unit="MB", budget=LEVEL),
    Case("the same, donated", peak(True), kind="process value", unit="MB", budget=Budget(most=10)),
]
