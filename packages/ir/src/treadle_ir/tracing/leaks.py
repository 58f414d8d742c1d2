"""Traced arrays that outlive their transformation: refused under `check_tracer_leaks`, else told to listeners."""

from __future__ import annotations

import gc
import sys
from types import CellType, FrameType, FunctionType, MethodType
from typing import Final

from treadle_ir.errors.kinds import LeakedTracerError
from treadle_ir.errors.source import is_internal
from treadle_ir.events.kinds import TracerLeaked, emit
from treadle_ir.settings.context import current_context
from treadle_ir.settings.declared import CHECK_TRACER_LEAKS, LEAK_LISTENERS
from treadle_ir.tracing.trace import Trace
from treadle_ir.tracing.tracer import Tracer

_DEEP: Final = 4  # steps from a traced array to the objects that refer to it, in messages
_DEEPEST: Final = 8  # the same, for the question whose they are


def checks_leaks() -> bool:
    """Return whether somebody asks for leaks: by `check_tracer_leaks`, or as a listener."""
    context = current_context()
    return context.get(CHECK_TRACER_LEAKS) or context.get(LEAK_LISTENERS) > 0


def refuse_leaks(trace: Trace) -> None:
    """Refuse traced arrays that outlive their trace, which has ended; the caller has released its own references.

    Each traced array refers to its trace. The garbage collector, which takes tens of milliseconds, runs only if there
    are references to the trace other than the caller's. Without `check_tracer_leaks`, listeners are notified.

    Args:
        trace: the trace.

    Raises:
        LeakedTracerError: there is a traced array, and `check_tracer_leaks` is set.
    """
    if _references(trace) <= _ALONE:
        return
    _refresh_variables(sys._getframe(1))
    if _references(trace) <= _ALONE:
        return
    gc.collect()
    leaked = [x for x in gc.get_objects() if isinstance(x, Tracer) and x.owner is trace]
    if not leaked:
        return
    refused = CHECK_TRACER_LEAKS()
    first = leaked[0]
    if not refused:  # arguments, which no line has made, come last
        first = next((x for x in leaked if x.source.code is not None), first)
    source = first.source
    type = first.type
    holders = _holders(first, [leaked, sys._getframe()])
    held = _all_described(first, holders[:_DEEP])
    if not refused:
        if _are_users(holders):
            emit(TracerLeaked(type, source, held, len(leaked)))
        return
    error = LeakedTracerError(
        f"a traced array of type {type} is kept after the trace has ended: {held}",
        fix="return it from the function, or print it with treadle.debug.print; what is kept is not a number",
    )
    if source.show():
        error.add_note(f"  the array was made at {source.show()}")
    if len(leaked) > 1:
        error.add_note(f"  and {len(leaked) - 1} more")
    raise error


def _refresh_variables(frame: FrameType | None) -> None:
    """Release variables that functions have deleted, but of which frames that a profiler has seen still have a copy."""
    if sys.getprofile() is None and sys.gettrace() is None:
        return
    while frame is not None:
        frame.f_locals  # noqa: B018 - reading it makes the copy again
        frame = frame.f_back


def _references(x: object) -> int:
    return sys.getrefcount(x)


def _references_of_argument(x: object) -> int:
    return _references(x)


def _references_of_variable() -> int:
    """Return the number of references to an object in one variable that is passed to a function like `refuse_leaks`."""
    x = object()
    return _references_of_argument(x)


_ALONE: Final = _references_of_variable()


def _holders(held: object, known: list[object]) -> list[object]:
    """Return the objects that refer to `held`, as far as Python's garbage collector finds them, the nearest first."""
    found: list[object] = []
    current = held
    known += [known, found]
    for _ in range(_DEEPEST):
        known.append(current)
        holders = [
            each
            for each in gc.get_referrers(current)
            if not any(each is one for one in known) and not _ours(each)
        ]
        known.append(holders)
        if not holders:
            break
        current = holders[0]
        found.append(current)
        if isinstance(current, FrameType) or (isinstance(current, dict) and "__name__" in current):
            break
    return found


def _all_described(held: object, holders: list[object]) -> str:
    """Return a description of the objects that refer to `held`, the nearest first."""
    said = [
        _described(here, before) for here, before in zip(holders, [held, *holders], strict=False)
    ]
    return ", ".join(said) or "no reference to it could be found"


def _are_users(holders: list[object]) -> bool:
    """Return whether only objects of the user's refer to a traced array.

    Programs with deferred derivatives, references and boxes of treadle's keep tracers on purpose.
    """
    for each in holders:
        function = each.__func__ if isinstance(each, MethodType) else each
        if isinstance(function, FunctionType):
            if is_internal(function.__code__.co_filename):
                return False
        elif isinstance(function, FrameType):
            if is_internal(function.f_code.co_filename):
                return False
        elif type(function).__module__.startswith("treadle"):
            return False
    # A dict that nothing refers to is a copy of the variables of a frame, made for a profiler.
    return bool(holders) and not (type(holders[-1]) is dict and "__name__" not in holders[-1])


def _ours(holder: object) -> bool:
    return isinstance(holder, FrameType) and holder.f_code.co_filename == __file__


def _running() -> list[FrameType]:
    """Return the frames that run in this thread."""
    found: list[FrameType] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


def _described(holder: object, held: object) -> str:
    if isinstance(holder, FrameType):
        runs = holder in _running()
        why = "which is running" if runs else "which an exception's traceback or a debugger keeps"
        return f"in a variable of {holder.f_code.co_qualname}, {why}"
    if isinstance(holder, CellType):
        return "in a variable that a function closes over"
    if isinstance(holder, dict):
        names = [key for key, value in holder.items() if value is held]
        key = f" at {names[0]!r}" if names else ""
        if "__name__" in holder and "__builtins__" in holder:
            return (
                f"in the variable {names[0]!s} of module {holder['__name__']}"
                if names
                else "in a module"
            )
        return f"in a dict{key}"
    if isinstance(holder, list | tuple):
        return f"in a {type(holder).__name__}"
    if isinstance(holder, FunctionType | MethodType):
        return f"in {holder.__qualname__}"
    return f"in a {type(holder).__qualname__}"
