from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from treadle_ir.process import importing
from treadle_ir.process.late_imports import _IMPORTING

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def run(code: str, *arguments: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), *arguments]
    subprocess.run(command, check=True, timeout=30)


@pytest.fixture
def handled() -> Iterator[list[int]]:
    """Install a handler of Ctrl-C and of a signal that raises nothing; return the list of signals that it has taken."""
    taken: list[int] = []

    def note(number: int, _: Any) -> None:
        taken.append(number)

    handlers = {signal.SIGTERM: note, signal.SIGINT: signal.default_int_handler}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    yield taken
    for number, handler in before.items():
        signal.signal(number, handler)


def test_signals_wait_for_the_end(handled: list[int]) -> None:
    steps = []

    def interrupted() -> None:
        with importing():
            with importing():
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGTERM)
                steps.append("inner")
            steps.append("outer")
            assert handled == []

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert steps == ["inner", "outer"]
    assert handled == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.raise_signal(signal.SIGTERM)
    assert handled == [signal.SIGTERM] * 2


def test_a_failing_import_gives_the_handlers_back(handled: list[int]) -> None:
    with pytest.raises(ImportError), importing():
        raise ImportError
    assert not _IMPORTING
    signal.raise_signal(signal.SIGTERM)
    assert handled == [signal.SIGTERM]


def test_other_threads_import_as_well() -> None:
    failed: list[BaseException] = []

    def late() -> None:
        try:
            with importing():
                pass
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=late)
    thread.start()
    thread.join()
    assert not failed


@needs_fork
def test_a_fork_waits_for_an_import_of_another_thread(tmp_path: Path) -> None:
    (tmp_path / "slowly_imported.py").write_text("import time; time.sleep(0.5); VALUE = 1")
    run(
        """
        import importlib, os, signal, sys, threading, time
        from treadle_ir.process import importing
        sys.path.insert(0, sys.argv[1])
        def late():
            with importing():
                importlib.import_module("slowly_imported")
        thread = threading.Thread(target=late)
        thread.start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            signal.alarm(5)
            import slowly_imported
            os._exit(0 if slowly_imported.VALUE == 1 else 1)
        assert os.waitpid(child, 0)[1] == 0
        with importing():  # one's own import is not waited for
            child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        """,
        str(tmp_path),
    )
