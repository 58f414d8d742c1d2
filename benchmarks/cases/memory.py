"""Memory: donation, which gives a result its argument's buffer, and checkpoint, which keeps less."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any, Final

import numpy

from cases.base import Budget, Case, Namespace

LAYERS: Final = 100
SIDE: Final = 1000  # a layer's values take 4 MB


def temporaries(every: int | None) -> Callable[[Namespace], Callable[[], Any]]:
    """Megabytes of temporaries in the gradient of 100 layers, as the compiler counts them."""

    def make(ns: Namespace) -> Callable[[], Any]:
        def some(x: Any, count: int) -> Any:
            for _ in range(count):
                x = ns.np.sin(x) * 1.01
            return x

        def loss(x: Any) -> Any:
            if every is None:
                return ns.np.sum(some(x, LAYERS))
            block = ns.checkpoint(lambda x: some(x, every))
            for _ in range(LAYERS // every):
                x = block(x)
            return ns.np.sum(x)

        def measured() -> float:
            x = numpy.ones((SIDE, SIDE), numpy.float32)
            compiled = ns.jit(ns.grad(loss)).lower(x).compile()
            return float(compiled.memory_analysis().temp_size_in_bytes) / 1e6

        return measured

    return make


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
        "temporaries, grad of 100 layers",
        temporaries(None),
        kind="value",
        unit="MB",
        budget=Budget(jax=1.02),
    ),
    Case(
        "the same, checkpoint each 10",
        temporaries(10),
        kind="value",
        unit="MB",
        budget=Budget(jax=0.25),
    ),
    Case(
        "three steps on 256 MB: peak",
        peak(False),
        kind="process value",
        unit="MB",
        budget=Budget(jax=1.02),
    ),
    Case("the same, donated", peak(True), kind="process value", unit="MB"),
]
