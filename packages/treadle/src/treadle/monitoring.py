"""Events for monitoring a service: recorded by name, reported to listeners.

Four kinds: an event, a duration, a span of time, a number. treadle records nothing here by itself until somebody
listens; from then on it tells the listeners of durations how long staging, lowering and compiling took, and of events
when a compiled program was found in the cache on disk. The names are those that JAX uses.

What happens inside of treadle can also be heard with types, by `treadle_ir.events.listening`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from treadle_ir import ArgumentError
from treadle_ir.errors import boundaries, functions, names, refused
from treadle_ir.events import (
    Event,
    ExecutableFound,
    FunctionStaged,
    ProgramCompiled,
    ProgramLowered,
    listeners,
    listening,
)
from treadle_ir.process import fork_safe_lock

__all__ = [
    "clear_event_listeners",
    "record_event",
    "record_event_duration_secs",
    "record_event_time_span",
    "record_scalar",
    "register_event_duration_secs_listener",
    "register_event_listener",
    "register_event_time_span_listener",
    "register_scalar_listener",
    "unregister_event_duration_listener",
    "unregister_event_listener",
    "unregister_event_time_span_listener",
    "unregister_scalar_listener",
]

Listener: TypeAlias = Callable[..., object]

_EVENTS: Final[list[Listener]] = []
_DURATIONS: Final[list[Listener]] = []
_SPANS: Final[list[Listener]] = []
_SCALARS: Final[list[Listener]] = []
_lock: Final = fork_safe_lock()


def record_event(event: str, **kwargs: str | int) -> None:
    """Tell the listeners of events; each is called as `listener(event, **kwargs)`.

    Example:
        >>> from treadle import monitoring
        >>> heard = []
        >>> listener = lambda event, **kwargs: heard.append((event, kwargs))
        >>> monitoring.register_event_listener(listener)
        >>> monitoring.record_event("/mine/started", attempt=2)
        >>> monitoring.unregister_event_listener(listener)
        >>> heard
        [('/mine/started', {'attempt': 2})]
    """
    names("record_event", event=event)
    for listener in [*_EVENTS]:
        listener(event, **kwargs)


def record_event_duration_secs(event: str, duration: float, **kwargs: str | int) -> None:
    """Tell the listeners of durations; each is called as `listener(event, duration, **kwargs)`.

    Example:
        >>> register_event_duration_secs_listener(print)
        >>> record_event_duration_secs("/app/load", 0.5)
        /app/load 0.5
        >>> unregister_event_duration_listener(print)
    """
    names("record_event_duration_secs", event=event)
    _number("record_event_duration_secs", "duration", duration)
    for listener in [*_DURATIONS]:
        listener(event, duration, **kwargs)


def record_event_time_span(
    event: str, start_time: float, end_time: float, **kwargs: str | int
) -> None:
    """Tell the listeners of spans; each is called as `listener(event, start_time, end_time, **kwargs)`.

    Example:
        >>> register_event_time_span_listener(print)
        >>> record_event_time_span("/app/load", 10.0, 10.5)
        /app/load 10.0 10.5
        >>> unregister_event_time_span_listener(print)
    """
    names("record_event_time_span", event=event)
    _number("record_event_time_span", "start_time", start_time)
    _number("record_event_time_span", "end_time", end_time)
    for listener in [*_SPANS]:
        listener(event, start_time, end_time, **kwargs)


def record_scalar(event: str, value: float, **kwargs: str | int) -> None:
    """Tell the listeners of numbers; each is called as `listener(event, value, **kwargs)`.

    Example:
        >>> register_scalar_listener(print)
        >>> record_scalar("/app/loss", 0.25)
        /app/loss 0.25
        >>> unregister_scalar_listener(print)
    """
    names("record_scalar", event=event)
    _number("record_scalar", "value", value)
    for listener in [*_SCALARS]:
        listener(event, value, **kwargs)


def register_event_listener(callback: Listener) -> None:
    """Call a function of each event from now on.

    Example:
        >>> register_event_listener(print)
        >>> record_event("/app/started")
        /app/started
        >>> unregister_event_listener(print)
    """
    _add("register_event_listener", _EVENTS, callback)


def register_event_duration_secs_listener(callback: Listener) -> None:
    """Call a function of each duration from now on.

    Example:
        >>> import treadle
        >>> from treadle import monitoring
        >>> heard = []
        >>> listener = lambda event, seconds, **kwargs: heard.append(event)
        >>> monitoring.register_event_duration_secs_listener(listener)
        >>> y = treadle.jit(lambda x: x + 3.25)(1.0)
        >>> monitoring.unregister_event_duration_listener(listener)
        >>> heard[0]
        '/jax/core/compile/jaxpr_trace_duration'
    """
    _add("register_event_duration_secs_listener", _DURATIONS, callback)


def register_event_time_span_listener(callback: Listener) -> None:
    """Call a function of each span of time from now on.

    Example:
        >>> spans = []
        >>> listener = lambda event, start, end: spans.append(end - start)
        >>> register_event_time_span_listener(listener)
        >>> record_event_time_span("/app/load", 10.0, 10.5)
        >>> unregister_event_time_span_listener(listener)
        >>> spans
        [0.5]
    """
    _add("register_event_time_span_listener", _SPANS, callback)


def register_scalar_listener(callback: Listener) -> None:
    """Call a function of each number from now on.

    Example:
        >>> losses = []
        >>> listener = lambda event, value: losses.append(value)
        >>> register_scalar_listener(listener)
        >>> record_scalar("/app/loss", 0.25)
        >>> unregister_scalar_listener(listener)
        >>> losses
        [0.25]
    """
    _add("register_scalar_listener", _SCALARS, callback)


def unregister_event_listener(callback: Listener) -> None:
    """Call a function of events no more.

    Raises:
        ArgumentError: it is not registered.

    Example:
        >>> register_event_listener(print)
        >>> unregister_event_listener(print)
        >>> record_event("/app/started")  # nobody listens
    """
    _remove("unregister_event_listener", _EVENTS, callback)


def unregister_event_duration_listener(callback: Listener) -> None:
    """Call a function of durations no more.

    Raises:
        ArgumentError: it is not registered.

    Example:
        >>> register_event_duration_secs_listener(print)
        >>> unregister_event_duration_listener(print)
        >>> record_event_duration_secs("/app/load", 0.5)  # nobody listens
    """
    _remove("unregister_event_duration_listener", _DURATIONS, callback)


def unregister_event_time_span_listener(callback: Listener) -> None:
    """Call a function of spans of time no more.

    Raises:
        ArgumentError: it is not registered.

    Example:
        >>> register_event_time_span_listener(print)
        >>> unregister_event_time_span_listener(print)
        >>> record_event_time_span("/app/load", 10.0, 10.5)  # nobody listens
    """
    _remove("unregister_event_time_span_listener", _SPANS, callback)


def unregister_scalar_listener(callback: Listener) -> None:
    """Call a function of numbers no more.

    Raises:
        ArgumentError: it is not registered.

    Example:
        >>> register_scalar_listener(print)
        >>> unregister_scalar_listener(print)
        >>> record_scalar("/app/loss", 0.25)  # nobody listens
    """
    _remove("unregister_scalar_listener", _SCALARS, callback)


def clear_event_listeners() -> None:
    """Forget all listeners.

    Example:
        >>> register_event_listener(print)
        >>> clear_event_listeners()
        >>> record_event("/app/started")  # nobody listens
    """
    with _lock:
        for registered in (_EVENTS, _DURATIONS, _SPANS, _SCALARS):
            registered.clear()
        _listen()


def _add(function: str, registered: list[Listener], callback: Listener) -> None:
    functions(function, callback=callback)
    with _lock:
        registered.append(callback)
        _listen()


def _remove(function: str, registered: list[Listener], callback: Listener) -> None:
    with _lock:
        for index, each in enumerate(registered):
            if each is callback:
                del registered[index]
                return _listen()
    raise ArgumentError(
        f"{function}: {callback!r:.100} is not registered",
        fix="pass the same object that was registered",
    )


def _listen() -> None:
    """Listen to treadle's own events exactly while there are listeners for them."""
    wanted, listens = bool(_EVENTS or _DURATIONS), _translate in listeners
    if wanted and not listens:
        _hearing.__enter__()
    elif listens and not wanted:
        _hearing.__exit__()


def _translate(event: Event) -> None:
    """treadle's own events, by the names that JAX gives them."""
    if isinstance(event, FunctionStaged):
        record_event_duration_secs(
            "/jax/core/compile/jaxpr_trace_duration", event.seconds, fun_name=event.name
        )
    elif isinstance(event, ProgramLowered):
        record_event_duration_secs(
            "/jax/core/compile/jaxpr_to_mlir_module_duration", event.seconds, fun_name=event.name
        )
    elif isinstance(event, ProgramCompiled):
        record_event_duration_secs(
            "/jax/core/compile/backend_compile_duration", event.seconds, fun_name=event.name
        )
    elif isinstance(event, ExecutableFound) and event.on_disk:
        record_event("/jax/compilation_cache/cache_hits")


_hearing: Final = listening(_translate)


def _number(function: str, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refused(function, name, "a number", value)


boundaries(__name__)
