"""The end of the process: XLA's threads come to rest before Python and libc take the process apart.

Two things would kill a process that has done all its work:

* a thread of XLA's that still computes, perhaps a result that was dropped, uses what libc destroys: a segmentation
  fault;
* a daemon thread that comes back from XLA finds no interpreter, and Python ends it in a way that C++ does not allow:
  `terminate called`.

So one of the functions that Python calls at the end (`atexit`) does three things. Other threads that are about to use
XLA wait from then on, for ever: each object that leads to XLA has its `hold` called. Computations and threads that are
inside XLA get up to `LONGEST` seconds to finish. What is left then loses nothing but its own results: libc has to
end the process at once, with the exit code that the program has chosen, when Python itself has ended.

Nothing of this costs a call anything: launches are not recorded. XLA does not report what it still computes of results
that were dropped, so on Linux the kernel is asked which of the threads that came with XLA are running; elsewhere
arrays that are alive are waited for.

Functions of `atexit` that run later, since they were registered earlier, may still compute. Each launch is then waited
for at once.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, NoReturn, TypeVar, final

from treadle_compiler.fork import is_forked, never_destroyed

LONGEST: Final = 10.0
"""Seconds that the end of a process waits for what still computes."""

_PAUSE: Final = 0.002  # seconds between two looks at the threads
_LOOKS: Final = 3  # in a row that find nothing: threads are not looked at all at the same moment
_MOMENT: Final = 0.5  # seconds for callbacks that have to stop
_TASKS: Final = "/proc/self/task"  # where Linux lists the threads of a process
_INSIDE: Final = ("treadle_compiler", "treadle_runtime")
_OUTSIDE: Final = "treadle_runtime.distributed"  # its threads wait for messages, not for XLA

F = TypeVar("F", bound=Callable[..., Any])


class Held:
    """An object that leads to XLA."""

    __slots__ = ()

    def hold(self) -> None:
        """Replace each function that leads to XLA by `held(function)`: called once, when the process ends."""

    def computes(self) -> bool:
        """Return whether an array that is alive is still being computed."""
        return False

    def kept(self) -> object:
        """Return what must not be destroyed while XLA still computes, since its destructor would wait."""
        return None


@final
class _Ending:
    """The end of this process."""

    __slots__ = ("abandoned", "begun", "native", "others")

    def __init__(self) -> None:
        self.native: frozenset[int] | None = None  # the threads that were there before XLA's
        self.begun = False
        self.others: frozenset[int] = frozenset()  # the threads that were running when it began
        self.abandoned = False


_ending: Final = _Ending()
_held: Final[weakref.WeakSet[Held]] = weakref.WeakSet()


def hold_at_end(item: Held) -> None:
    """Have `item.hold()` called when the process ends. Done for what leads to XLA, when it is made."""
    _held.add(item)
    if _ending.begun:
        item.hold()


def note_threads() -> None:
    """Note which threads are not XLA's: called before jaxlib is imported."""
    if _ending.native is None:
        _ending.native = _threads()


def held(function: F, *, settles: bool = False) -> F:
    """A function for threads that the end of the process has not found running; the others wait in it for ever.

    Where it settles, what it has started is waited for.
    """

    @functools.wraps(function)
    def through(*args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() in _ending.others:
            _wait_for_ever()
        result = function(*args, **kwargs)
        if settles:
            _settle()
        return result

    return through  # type: ignore[return-value]  # of the same signature


@final
class HeldModule:
    """A module for threads that the end of the process has not found running; the others wait for ever."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if threading.get_ident() in _ending.others:
            _wait_for_ever()
        return getattr(self._module, name)


def _wait_for_ever() -> NoReturn:
    """Wait without the interpreter's lock, so that Python does not end this thread."""
    lock = threading.Lock()
    lock.acquire()
    while True:
        lock.acquire()


def _at_exit() -> None:
    if _ending.native is None or is_forked():
        return
    _ending.others = frozenset(sys._current_frames()) - {threading.get_ident()}
    _ending.begun = True
    for item in [*_held]:
        item.hold()
    _settle()


def _settle() -> None:
    """Wait until nothing of XLA's is at work; what is after `LONGEST` seconds, or after Ctrl-C, is abandoned."""
    if _ending.abandoned:
        return
    try:
        if _rests(LONGEST):
            return
        _stop_callbacks()
        if _rests(_MOMENT):
            return
    except KeyboardInterrupt:
        pass
    _abandon()


def _rests(seconds: float) -> bool:
    """Return whether XLA comes to rest in so many seconds."""
    until, looks = time.monotonic() + seconds, 0
    while looks < _LOOKS:
        looks = 0 if _is_at_work() else looks + 1
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE)
    return True


def _is_at_work() -> bool:
    return (
        any(_is_inside(frame) for frame in _other_frames().values())
        or any(item.computes() for item in [*_held])
        or _native_threads_run()
    )


def _other_frames() -> dict[int, FrameType]:
    """Return the frames of the threads that have to leave XLA."""
    return {
        thread: frame for thread, frame in sys._current_frames().items() if thread in _ending.others
    }


def _is_inside(frame: FrameType | None) -> bool:
    """Return whether a thread may be inside XLA, or about to go there: it waits for ever if so, and is safe then."""
    if frame is not None and frame.f_code is _wait_for_ever.__code__:
        return False
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(_INSIDE) and not module.startswith(_OUTSIDE):
            return True
        frame = frame.f_back
    return False


def _threads() -> frozenset[int]:
    """The threads of this process, as the kernel counts them; none where it does not say."""
    try:
        return frozenset(map(int, os.listdir(_TASKS)))
    except OSError:
        return frozenset()


def _native_threads_run() -> bool:
    """Return whether a thread runs that is not Python's and that started with XLA or later."""
    python = {thread.native_id for thread in threading.enumerate()}
    for thread in _threads() - (_ending.native or frozenset()) - python:
        try:
            file = os.open(f"{_TASKS}/{thread}/stat", os.O_RDONLY)  # `open` may be gone by now
        except OSError:  # it has ended
            continue
        try:
            state = os.read(file, 1000).rpartition(b")")[2].strip()[:1]
        except OSError:
            continue
        finally:
            os.close(file)
        if state in (b"R", b"D"):
            return True
    return False


def _stop_callbacks() -> None:
    """Raise SystemExit in functions of the user's that XLA has called in other threads: Python could not end these."""
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    for thread, frame in _other_frames().items():
        if _is_inside(frame) and not str(frame.f_globals.get("__name__", "")).startswith(_INSIDE):
            raise_in(ctypes.c_ulong(thread), ctypes.py_object(SystemExit))


def _abandon() -> None:
    """Have the process end without what would wait for XLA, or crash, with the exit code of the program."""
    _ending.abandoned = True
    for item in [*_held]:
        never_destroyed(item.kept())
    try:
        libc = ctypes.CDLL(None)
        libc.fflush(None)
        # libc calls it first of all, as `_exit(status)`.
        libc.on_exit(ctypes.cast(libc._exit, ctypes.c_void_p), None)
        # A thread that finds no interpreter waits, in the place of ending the process.
        terminate = ctypes.CDLL("libstdc++.so.6")._ZSt13set_terminatePFvvE
        terminate.argtypes, terminate.restype = [ctypes.c_void_p], ctypes.c_void_p
        terminate(ctypes.cast(libc.pause, ctypes.c_void_p))
    except (OSError, AttributeError):  # not on Linux
        pass


atexit.register(_at_exit)
