"""Advice is asked for where time was lost; the announcement of a long compilation ends with it, whatever ends it."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest

from treadle_ir.settings import ADVICE
from treadle_runtime import FunctionCache, jit
from treadle_runtime.jitting import advice


class Asked:
    """An adviser that notes what it is asked."""

    def __init__(self) -> None:
        self.questions: list[tuple[Any, ...]] = []

    def retraced(self, function: Any, name: str, cache: FunctionCache, lost: advice.Lost) -> None:
        self.questions.append(("retraced", name, lost.traces))

    def compiled(self, program: Any, name: str, seconds: float) -> None:
        self.questions.append(("compiled", name, seconds))

    def running(self, program: Any, name: str, seconds: float) -> None:
        self.questions.append(("running", name, seconds))

    def watch_all(self) -> None:
        self.questions.append(("watch_all",))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    adviser = Asked()
    monkeypatch.setattr(advice, "_adviser", lambda: adviser)
    monkeypatch.setattr(advice, "_lost", {})
    return adviser.questions


def traces(count: int, seconds: float) -> None:
    def function() -> None: ...

    for _ in range(count):
        advice.after_trace(function, "function", FunctionCache(), seconds)


def test_many_traces_that_cost_a_second(asked: list[tuple[Any, ...]]) -> None:
    traces(9, 0.2)
    assert asked == [("retraced", "function", 9)]


def test_many_traces_that_cost_less(asked: list[tuple[Any, ...]]) -> None:
    traces(100, 0.001)
    assert not asked


def test_few_traces_that_cost_much(asked: list[tuple[Any, ...]]) -> None:
    traces(2, 3.0)
    assert asked == [("retraced", "function", 2)]


def test_one_trace_is_needed(asked: list[tuple[Any, ...]]) -> None:
    traces(1, 100.0)
    assert not asked


def test_compilations_of_a_function_count(asked: list[tuple[Any, ...]]) -> None:
    def function() -> None: ...

    for _ in range(9):
        advice.after_trace(function, "function", FunctionCache(), 0.01)
        advice.after_compilation(function, "function", None, 0.3)  # type: ignore[arg-type]  # it is passed on
    assert asked == [("retraced", "function", 9)]


def test_a_long_compilation(asked: list[tuple[Any, ...]]) -> None:
    advice.after_compilation(traces, "traces", None, 6.0)  # type: ignore[arg-type]  # as above
    assert asked == [("compiled", "traces", 6.0)]


def test_off(asked: list[tuple[Any, ...]]) -> None:
    with ADVICE.override("off"):
        traces(20, 1.0)
        advice.after_compilation(traces, "traces", None, 6.0)  # type: ignore[arg-type]  # as above
        jit(lambda x: x)(1.0)
    assert not asked


def test_all_asks_before_the_first_trace(asked: list[tuple[Any, ...]]) -> None:
    def noted(x: Any) -> Any:
        asked.append(("traced",))
        return x

    with ADVICE.override("all"):
        jit(noted)(1.0)
    assert asked == [("watch_all",), ("traced",)]


def test_a_compilation_that_runs_long(
    asked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "RUNNING", 0.01)
    with advice.announced("f", None, advice.LEAST_TEXT):  # type: ignore[arg-type]  # as above
        until = time.monotonic() + 30
        while not asked and time.monotonic() < until:
            time.sleep(0.01)
    assert asked == [("running", "f", 0.01)]
    _ended()


def _ended() -> None:
    """Wait until no thread of an announcement is left."""
    until = time.monotonic() + 30
    while any(each.name == "treadle-advice" for each in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_an_exception_ends_the_announcement(
    asked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "RUNNING", 0.3)
    with (
        pytest.raises(KeyboardInterrupt),
        advice.announced("f", None, advice.LEAST_TEXT),  # type: ignore[arg-type]  # as above
    ):
        raise KeyboardInterrupt
    _ended()
    assert not asked


def test_an_announcement_that_is_forgotten_says_nothing(
    asked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(advice, "RUNNING", 0.2)
    interrupted = advice.announced("f", None, advice.LEAST_TEXT)  # type: ignore[arg-type]  # as above
    interrupted.__enter__()
    del interrupted  # as if Ctrl-C had come before the block
    _ended()
    assert not asked


def test_small_programs_start_no_thread() -> None:
    before = threading.active_count()
    with advice.announced("f", None, advice.LEAST_TEXT - 1):  # type: ignore[arg-type]  # as above
        assert threading.active_count() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_meanwhile_leaves_no_thread_in_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "RUNNING", 30.0)
    with advice.announced("f", None, advice.LEAST_TEXT):  # type: ignore[arg-type]  # as above
        child = os.fork()
        if child == 0:
            os._exit(threading.active_count() - 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    _ended()
