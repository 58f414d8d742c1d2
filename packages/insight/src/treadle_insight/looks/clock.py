"""Clocks that are read too early: while a result that was started after the last reading is still being computed.

A profile hook, in the thread that enters the watch and in threads that are started meanwhile, notes where the user's
files read a clock. The results of the last calls are referred to weakly: a result that was dropped is not reported.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Iterable
from types import FrameType
from typing import Any, Final, final
from weakref import ref

from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.looks.part import Part
from treadle_insight.place import Place
from treadle_insight.profiling import Hook, Installed, installed, removed
from treadle_ir.errors import Source, capture, kind_of_file
from treadle_ir.process import fork_safe_lock
from treadle_ir.tree import leaves_in_any_order
from treadle_runtime import DeviceArray, ObservedFunction

_PROGRAM: Final = """\
from time import perf_counter

import treadle
import treadle.numpy as tnp

x = tnp.ones((1000, 1000))
f = treadle.jit(lambda x: x @ x @ x @ x)
f(x).block_until_ready()

with treadle.watch("clock") as report:
    t = perf_counter()
    y = f(x)
    print(perf_counter() - t)
"""
KINDS: Final = (
    Kind(
        "clock.early",
        "The clock was read while a result was still being computed: calls return before their results are there.",
        topic="",
        wrong=_PROGRAM,
        right=_PROGRAM.replace("y = f(x)\n", "y = f(x).block_until_ready()\n"),
    ),
)
_CLOCKS: Final = frozenset(
    {
        *(time.perf_counter, time.time, time.monotonic, time.process_time),
        *(time.perf_counter_ns, time.time_ns, time.monotonic_ns, time.process_time_ns),
    }
)
_MOST: Final = 16  # results of the last calls
_MOST_OF_A_CALL: Final = 4


@final
class _Thread(threading.local):
    """What is known of the running thread."""

    def __init__(self) -> None:
        self.readings = 0  # of clocks
        # The results of the last calls: each with the number of readings before, the function, and where it was called.
        self.results: deque[tuple[ref[DeviceArray], int, str, Source]] = deque(maxlen=_MOST)


@final
class Clock(Part):
    """Reports clocks that are read while results are still being computed."""

    observes_calls = True

    def __init__(self) -> None:
        self._thread = _Thread()
        self._found: dict[Place, Finding] = {}
        self._lock = fork_safe_lock()
        self._hook = self._hook_function()
        self._installed: Installed | None = None
        self._threads_hook: Any = None  # Any: as `threading.setprofile` has it
        self._is_active = False

    def enter(self) -> None:
        """Install the hook in this thread, and in threads that start from now on."""
        self._is_active = True
        self._threads_hook = threading.getprofile()
        if self._threads_hook is None:
            threading.setprofile(self._hook)
        self._installed = installed(self._hook)

    def leave(self) -> None:
        """Remove the hook; other threads that have it lose it in their next call."""
        self._is_active = False
        if self._installed is not None:
            removed(self._installed)
        if threading.getprofile() == self._hook:
            threading.setprofile(self._threads_hook)

    def _hook_function(self) -> Hook:
        """Return the profile hook, in which the common case comes first."""
        clocks = _CLOCKS

        def hook(frame: FrameType, event: str, argument: Any) -> None:
            if event == "c_call":
                if argument in clocks and kind_of_file(frame.f_code.co_filename) == "user":
                    self._read(frame)
            elif event == "call" and not self._is_active and sys.getprofile() is hook:
                sys.setprofile(None)

        return hook

    def _read(self, frame: FrameType) -> None:
        """Note that a clock is read."""
        if not self._is_active:
            return
        here = self._thread
        for reference, readings, name, source in here.results:
            array = reference()
            # The clock was read before the call, too: a duration is measured.
            if array is not None and readings and not _is_ready(array):
                self._say(frame, name, source)
                break
        here.readings += 1

    def _say(self, frame: FrameType, name: str, source: Source) -> None:
        """Report that a clock is read too early."""
        place, started = Place.of(Source(frame.f_code, frame.f_lasti)), Place.of(source)
        with self._lock:
            self._found.setdefault(
                place,
                Finding(
                    "clock.early",
                    f"The clock was read at {place} while {name}, started at {started}, was still computing.",
                    (place, started),
                    ("What was measured is the time that it takes to start the computation.",),
                    f"Call `block_until_ready()` on the result of {name} before the clock is read.",
                ),
            )

    def returned(self, function: ObservedFunction, result: Any) -> None:
        """Refer to the results of a call, which may still be computed.

        Args:
            function: the jitted function.
            result: its result. Any: a pytree.
        """
        here = self._thread
        source = capture(2)
        name = getattr(function.__wrapped__, "__name__", "the function")
        for leaf in (result,) if type(result) is DeviceArray else _arrays(result):
            here.results.append((ref(leaf), here.readings, name, source))

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            return [*self._found.values()]


def _arrays(result: Any) -> list[DeviceArray]:  # Any: a pytree
    """Return some arrays of a result: all of them are ready at the same time."""
    found = [leaf for leaf in leaves_in_any_order(result) if type(leaf) is DeviceArray]
    return found[:_MOST_OF_A_CALL]


def _is_ready(array: DeviceArray) -> bool:
    """Return whether an array has been computed, or its memory is gone."""
    return array.is_deleted() or array.is_ready()
