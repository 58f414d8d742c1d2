"""`watch`: looks at a running program, and says what it has found."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Final, Self, final

from treadle_insight.finding import Finding
from treadle_insight.looks import WATCH_PARTS, watch_part
from treadle_insight.looks.part import Part
from treadle_insight.report import Report
from treadle_insight.timeline import Timeline
from treadle_insight.views.perfetto import timeline_json
from treadle_ir import ArgumentError
from treadle_ir.errors import did_you_mean
from treadle_ir.events import Event, listening
from treadle_runtime import (
    ObservedFunction,
    is_initialized,
    observing,
    process_count,
    process_index,
)

OPTIONAL: Final = frozenset(
    {"key"}
)  # parts that are not taken by default: they raise errors, or are slow


@final
class watch:  # noqa: N801 - reads as a statement
    """Look at a running program: `with watch() as seen: train()`.

    All threads are watched. Nothing of the program changes: no result, no error, no cache. Several `watch` may be
    nested, or run in several threads.

    Args:
        parts: what to look for, by the first word of the kinds of findings, such as `"recompile"`; all by default
            but `"key"`.
        keys: whether to look for random keys that are used twice, too.

    Returns:
        A context manager that gives itself: `report()`, `findings()` and `perfetto()` may be asked for inside of the
        block, or after it.

    Raises:
        ArgumentError: there is no such part.

    Example:
        >>> from treadle_insight import watch
        >>> from treadle_runtime import jit
        >>> with watch("recompile") as seen:
        ...     y = jit(lambda x: x)(1.0)
        >>> seen.findings("recompile")
        ()
    """

    __slots__ = ("_called", "_parts", "_returned", "_stack", "_wanted", "timeline")

    def __init__(self, *parts: str, keys: bool = False) -> None:
        for name in parts:
            if name not in [*WATCH_PARTS]:  # a list, since a wrong name may not be hashable
                raise ArgumentError(
                    f"watch: there is no part {name!r}{did_you_mean(name, WATCH_PARTS)}",
                    fix=f"choose from {', '.join(WATCH_PARTS)}",
                )
        chosen = parts or [name for name in WATCH_PARTS if name not in OPTIONAL]
        if keys and "key" not in chosen:
            chosen = [*chosen, "key"]
        self._parts: Sequence[Part] = [watch_part(name) for name in chosen]
        observers = [part for part in self._parts if part.observes_calls]
        # Parts that want to hear of the beginnings only, or of the ends only, do not make the others slower.
        self._called = [x.called for x in observers if type(x).called is not Part.called]
        self._returned = [x.returned for x in observers if type(x).returned is not Part.returned]
        self._stack = ExitStack()
        self.timeline = Timeline()
        self._wanted: dict[type[Event], Sequence[Part]] = {}  # by classes of events

    def __enter__(self) -> Self:
        with ExitStack() as entered:  # which undoes what was done, if a part cannot begin
            for part in self._parts:
                part.enter()
                entered.callback(part.leave)
            entered.enter_context(listening(self._hear))
            if self._called or self._returned:
                entered.enter_context(observing(self))
            self._stack = entered.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _hear(self, event: Event) -> None:
        """Pass on an event to the parts that want it."""
        self.timeline.hear(event)
        kind = type(event)
        parts = self._wanted.get(kind)
        if parts is None:
            parts = self._wanted[kind] = [
                part for part in self._parts if not part.events or kind in part.events
            ]
        for part in parts:
            part.hear(event)

    def called(
        self, function: ObservedFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Pass on a call that begins. Any: arguments of users.

        Args:
            function: the jitted function.
            args: its positional arguments.
            kwargs: its keyword arguments.
        """
        for called in self._called:
            called(function, args, kwargs)

    def returned(self, function: ObservedFunction, result: Any) -> None:
        """Pass on a call that has returned.

        Args:
            function: the jitted function.
            result: its result. Any: a pytree.
        """
        for returned in self._returned:
            returned(function, result)

    def findings(self, kind: str | None = None) -> tuple[Finding, ...]:
        """Return what has been found so far, the most costly first.

        Args:
            kind: a kind, or the beginning of one, such as `recompile`; None for all.
        """
        return self.report().findings(kind)

    def perfetto(self) -> str:
        """Return when functions were staged, lowered and compiled, and what was transferred, as trace events in JSON.

        Perfetto (ui.perfetto.dev) and chrome://tracing show them.
        """
        return timeline_json(self.timeline)

    def report(self) -> Report:
        """Return a report on what has been found so far, which names the process where there are several."""
        title = "the watched program"
        if is_initialized():
            title += f", process {process_index()} of {process_count()}"
        return Report(title, [x for part in self._parts for x in part.findings()])
