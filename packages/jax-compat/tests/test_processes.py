"""A program of JAX's in two processes, under the hook."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "under_the_hook.py"
COUNT = 2


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def start(number: int, port: int) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "TREADLE_NUM_CPU_DEVICES": "2",
        "TREADLE_COORDINATOR_ADDRESS": f"127.0.0.1:{port}",
        "TREADLE_NUM_PROCESSES": str(COUNT),
        "TREADLE_PROCESS_ID": str(number),
    }
    return subprocess.Popen(
        [sys.executable, str(PROGRAM)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_processes_of_one_program_meet() -> None:
    port = free_port()
    processes = [start(number, port) for number in range(COUNT)]
    try:
        outputs = [each.communicate(timeout=120)[0] for each in processes]
    finally:
        for each in processes:
            each.kill()
    assert [each.returncode for each in processes] == [0] * COUNT, "\n".join(outputs)
