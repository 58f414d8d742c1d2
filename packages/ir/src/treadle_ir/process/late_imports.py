"""Late imports are atomic: neither Ctrl-C nor a fork interrupts an import halfway.

Modules that not every program needs are imported when they are first used. An exception in the middle, such as a
KeyboardInterrupt, leaves rules registered whose module is gone, and an extension of C++ half set up, which crashes when
it is imported again. A process that another thread forks meanwhile has half a module, and its import lock is held for
ever. So such imports are made under `importing()`: signals that a handler of Python's would take wait for the end of
the import (0.3 s for jaxlib, hundredths of a second for treadle's own modules), and so does a fork.

A fork waits for every other import that treadle has begun in another thread, too, such as the first `import logging`:
they are found on the stacks of threads, since the lock of a module that is being imported stays locked in a child.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import weakref
from types import FrameType
from typing import Any, ClassVar, Final, final

_IMPORTING: Final[weakref.WeakSet[importing]] = weakref.WeakSet()
_IMPORT_SYSTEM: Final = ("importlib", "importlib._bootstrap", "importlib._bootstrap_external")
_LONGEST: Final = 2.0
"""Seconds that a fork waits at most: an import may itself wait for a lock that the fork holds, such as logging's."""


@final
class importing:  # noqa: N801 - reads as a statement: `with importing():`
    """`with importing():` around a late import: signals wait for its end, and forks unless told otherwise."""

    __slots__ = ("__weakref__", "_forks_wait", "_handlers", "_thread")

    _arrived: ClassVar[list[int]] = []  # signals that wait, in the main thread

    def __init__(self, *, forks_wait: bool = True) -> None:
        self._forks_wait = forks_wait
        self._thread = threading.get_ident()
        self._handlers: dict[int, Any] = {}  # Any: a handler, as `signal.signal` returns it

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            try:
                # From here on nothing is raised by a signal. Before, that does no harm.
                for number in signal.valid_signals():
                    handler = signal.getsignal(number)
                    if callable(handler) and handler is not _wait:
                        self._handlers[number] = handler
                        signal.signal(number, _wait)
            except ValueError:  # an interpreter within the process: it gets no signals
                pass
            except BaseException:  # an interrupt between two signals
                self._restore()
                raise
        if self._forks_wait:
            _IMPORTING.add(self)

    def __exit__(self, *error: object) -> None:
        _IMPORTING.discard(self)
        if self._handlers:
            arrived, importing._arrived = importing._arrived, []
            self._restore()
            for number in sorted({*arrived}, reverse=True):  # Ctrl-C, which raises, at last
                signal.raise_signal(number)

    def _restore(self) -> None:
        try:
            self._restore_once()
        except BaseException:  # a signal that has its handler again came before others had theirs
            self._restore_once()
            raise

    def _restore_once(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    @property
    def elsewhere(self) -> bool:
        """Return whether the import runs in a different thread."""
        return self._thread != threading.get_ident()


def _wait(number: int, frame: FrameType | None) -> None:
    importing._arrived.append(number)


def _before_fork() -> None:
    until = time.monotonic() + _LONGEST
    while _imports_elsewhere() and time.monotonic() < until:
        time.sleep(0.001)


def _imports_elsewhere() -> bool:
    """Return whether a different thread is running an import that treadle began."""
    if any([each.elsewhere for each in [*_IMPORTING]]):
        return True
    here = threading.get_ident()
    return any([_imports(frame) for who, frame in sys._current_frames().items() if who != here])


def _imports(frame: FrameType | None) -> bool:
    """Return whether the stack of `frame` contains an import that a module of treadle began."""
    within = False
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if within and name.startswith("treadle"):
            return True
        within = name in _IMPORT_SYSTEM
        frame = frame.f_back
    return False


def _in_child() -> None:
    for each in [*_IMPORTING]:
        if each.elsewhere:
            _IMPORTING.discard(each)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
