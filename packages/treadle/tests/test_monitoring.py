from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import treadle
from treadle import monitoring
from treadle.errors import ArgumentError
from treadle_compiler.settings import ENABLE_COMPILATION_CACHE
from treadle_ir.events import listeners


@pytest.fixture(autouse=True)
def _no_listeners() -> Iterator[None]:
    yield
    monitoring.clear_event_listeners()


KINDS: Any = [
    (
        monitoring.register_event_listener,
        monitoring.unregister_event_listener,
        monitoring.record_event,
        (),
    ),
    (
        monitoring.register_event_duration_secs_listener,
        monitoring.unregister_event_duration_listener,
        monitoring.record_event_duration_secs,
        (0.5,),
    ),
    (
        monitoring.register_event_time_span_listener,
        monitoring.unregister_event_time_span_listener,
        monitoring.record_event_time_span,
        (1.0, 2.5),
    ),
    (
        monitoring.register_scalar_listener,
        monitoring.unregister_scalar_listener,
        monitoring.record_scalar,
        (7,),
    ),
]


@pytest.mark.parametrize(("register", "unregister", "record", "values"), KINDS)
def test_listeners_hear_until_they_are_taken_out(
    register: Any, unregister: Any, record: Any, values: Any
) -> None:
    heard: list[Any] = []

    def listener(event: str, *given: Any, **kwargs: Any) -> None:
        heard.append((event, given, kwargs))

    register(listener)
    record("/mine", *values, k=1)
    unregister(listener)
    record("/mine", *values)
    assert heard == [("/mine", values, {"k": 1})]
    with pytest.raises(ArgumentError, match="not registered"):
        unregister(listener)
    with pytest.raises(ArgumentError, match="callback"):
        register(3)
    with pytest.raises(ArgumentError, match="event"):
        record(3, *values)


def test_compiling_is_told_step_by_step() -> None:
    heard: dict[str, Any] = {}
    monitoring.register_event_duration_secs_listener(
        lambda event, seconds, **kwargs: heard.setdefault(event, seconds)
    )
    with ENABLE_COMPILATION_CACHE.override(False):  # what is on disk is not compiled
        treadle.jit(lambda x: x * 17.25)(1.0)
    steps = ["jaxpr_trace", "jaxpr_to_mlir_module", "backend_compile"]
    assert [*heard] == [f"/jax/core/compile/{step}_duration" for step in steps]
    assert all(seconds >= 0 for seconds in heard.values())


def test_nothing_listens_without_listeners() -> None:
    before = len(listeners)
    monitoring.register_event_listener(print)
    monitoring.register_event_duration_secs_listener(print)
    assert len(listeners) == before + 1
    monitoring.unregister_event_listener(print)
    monitoring.unregister_event_duration_listener(print)
    assert len(listeners) == before


def test_numbers_are_numbers() -> None:
    with pytest.raises(ArgumentError, match="duration must be a number"):
        monitoring.record_event_duration_secs("/mine", "long")  # type: ignore[arg-type]


class Slow(list[Any]):
    """A list whose elements are taken out after a while, in which other threads run."""

    def __delitem__(self, index: Any) -> None:
        time.sleep(0.02)
        super().__delitem__(index)


def test_threads_unregister_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes out its own listener, and not what has come to its place."""
    monkeypatch.setattr(monitoring, "_EVENTS", Slow())
    mine = [lambda *args, number=number, **kwargs: number for number in range(4)]
    for each in mine:
        monitoring.register_event_listener(each)
    start = threading.Barrier(2)

    def work(listener: Any) -> None:
        start.wait()
        monitoring.unregister_event_listener(listener)

    threads = [threading.Thread(target=work, args=[each]) for each in mine[:2]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mine[2:] == monitoring._EVENTS
