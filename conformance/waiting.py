"""Wait for what another process prints, for a limited time."""

from __future__ import annotations

import subprocess
import threading


def next_line(process: subprocess.Popen[str], limit: float) -> str:
    """Return the next line that a process prints; "" if it has ended.

    Args:
        process: a process whose output is a pipe.
        limit: the seconds of the clock after which the process is killed.

    Raises:
        TimeoutError: there was no line in time; the process has been killed.
    """
    assert process.stdout is not None
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(limit, end)
    timer.start()
    try:
        line = process.stdout.readline()
    finally:
        timer.cancel()
    if late.is_set() and not line.endswith("\n"):
        process.wait()
        raise TimeoutError(f"no answer in {limit:g} seconds")
    return line
