"""Starts the programs of this folder in several processes, and waits for them with a bound in time.

They run on the platform under test. On accelerators each process takes devices of its own.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from conformance import platform as under_test

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"


@dataclass
class Ended:
    """How a process ended: its exit code, negative for a signal, and what it wrote."""

    code: int
    output: str


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def environment(count: int, number: int, port: int, devices: int, **more: str) -> dict[str, str]:
    own = under_test.environment(devices)
    if under_test.KIND != "cpu":
        ids = range(number * devices, (number + 1) * devices)
        own["TREADLE_LOCAL_DEVICE_IDS"] = ",".join(map(str, ids))
    clean = {name: value for name, value in os.environ.items() if not name.startswith("XLA_FLAGS")}
    return {
        **clean,
        "PYTHONUNBUFFERED": "1",
        **own,
        "TREADLE_COORDINATOR_ADDRESS": f"127.0.0.1:{port}",
        "TREADLE_NUM_PROCESSES": str(count),
        "TREADLE_PROCESS_ID": str(number),
        "TREADLE_DISTRIBUTED_GRACE_SECONDS": "3",
        **more,
    }


def run(
    program: str,
    *arguments: object,
    count: int,
    ids: list[int] | None = None,
    devices: int = 1,
    seconds: float = 60,
    leave: tuple[int, ...] = (),
    port: int | None = None,
    **more: str,
) -> list[Ended]:
    """Run a program in processes of these numbers (0 to count - 1) and wait until all have ended.

    Fails when one still runs after so many seconds; `leave` are killed then, because they are stopped.
    """
    under_test.skip_without_devices(count * devices)
    seconds += under_test.STARTING_SECONDS
    port = free_port() if port is None else port
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        for place, number in enumerate(range(count) if ids is None else ids):
            with open(f"{folder}/{place}", "wb") as out:
                processes.append(
                    subprocess.Popen(
                        [sys.executable, str(PROGRAMS / program), *map(str, arguments)],
                        env=environment(count, number, port, devices, **more),
                        stdout=out,
                        stderr=subprocess.STDOUT,
                        stdin=subprocess.DEVNULL,
                    )
                )
        end = time.monotonic() + seconds
        waited_for = [each for place, each in enumerate(processes) if place not in leave]
        try:
            while any(each.poll() is None for each in waited_for) and time.monotonic() < end:
                time.sleep(0.05)
            late = [
                place
                for place, each in enumerate(processes)
                if each.poll() is None and place not in leave
            ]
        finally:
            for each in processes:
                if each.poll() is None:
                    each.kill()
                each.wait()
        ended = [
            Ended(each.returncode, Path(f"{folder}/{place}").read_text(errors="replace"))
            for place, each in enumerate(processes)
        ]
    assert not late, f"processes {late} hang: " + "\n".join(
        [ended[place].output[-2000:] for place in late]
    )
    return ended
