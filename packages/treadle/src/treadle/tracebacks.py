"""Tracebacks show the user's lines, not treadle's.

An exception that nobody catches is shown by `sys.excepthook`. On import treadle puts a hook in front of the
one that is there, which drops treadle's own frames and passes the rest on. `TREADLE_TRACEBACK=full` shows all
frames; `treadle.config.update("treadle_traceback_filtering", "off")` does so from Python.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Final

from treadle_ir import source

_previous: Final = sys.excepthook
_shown: set[str] = {"full"} if os.environ.get("TREADLE_TRACEBACK") == "full" else set()


def show_all(full: bool) -> None:
    """Show treadle's own frames in tracebacks, or hide them."""
    _shown.clear()
    if full:
        _shown.add("full")


def users(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without treadle's own frames; the whole of it when nothing else is there."""
    frames = []
    current = traceback
    while current is not None:
        if not source.is_internal(current.tb_frame.f_code.co_filename):
            frames.append(current)
        current = current.tb_next
    kept: TracebackType | None = None
    for frame in reversed(frames):
        kept = TracebackType(kept, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return kept if kept is not None else traceback


def _hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if not _shown:
        seen: set[int] = set()
        chained: BaseException | None = error
        while chained is not None and id(chained) not in seen:
            seen.add(id(chained))
            chained.__traceback__ = users(chained.__traceback__)
            chained = chained.__cause__ or chained.__context__
        traceback = users(traceback)
    _previous(kind, error, traceback)


def install() -> None:
    """Put the hook in front of the one that is there; once."""
    if sys.excepthook is not _hook:
        sys.excepthook = _hook
