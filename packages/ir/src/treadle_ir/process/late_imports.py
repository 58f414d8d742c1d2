"""Late imports are atomic: neither Ctrl-C nor a fork interrupts an import halfway.

Modules that not every program needs are imported when they are first used. An exception in the middle, such as a
KeyboardInterrupt, leaves rules registered whose module is gone, and an extension of C++ half set up, which crashes when
it is imported again. A process that another thread forks meanwhile has half a module, and its import lock is held for
ever. So such imports are made by `importing`, which forks wait for. In the main thread, which alone runs handlers of
signals, it makes them in a thread of their own, and waits for its end (0.3 s for jaxlib, hundredths of a second for
treadle's own modules). Then it raises what a handler raised, such as KeyboardInterrupt.

A fork waits for every other import that treadle has begun in another thread, too, such as the first `import logging`:
they are found on the stacks of threads, since the lock of a module that is being imported stays locked in a child.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final, TypeVar

T = TypeVar("T")

_IMPORTING: Final[set[int]] = set()  # the threads that run imports for which forks wait
_IMPORT_SYSTEM: Final = ("importlib", "importlib._bootstrap", "importlib._bootstrap_external")
_LONGEST: Final = 2.0
"""Seconds that a fork waits at most: an import may itself wait for a lock that the fork holds, such as logging's."""


def importing(work: Callable[[], T], *, forks_wait: bool = True) -> T:
    """Return what `work` returns, which imports modules: no signal handler runs in it, and forks wait for its end.

    Args:
        work: the imports, and what must be done with them at once.
        forks_wait: False if forks need not wait.

    Raises:
        BaseException: as `work` does; else what a handler of a signal raised meanwhile, such as KeyboardInterrupt.
    """
    is_main = threading.get_ident() == threading.main_thread().ident
    # While the interpreter finalises, a new thread would never run.
    if not is_main or sys.is_finalizing() or _imports_here():
        return _noted(work, forks_wait)
    outcome: list[T] = []
    errors: list[BaseException] = []
    done = threading.Lock()

    def run() -> None:
        try:
            outcome.append(_noted(work, forks_wait))
        except BaseException as error:
            errors.append(error)
        finally:
            done.release()

    done.acquire()
    try:
        # Unlike `Thread.start`, this does not wait for the start, where a handler could raise.
        _thread.start_new_thread(run, ())
    except RuntimeError:  # there can be no more threads, as at the end of the process
        return _noted(work, forks_wait)
    raised: list[BaseException] = []
    while not outcome and not errors:  # a handler may raise when the lock has just been acquired
        try:
            done.acquire()
        except BaseException as error:
            raised.append(error)
    if errors or raised:
        raise [*errors, *raised][0]
    return outcome[0]


def _noted(work: Callable[[], T], forks_wait: bool) -> T:
    """Return what `work` returns; meanwhile forks wait for the thread, if they have to."""
    thread = threading.get_ident()
    if not forks_wait or thread in _IMPORTING:
        return work()
    _IMPORTING.add(thread)
    try:
        return work()
    finally:
        _IMPORTING.discard(thread)


def _imports_here() -> bool:
    """Return whether this thread holds a lock that another thread would need in order to import modules of treadle.

    It does while a module of treadle is being imported, and while a finder on `sys.meta_path` looks for any module:
    Python calls finders with the lock of all imports held.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        function = frame.f_code.co_name
        if function == "<module>" and _is_treadles(frame):
            return True
        if function == "_find_spec" and frame.f_globals.get("__name__") in _IMPORT_SYSTEM:
            return True
        frame = frame.f_back
    return False


def _is_treadles(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("treadle")


def _before_fork() -> None:
    until = time.monotonic() + _LONGEST
    while _imports_elsewhere() and time.monotonic() < until:
        time.sleep(0.001)


def _imports_elsewhere() -> bool:
    """Return whether a different thread is running an import that treadle began."""
    here = threading.get_ident()
    if _IMPORTING - {here}:
        return True
    return any([_imports(frame) for who, frame in sys._current_frames().items() if who != here])


def _imports(frame: FrameType | None) -> bool:
    """Return whether the stack of `frame` contains an import that a module of treadle began."""
    within = False
    while frame is not None:
        if within and _is_treadles(frame):
            return True
        within = frame.f_globals.get("__name__") in _IMPORT_SYSTEM
        frame = frame.f_back
    return False


def _in_child() -> None:
    _IMPORTING.intersection_update({threading.get_ident()})


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
