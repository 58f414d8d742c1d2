"""A process that ends while XLA is at work: with the exit code that it means, all of its output, and in time.

One process imports treadle and forks a child for each way to end; each starts XLA by itself, and ends as any Python
process does.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.faults.process import run

pytestmark = [
    pytest.mark.xla,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
]

SECONDS: Final = 60
"""How long a process may take. Its work takes a second, where no other process works."""


def register_early() -> None:
    """Register what runs after all of treadle's: a function of `atexit`, and many short waits in libc's `exit`.

    With these, what still computes has time to crash.
    """
    libc = ctypes.CDLL(None)
    for _ in range(2000):
        libc.on_exit(ctypes.cast(libc.usleep, ctypes.c_void_p), None)  # as `usleep(exit code)`
    atexit.register(lambda: [each() for each in sys.modules["conformance.faults.endings"].early])


def end_in_all_ways(folder: str, seconds: int) -> None:
    """Fork a child for each way, two at a time, and compare how it ended with what is expected of it."""
    import scipy.linalg  # noqa: F401, PLC0415 - which the children would import for LAPACK, each

    from conformance.brief import kept  # noqa: PLC0415 - only the source of this function is sent
    from conformance.faults.endings import CODE, END, WAYS, say  # noqa: PLC0415

    def begin(name: str) -> None:
        """Redirect a child's output to files, and run the ending `name`."""
        for number, kind in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{folder}/{name}.{kind}", os.O_CREAT | os.O_WRONLY, 0o600), number)
        signal.alarm(seconds)  # it ends a process that hangs
        WAYS[name].run()
        say(END)
        sys.exit(CODE)

    def finish() -> list[str]:
        child, status = os.waitpid(-1, 0)
        name = running.pop(child)
        code = os.waitstatus_to_exitcode(status)
        said, errors = [Path(folder, f"{name}.{kind}").read_text() for kind in ("out", "err")]
        way = WAYS[name]
        crashed = any(
            word in errors for word in ("Fatal", "FATAL", "terminate called", "Exception ignored")
        )
        if code == way.code and tuple(said.splitlines()) == way.printed and not crashed:
            return []
        return [
            f"{name} ended with {code} instead of {way.code}, printed {said!r}: {errors[-600:]}"
        ]

    wrong: list[str] = []
    running: dict[int, str] = {}
    for name in kept("faults/test_exit.py::end_in_all_ways", [*WAYS]):
        if len(running) == 2:
            wrong += finish()
        child = os.fork()
        if child == 0:
            begin(name)
        running[child] = name
    while running:
        wrong += finish()
    assert not wrong, "\n".join(wrong)
    print(len(WAYS))


def test_a_process_ends_as_it_means_to(tmp_path: Path) -> None:
    ways: Any = run(
        end_in_all_ways,
        str(tmp_path),
        SECONDS,
        before=register_early,
        cache=tmp_path / "cache",
        seconds=600,
    )
    assert int(ways) >= 37
