"""The timeline of a watched program: when its functions were staged, lowered and compiled, and what was transferred."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

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
        name: what it was: `stage step`, `host to cpu:0`.
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


@final
class Timeline:
    """Hears of events, and keeps when they happened.

    Programs and functions are not kept. Threads may add events at once: a list takes each whole.

    Attributes:
        spans: what happened, in the order in which it ended.
        threads: the name of each thread, by its identifier.
        left_out: how many events came after the limit.
        process: the identifier of the process.
    """

    __slots__ = ("_began", "left_out", "process", "spans", "threads")

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.threads: dict[int, str] = {}
        self.left_out = 0
        self.process = os.getpid()
        self._began = time.perf_counter()

    def hear(self, event: Event) -> None:
        """Keep when an event happened.

        Args:
            event: the event, which has just ended, in its own thread.
        """
        described = _described(event)
        if described is None:
            return
        if len(self.spans) >= LIMIT:
            self.left_out += 1
            return
        name, category, seconds, details = described
        now = time.perf_counter() - self._began
        thread = threading.get_native_id()  # of 32 bits, as viewers need
        if thread not in self.threads:
            self.threads[thread] = threading.current_thread().name
        start = now if seconds is None else max(0.0, now - seconds)
        self.spans.append(Span(name, category, start, seconds, thread, details))


def _described(event: Event) -> tuple[str, str, float | None, Details] | None:
    """Return name, category, duration and details of an event; None for events that a timeline does not show."""
    match event:
        case FunctionStaged():
            count = {"operations": len(event.program.equations)}
            return f"stage {event.name}", "staging", event.seconds, count
        case ProgramLowered():
            text: Details = {"platform": event.platform, "bytes": event.bytes}
            return f"lower {event.name}", "lowering", event.seconds, text
        case ProgramCompiled():
            return f"compile {event.name}", "compile", event.seconds, {"platform": event.platform}
        case ExecutableFound():
            where = "on disk" if event.on_disk else "in this process"
            return f"find {event.name}", "cache", event.seconds, {"where": where}
        case ElementsTransferred():
            moved = f"{event.source} to {event.target}"
            return moved, "transfer", None, {"type": str(event.type)}
        case MemoryDonated():
            return f"donation to {event.name}", "donation", None, {"type": str(event.type)}
        case CallbackRun():
            return f"callback {event.name}", "callback", event.seconds, {}
    return None
