"""Tracebacks show the user's lines, not treadle's.

An exception that nobody catches is shown by `sys.excepthook`. On import treadle puts a hook in front of the
one that is there, which drops treadle's own frames and passes the rest on; IPython and notebooks get a handler that
does the same. `TREADLE_TRACEBACK=full` shows all frames, and so does the setting `traceback_filtering`, `off`.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any, Final

from treadle_ir import Setting, one_of, source

_previous: Final = sys.excepthook


def _filtering(value: object) -> str:
    if value is None or value == "":
        return "auto"
    words = {"full": "off", False: "off", True: "auto"}
    return str(_known(words.get(value, value) if isinstance(value, (str, bool)) else value))


_known: Final = one_of("auto", "off", "tracebackhide", "remove_frames", "quiet_remove_frames")
FILTERING: Final = Setting(
    "traceback_filtering",
    "auto",
    parse=_filtering,
    keyed=False,
    help="`off` shows treadle's own frames in tracebacks; all other values leave them out, in the same way. "
    "`TREADLE_TRACEBACK=full` is the same as `off`.",
)
if os.environ.get("TREADLE_TRACEBACK") == "full":
    FILTERING.set("off")


def users(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without treadle's own frames; None when nothing else is there."""
    frames = []
    current = traceback
    while current is not None:
        frame = current.tb_frame
        # What `python -c` runs has no file of its own, and is the user's all the same.
        if frame.f_globals.get("__name__") == "__main__" or not source.is_internal(
            frame.f_code.co_filename
        ):
            frames.append(current)
        current = current.tb_next
    kept: TracebackType | None = None
    for each in reversed(frames):
        kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def shown_traceback(error: BaseException, traceback: TracebackType | None) -> TracebackType | None:
    """The traceback of an error as users see it; those of its causes are cut to theirs as well."""
    if FILTERING() == "off":
        return traceback
    seen: set[int] = set()
    chained: BaseException | None = error
    while chained is not None and id(chained) not in seen:
        seen.add(id(chained))
        context = chained.__context__
        if context is not None and users(context.__traceback__) is None:
            chained.__suppress_context__ = True  # treadle met and answered it by itself
        chained = chained.__cause__ or context
        if chained is not None:
            chained.__traceback__ = users(chained.__traceback__)
    shown = users(traceback)
    if shown is None:
        return traceback
    error.__traceback__ = shown
    return shown


def _hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    _previous(kind, error, shown_traceback(error, traceback))


def _in_ipython(
    shell: Any,  # Any: IPython's, which has no types
    kind: type[BaseException],
    error: BaseException,
    traceback: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    shell.showtraceback((kind, error, shown_traceback(error, traceback)), tb_offset=tb_offset)


def install() -> None:
    """Put the hook in front of the one that is there, once; IPython, which does not ask it, gets a handler."""
    if sys.excepthook is not _hook:
        sys.excepthook = _hook
    running = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = None if running is None else running()
    if shell is not None and not shell.custom_exceptions:  # those are the user's own
        shell.set_custom_exc((Exception,), _in_ipython)
