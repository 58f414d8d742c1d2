"""What scenarios use inside of their processes; light to import."""

from __future__ import annotations

import math
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

CHILD_SECONDS = 10.0
"""How long a forked child may take for one attempt; the slowest needs some milliseconds."""


def in_child(attempt: Callable[[], Any], seconds: float = CHILD_SECONDS) -> str:
    """Return the outcome of `attempt` in a forked child: `returned VALUE`, the error with its notes, or `HANGS`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = f"returned {attempt()!r}"[:150]
        except BaseException as error:
            notes = " ".join(getattr(error, "__notes__", []))
            outcome = f"{type(error).__name__}: {error} {notes}"
        os.write(writing, outcome.encode()[:4000])
        os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], seconds)
    outcome = os.read(reading, 4096).decode() if ready else "HANGS"
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return outcome or f"DIES of status {status}"


def wrong_in_children(
    attempts: Mapping[str, Callable[[], Any]], expected: str, seconds: float = CHILD_SECONDS
) -> list[str]:
    """Return the attempts whose outcome is not `expected`, each run in a forked child of its own."""
    wrong = []
    for name, attempt in attempts.items():
        started = time.monotonic()
        outcome = in_child(attempt, seconds)
        if not outcome.startswith(expected):
            wrong.append(f"{name}: {outcome} ({time.monotonic() - started:.1f} s)")
        elif expected == "ForkError" and ("fork" not in outcome or "spawn" not in outcome):
            wrong.append(f"{name}: the message does not say fork and spawn: {outcome}")
    return wrong


def doubled(value: Any) -> float:
    """A jitted function's result, for workers that import this module."""
    import treadle  # noqa: PLC0415 - heavier than the module should be

    return float(treadle.jit(lambda x: x * 2)(value))


def compiled_programs(count: int) -> dict[str, Any]:
    """Jit and call some programs: whether their results are right, which came from disk, and what was warned of."""
    import warnings  # noqa: PLC0415 - as above

    import treadle  # noqa: PLC0415 - as above
    import treadle.numpy as tnp  # noqa: PLC0415 - as above
    import treadle_runtime  # noqa: PLC0415 - as above

    right, from_disk = True, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(count):
            function = treadle.jit(lambda x, number=number: tnp.sin(x) * number + x)
            result = float(function(0.0 + number))
            right = right and abs(result - (math.sin(number) * number + number)) < 1e-5
            from_disk += [timing.from_disk for timing in treadle_runtime.timings(function)]
    return {
        "right": right,
        "from_disk": from_disk,
        "warnings": [str(each.message).splitlines()[0] for each in caught],
    }


class InterruptAt:
    """A profiler that raises KeyboardInterrupt at an event, counted from the start of the profile.

    Events are those after which Python looks for signals: a function is entered, and one of C has been called. So what
    Ctrl-C does at any time can be tried point by point.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.count = 0
        self.where = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event not in {"call", "c_return"}:
            return
        self.count += 1
        if self.count > self.number:
            sys.setprofile(None)
            name = getattr(argument, "__name__", "")
            self.where = f"{frame.f_code.co_qualname}:{frame.f_lineno} {event} {name}"
            raise KeyboardInterrupt

    def run(self, function: Callable[[], Any]) -> None:
        """Run a function, and interrupt it."""
        try:
            sys.setprofile(self)
            function()
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)


class SignalOnImport:
    """A finder that finds nothing, and sends Ctrl-C when the module of a name is looked for, once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent = False

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        """Nothing."""
        if name == self.name and not self.sent:
            self.sent = True
            signal.raise_signal(signal.SIGINT)


def interrupt_after(seconds: float) -> threading.Thread:
    """Ctrl-C in a while."""

    def send() -> None:
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def raised(attempt: Callable[..., Any]) -> BaseException | None:
    """Return the exception that `attempt` raises; None if it returns."""
    try:
        attempt()
    except BaseException as error:
        return error
    return None
