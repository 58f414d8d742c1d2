"""The timeline of a watched program: when its functions were staged, lowered and compiled, and what was transferred."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import current_thread, get_ident
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final, TypeAlias, final

from treadle_ir.events import (
    CallbackRun,
    ElementsTransferred,
    Event,
    ExecutableFound,
    FunctionStaged,
    MemoryDonated,
    ProgramCompiled,
    ProgramLowered,
)

Details: TypeAlias = Mapping[str, str | int]
LIMIT: Final = 100_000  # spans; a program that transfers an array in each step makes many


@final
@dataclass(frozen=True, slots=True)
class Span:
    """Something that took time, or a moment.

    Attributes:
        name: what it was: `stage step`, `transfer from host`.
        category: `staging`, `lowering`, `compile`, `cache`, `transfer`, `donation` or `callback`.
        start: when it began, in seconds since the timeline began.
        seconds: how long it took; None for a moment.
        thread: the thread's identifier.
        details: further facts, by name.
    """

    name: str
    category: str
    start: float
    seconds: float | None
    thread: int
    details: Details = field(default_factory=dict)


# What is kept of an event: its kind, its subject, its duration, further facts. Text is made of it when it is asked for.
_Facts: TypeAlias = tuple[str, str, float | None, tuple[Any, ...]]  # Any: types and numbers


@final
class Timeline:
    """Hears of events, and keeps when they happened.

    Programs and functions are not kept. Threads may add events at once: a list takes each whole.

    Attributes:
        threads: the name of each thread, by its identifier.
        left_out: how many events came after the limit.
        process: the identifier of the process.
    """

    __slots__ = ("_began", "_heard", "left_out", "process", "threads")

    def __init__(self) -> None:
        self.threads: dict[int, str] = {}
        self.left_out = 0
        self.process = os.getpid()
        self._heard: list[tuple[float, int, _Facts]] = []
        self._began = perf_counter()

    def hear(self, event: Event) -> None:
        """Keep when an event happened. Each call of a function may make one: this takes less than a microsecond.

        Args:
            event: the event, which has just ended, in its own thread.
        """
        facts = _FACTS.get(type(event))
        if facts is None:
            return
        if len(self._heard) >= LIMIT:
            self.left_out += 1
            return
        thread = get_ident()
        if thread not in self.threads:
            self.threads[thread] = current_thread().name
        self._heard.append((perf_counter(), thread, facts(event)))

    @property
    def spans(self) -> list[Span]:
        """What happened, in the order in which it ended."""
        return [self._span(*each) for each in [*self._heard]]

    def _span(self, ended: float, thread: int, facts: _Facts) -> Span:
        """Return the span of an event."""
        category, subject, seconds, more = facts
        words, details = _SHOWN[category]
        end = ended - self._began
        start = end if seconds is None else max(0.0, end - seconds)
        known = zip(
            details, [each if isinstance(each, int) else str(each) for each in more], strict=True
        )
        return Span(words.format(subject), category, start, seconds, thread, dict(known))


def _staged(event: FunctionStaged) -> _Facts:
    return "staging", event.name, event.seconds, (len(event.program.equations),)


def _lowered(event: ProgramLowered) -> _Facts:
    return "lowering", event.name, event.seconds, (event.platform, event.bytes)


def _compiled(event: ProgramCompiled) -> _Facts:
    return "compile", event.name, event.seconds, (event.platform,)


def _found(event: ExecutableFound) -> _Facts:
    where = "on disk" if event.on_disk else "in this process"
    return "cache", event.name, event.seconds, (where,)


def _transferred(event: ElementsTransferred) -> _Facts:
    return "transfer", event.source, None, (event.target, event.type)


def _donated(event: MemoryDonated) -> _Facts:
    return "donation", event.name, None, (event.type,)


def _called_back(event: CallbackRun) -> _Facts:
    return "callback", event.name, event.seconds, ()


_FACTS: Final[Mapping[type[Event], Callable[[Any], _Facts]]] = MappingProxyType(
    {
        FunctionStaged: _staged,
        ProgramLowered: _lowered,
        ProgramCompiled: _compiled,
        ExecutableFound: _found,
        ElementsTransferred: _transferred,
        MemoryDonated: _donated,
        CallbackRun: _called_back,
    }
)
# For each category: the name of its spans, in which the subject stands for `{}`, and the names of the facts.
_SHOWN: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "staging": ("stage {}", ("operations",)),
        "lowering": ("lower {}", ("platform", "bytes")),
        "compile": ("compile {}", ("platform",)),
        "cache": ("find {}", ("where",)),
        "transfer": ("transfer from {}", ("to", "type")),
        "donation": ("donation to {}", ("type",)),
        "callback": ("callback {}", ()),
    }
)
