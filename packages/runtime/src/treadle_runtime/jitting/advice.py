"""When to ask for advice: where tracing or compiling has cost the user a second that could have been saved.

The advice itself is worded by treadle-insight, which is imported only then; without it there is none. This module keeps
the time that was lost so far for each definition of a function: a few numbers for each trace and each compilation.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from types import CodeType
from typing import Any, Final, Protocol, cast, final

from treadle_ir import Program
from treadle_ir.errors import module_or_none
from treadle_ir.process import importing
from treadle_ir.settings import ADVICE
from treadle_runtime.jitting.caches import FunctionCache

LEAST: Final = 1.0
"""Seconds that must have been lost before any advice."""
MOST_TRACES: Final = 8
MOST_SECONDS: Final = 5.0
"""Traces of one definition, and their seconds together, beyond which advice is asked for."""
LONG: Final = 5.0
"""Seconds of a compilation from which on its program is looked at."""
RUNNING: Final = 10.0
"""Seconds after which a compilation that still runs is announced."""
LEAST_TEXT: Final = 50_000
"""Characters of a program of a few hundred operations: quicker ones never take `RUNNING` seconds."""


class Adviser(Protocol):
    """What treadle-insight has for this module: functions of `treadle_insight.advice`."""

    def retraced(
        self, function: Callable[..., Any], name: str, cache: FunctionCache, lost: Lost
    ) -> None:
        """Advise on a function that is traced again and again. Any: its arguments and results."""

    def compiled(self, program: Program, name: str, seconds: float) -> None:
        """Advise on a program that took long to compile."""

    def running(self, program: Program, name: str, seconds: float) -> None:
        """Announce that a program is still being compiled."""

    def watch_all(self) -> None:
        """Watch the process from now on, and report findings."""


@final
class Lost:
    """What tracing and compiling the functions of one definition has cost so far."""

    __slots__ = ("advised", "code", "compiled", "traced", "traces")

    def __init__(self, code: CodeType) -> None:
        self.code: Final = code
        self.advised = False  # advice has been asked for
        self.traces = 0
        self.traced = 0.0  # seconds
        self.compiled = 0.0  # seconds

    @property
    def seconds(self) -> float:
        """The seconds that one trace would have saved; an estimate, since compilations differ."""
        return (self.traced + self.compiled) * (1 - 1 / max(self.traces, 1))


_MOST: Final = 1024
_MOST_WRAPPERS: Final = 16
_lost: Final[dict[int, Lost]] = {}  # by the identity of the code, which the entry keeps alive


def _lost_on(function: Callable[..., Any]) -> Lost | None:
    """Return what functions of a definition have cost so far; None for a function that is not written in Python."""
    inner: Any = function
    for _ in range(_MOST_WRAPPERS):
        further = getattr(inner, "__wrapped__", None) or getattr(inner, "func", None)
        if further is None:
            break
        inner = further
    code = getattr(inner, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    found = _lost.get(id(code))
    if found is None:
        if len(_lost) >= _MOST:
            _lost.clear()
        found = _lost[id(code)] = Lost(code)
    return found


def before_trace() -> None:
    """Begin to watch the process, if all findings of `watch` are wanted as advice."""
    if ADVICE() == "all":
        _ask(lambda adviser: adviser.watch_all())


def after_trace(
    function: Callable[..., Any], name: str, cache: FunctionCache, seconds: float
) -> None:
    """Note a trace, and ask for advice if there have been many.

    Args:
        function: the user's function. Any: its arguments and results.
        name: its name.
        cache: its programs.
        seconds: how long the trace took.
    """
    lost = _lost_on(function)
    if lost is None:
        return
    lost.traces += 1
    lost.traced += seconds
    if lost.traces <= MOST_TRACES and (lost.traced <= MOST_SECONDS or lost.traces == 1):
        return
    if lost.advised or lost.seconds < LEAST:
        return
    if ADVICE() != "off":
        lost.advised = True
        _ask(lambda adviser: adviser.retraced(function, name, cache, lost))


def after_compilation(
    function: Callable[..., Any], name: str, program: Program, seconds: float
) -> None:
    """Note a compilation, and ask for advice if it took long.

    Args:
        function: the user's function. Any: its arguments and results.
        name: its name.
        program: what was compiled.
        seconds: how long that took.
    """
    lost = _lost_on(function)
    if lost is not None:
        lost.compiled += seconds
    if seconds >= LONG and ADVICE() != "off":
        _ask(lambda adviser: adviser.compiled(program, name, seconds))


def _ask(question: Callable[[Adviser], None]) -> None:
    """Ask for advice, if treadle-insight is installed."""
    adviser = _adviser()
    if adviser is not None:
        question(adviser)


@lru_cache(maxsize=1)
def _adviser() -> Adviser | None:
    """Return the functions of treadle-insight; None if it is not installed."""
    return cast("Adviser | None", importing(lambda: module_or_none("treadle_insight.advice")))


@final
class announced:  # noqa: N801 - reads as a statement
    """`with announced(name, program, size):` announces the compilation in the block if it takes long.

    A thread waits meanwhile, for programs of at least `LEAST_TEXT` characters. There is no announcement if the block
    has been left, or was interrupted before it was entered.
    """

    __slots__ = ("__weakref__", "_done", "name", "program")

    def __init__(self, name: str, program: Program, size: int) -> None:
        self.name = name
        self.program = program
        self._done: threading.Event | None = None
        if size >= LEAST_TEXT and ADVICE() != "off":
            self._done = threading.Event()

    def __enter__(self) -> None:
        done = self._done
        if done is not None:
            work = threading.Thread(
                target=_announce, args=(done, weakref.ref(self)), name="treadle-advice", daemon=True
            )
            try:
                work.start()
            except RuntimeError:  # there can be no more threads, as at the end of the process
                self._done = None

    def __exit__(self, *error: object) -> None:
        if self._done is not None:
            self._done.set()


def _announce(done: threading.Event, compilation: weakref.ref[announced]) -> None:
    """Wait for the end of a compilation, and announce that it still runs if that takes long."""
    if done.wait(RUNNING):
        return
    running = compilation()
    if running is not None and not done.is_set():
        with suppress(Exception):  # a thread of ours never prints a traceback
            _ask(lambda adviser: adviser.running(running.program, running.name, RUNNING))
