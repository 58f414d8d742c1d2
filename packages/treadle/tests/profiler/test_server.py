from __future__ import annotations

import os
import socket
import threading
import time

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


def test_of_threads_that_start_one_at_the_same_time_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[int] = []
    refused: list[ArgumentError] = []

    class Slow:
        @staticmethod
        def start_server(port: int) -> object:
            time.sleep(0.2)  # in which another thread could look whether one runs
            started.append(port)
            return object()

    def start() -> None:
        try:
            profiler.start_server(free_port())
        except ArgumentError as error:
            refused.append(error)

    monkeypatch.setattr("treadle.profiler.server.profiler_module", lambda: Slow)
    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    profiler.stop_server()
    assert (len(started), len(refused)) == (1, 1)
