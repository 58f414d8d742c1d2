"""Traced arrays that outlive the function that they were made in: kept in a list, an attribute, a closure.

At the end of each trace its references are counted, if somebody listens; only if there are more than there should be,
the garbage collector runs and names the holder.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from types import CodeType
from typing import Final, final

from treadle_insight.finding import Finding
from treadle_insight.keeping import keeping_line, parameters_of
from treadle_insight.kinds import Kind
from treadle_insight.listeners import count_listener
from treadle_insight.looks.part import Part
from treadle_insight.place import Place
from treadle_ir import ArrayType, Type
from treadle_ir.errors import capture, stored_name
from treadle_ir.events import Event, FunctionStaged, StagingBegan, StagingFailed, TracerLeaked
from treadle_ir.process import fork_safe_lock
from treadle_ir.settings import LEAK_LISTENERS

KINDS: Final = (
    Kind(
        "leak.tracer",
        "A traced array is kept after the function was traced: it stands for no number, and using it is an error.",
        topic="",
        wrong="""\
import treadle
import treadle.numpy as tnp

kept = []

@treadle.jit
def f(x):
    y = tnp.sin(x)
    kept.append(y)
    return y * 2

with treadle.watch("leak") as report:
    f(1.0)
""",
        right="""\
import treadle
import treadle.numpy as tnp

kept = []

@treadle.jit
def f(x):
    y = tnp.sin(x)
    return y * 2, y

with treadle.watch("leak") as report:
    result, y = f(1.0)
    kept.append(y)
""",
    ),
)


def _strong(type: Type) -> Type:
    """Return a type without the mark of weak types, which does not matter for a leak."""
    return type.strong() if isinstance(type, ArrayType) else type


@final
class _Thread(threading.local):
    """The functions that are being traced in the running thread, outermost first."""

    def __init__(self) -> None:
        self.begun: list[StagingBegan] = []


@final
class Leaks(Part):
    """Reports traced arrays that outlive their trace."""

    def __init__(self) -> None:
        self._thread = _Thread()
        self._found: dict[Place, Finding] = {}
        self._lock = fork_safe_lock()

    def enter(self) -> None:
        """Ask for leaks."""
        count_listener(LEAK_LISTENERS, 1)

    def leave(self) -> None:
        """Ask for them no longer."""
        count_listener(LEAK_LISTENERS, -1)

    def hear(self, event: Event) -> None:
        """Hear of a leak, and of the functions that are traced.

        Args:
            event: what happened.
        """
        begun = self._thread.begun
        if type(event) is StagingBegan:
            begun.append(event)
        elif begun and (type(event) is FunctionStaged or type(event) is StagingFailed):
            begun.pop()
        elif type(event) is TracerLeaked:
            self._report(event, begun[-1] if begun else None)

    def _report(self, event: TracerLeaked, begun: StagingBegan | None) -> None:
        """Report a leak, given the function that was traced."""
        of = "" if begun is None else f" of {begun.name}"
        place, type = Place.of(event.place), _strong(event.type)
        what = f"A traced array {type} made at {place}"
        made_by = event.place.code
        code = None if begun is None else getattr(begun.function, "__code__", None)
        if not place.file and isinstance(code, CodeType):
            place = Place(code.co_filename, code.co_firstlineno, name=code.co_qualname)
            what = f"A traced argument {type}{of}"
        elif not place.file:  # of a transformation that runs now, such as `grad`
            place = Place.of(capture())
            what = f"A traced argument {type}"
        with self._lock:
            if place in self._found:
                return
        kept = None
        if made_by is not None:
            kept = keeping_line(made_by, [stored_name(event.place)])
        elif isinstance(code, CodeType):
            kept = keeping_line(code, parameters_of(code))
        why = [] if kept is None else [f"`{kept.text}` at {kept} keeps it."]
        why += [f"{event.count} arrays of the trace are kept."] if event.count > 1 else []
        with self._lock:
            self._found.setdefault(
                place,
                Finding(
                    "leak.tracer",
                    f"{what} is kept after the trace{of} has ended: {event.held}.",
                    (place, *([] if kept is None else [kept])),
                    tuple(why),
                    "Return it from the function, or print it with `treadle.debug.print`.",
                ),
            )

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            return [*self._found.values()]
