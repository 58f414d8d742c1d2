from __future__ import annotations

import os
import socket

import pytest

from treadle import profiler
from treadle.errors import ArgumentError


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port


def test_one_server_runs_at_a_time() -> None:
    port = free_port()
    profiler.start_server(port)
    try:
        with socket.create_connection(("localhost", port), timeout=10):
            pass
        with pytest.raises(ArgumentError, match="runs already"):
            profiler.start_server(port)
    finally:
        profiler.stop_server()
    with pytest.raises(ArgumentError, match="no profiler server runs"):
        profiler.stop_server()


def test_a_process_is_no_child_of_itself() -> None:
    with pytest.raises(ArgumentError, match=r"gives no profiles on port \d+: .*same pid"):
        profiler.register_subprocess(os.getpid(), free_port())


@pytest.mark.parametrize("port", [0, 1 << 16, "http"])
def test_ports_are_numbers(port: object) -> None:
    with pytest.raises(ArgumentError, match="port"):
        profiler.start_server(port)  # type: ignore[arg-type]
