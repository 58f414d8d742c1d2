"""Observers of calls: code that is notified of each call of a jitted function, before and after it.

A tool that watches a running program adds an observer with `observing(observer)`. Calls of all threads then reach it,
whether or not they are compiled, until the block ends. A call inside of an observed call is not reported. Without
observers, calls pay nothing: generated fast paths refuse calls under observation by the comparison of contexts that
they make anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, Protocol, final

from treadle_ir.process import fork_safe_lock
from treadle_ir.settings import Setting, current_context, overriding, process_context
from treadle_ir.tracing import EvalTrace, current_trace
from treadle_runtime.jitting.caches import FunctionCache


class ObservedFunction(Protocol):
    """A jitted function, as observers see it."""

    __wrapped__: Callable[..., Any]  # the user's function. Any: its arguments and results

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it. Any: arguments and results of users."""

    @property
    def cache(self) -> FunctionCache:
        """Its cache, shared by all jitted versions with equal options."""


class CallObserver(Protocol):
    """An object that is notified of calls. An exception that a method raises leaves the call."""

    def called(
        self, function: ObservedFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Hear of a call that begins. Any: arguments of users."""

    def returned(self, function: ObservedFunction, result: Any) -> None:
        """Hear of a call that has returned; its results may still be computed. Any: a pytree."""


CALL_OBSERVERS: Final[Setting[tuple[CallObserver, ...]]] = Setting(
    "call_observers",
    (),
    keyed=False,
    observed=True,
    listed=False,
    help="Objects that are notified of each call of a jitted function.",
)
_lock: Final = fork_safe_lock()  # guards changes of the process-wide value
_unobserved: Final = overriding(attrgetter("unobserved"))  # no call of Python's per observed call


def call_observed(function: ObservedFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call, of which the observers are notified. Any: arguments and results of users.

    Args:
        function: the jitted function.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    is_evaluated = type(current_trace()) is EvalTrace
    observers = current_context().get(CALL_OBSERVERS) if is_evaluated else ()
    with _unobserved:
        for observer in observers:
            observer.called(function, args, kwargs)
        result = function(*args, **kwargs)
        for observer in observers:
            observer.returned(function, result)
    return result


@final
class observing:  # noqa: N801 - reads as a statement
    """`with observing(observer):` notifies an observer of all calls of jitted functions meanwhile, in all threads."""

    __slots__ = ("_observer",)

    def __init__(self, observer: CallObserver) -> None:
        self._observer = observer

    def __enter__(self) -> None:
        with _lock:
            CALL_OBSERVERS.set((*_process_wide(), self._observer))

    def __exit__(self, *error: object) -> None:
        with _lock:
            left = [*_process_wide()]
            # By identity, and the last one: the same observer may have been added twice.
            last = max(i for i, each in enumerate(left) if each is self._observer)
            del left[last]
            CALL_OBSERVERS.set(tuple(left))


def _process_wide() -> tuple[CallObserver, ...]:
    """Return the observers of the process."""
    return process_context[0].get(CALL_OBSERVERS)
