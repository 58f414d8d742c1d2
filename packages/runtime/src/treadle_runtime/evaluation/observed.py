"""Observers of eager operations: code that is notified of each operation that is evaluated by itself.

While there are observers, an `ObservedEvaluator` stands in front of the evaluator of the process; without any, it is
removed, and an operation costs what it always costs. Functions that are fused are one call, and are not reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol, final

import numpy as np

from treadle_ir import ArrayType, Operands, Primitive
from treadle_ir.process import fork_safe_lock
from treadle_ir.tracing import ROOT
from treadle_runtime.arrays.array import from_host
from treadle_runtime.evaluation.evaluator import RuntimeEvaluator

_TIMES: Final = 100  # an operation is run to see how long it takes


class OperationObserver(Protocol):
    """An object that is notified of operations. An exception that the method raises leaves the operation."""

    def evaluating(self, primitive: Primitive, operands: Operands) -> None:
        """Hear of an operation that is about to be evaluated.

        Args:
            primitive: the operation.
            operands: its operands.
        """


@final
class ObservedEvaluator:
    """Notifies observers of each operation, and leaves the rest to another evaluator."""

    __slots__ = ("adopted", "array", "call", "inner", "observers")

    def __init__(self, inner: RuntimeEvaluator) -> None:
        self.inner = inner
        self.observers: tuple[OperationObserver, ...] = ()
        self.adopted = inner.adopted
        self.array = inner.array
        self.call = inner.call

    def evaluate(self, primitive: Primitive, operands: Operands) -> Operands:
        """Return the results of a primitive on concrete operands, after the observers have been notified."""
        for observer in self.observers:
            observer.evaluating(primitive, operands)
        return self.inner.evaluate(primitive, operands)


_lock: Final = fork_safe_lock()  # guards the observers


def runtime_evaluator() -> RuntimeEvaluator | None:
    """Return the evaluator of the process, behind its observers; None if another package evaluates."""
    evaluator = ROOT.evaluator
    if isinstance(evaluator, ObservedEvaluator):
        return evaluator.inner
    return evaluator if isinstance(evaluator, RuntimeEvaluator) else None


@final
class observing_operations:  # noqa: N801 - reads as a statement
    """`with observing_operations(observer):` notifies an observer of all eager operations meanwhile, in all threads."""

    __slots__ = ("_observer",)

    def __init__(self, observer: OperationObserver) -> None:
        self._observer = observer

    def __enter__(self) -> None:
        with _lock:
            evaluator = ROOT.evaluator
            if isinstance(evaluator, RuntimeEvaluator):
                evaluator = ROOT.evaluator = ObservedEvaluator(evaluator)
            if isinstance(evaluator, ObservedEvaluator):
                evaluator.observers += (self._observer,)

    def __exit__(self, *error: object) -> None:
        with _lock:
            evaluator = ROOT.evaluator
            if isinstance(evaluator, ObservedEvaluator):
                left = [each for each in evaluator.observers if each is not self._observer]
                evaluator.observers = tuple(left)
                if not left:
                    ROOT.evaluator = evaluator.inner


def seconds_of(primitive: Primitive, types: Sequence[ArrayType]) -> tuple[float, float] | None:
    """Measure an eager operation, and the part of it that computes, on zeros.

    Args:
        primitive: the operation.
        types: the types of its operands.

    Returns:
        The seconds that it takes, and the seconds of its kernel alone; None if it is not computed by NumPy.
    """
    evaluator = runtime_evaluator()
    if evaluator is None:
        return None
    host = [np.zeros(type.shape, type.dtype) for type in types]
    arrays = [from_host(x, weak=type.weak) for x, type in zip(host, types, strict=True)]
    operation = evaluator.find_instrumented(primitive, arrays)
    kernel = operation.kernel
    if kernel is None:
        return None
    inline = operation.bare or operation.inline
    computing = (lambda: kernel(primitive, *host)) if inline is None else (lambda: inline(*host))
    return _best_of(lambda: ROOT.process(primitive, arrays)), _best_of(computing)


def _best_of(run: Callable[[], object]) -> float:
    """Return the seconds that a function takes, by the quickest of some rounds."""
    rounds = []
    with np.errstate(all="ignore"):
        for _ in range(5):
            started = time.perf_counter()
            for _ in range(_TIMES):
                run()
            rounds.append((time.perf_counter() - started) / _TIMES)
    return min(rounds)
