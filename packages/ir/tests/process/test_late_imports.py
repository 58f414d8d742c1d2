from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
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


def test_an_interrupt_waits_for_the_end(handled: list[int]) -> None:
    steps = []

    def inner() -> None:
        # The signal is handled where Python handles signals: in the main thread, which waits.
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)
        steps.append("inner")

    def outer() -> None:
        importing(inner)
        steps.append("outer")

    with pytest.raises(KeyboardInterrupt):
        importing(outer)
    assert steps == ["inner", "outer"]
    assert handled == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not _IMPORTING


def test_handlers_of_signals_stay_as_they_are(handled: list[int]) -> None:
    def handler() -> object:
        return signal.getsignal(signal.SIGINT)

    assert importing(handler) is signal.default_int_handler


def test_the_error_of_an_import_comes_out() -> None:
    with pytest.raises(ImportError, match="no_such_module"):
        importing(lambda: __import__("no_such_module"))
    assert not _IMPORTING


def test_other_threads_import_as_well() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(importing(threading.current_thread)))
    thread.start()
    thread.join()
    assert found == [thread]


def test_a_module_that_is_being_imported_imports_in_its_own_thread(tmp_path: Path) -> None:
    """Another thread would wait for the lock of the module that this one imports, for ever."""
    (tmp_path / "treadle_first.py").write_text(
        "import importlib\n"
        "from treadle_ir.process import importing\n"
        "importing(lambda: importlib.import_module('treadle_second'))\n"
        "VALUE = 1\n"
    )
    (tmp_path / "treadle_second.py").write_text("import treadle_first\n")
    run(
        "import sys; sys.path.insert(0, sys.argv[1]); import treadle_first; assert treadle_first.VALUE",
        str(tmp_path),
    )


def test_at_the_end_of_the_process_there_is_no_thread(tmp_path: Path) -> None:
    run(
        """
        import atexit, importlib
        from treadle_ir.process import importing
        atexit.register(lambda: print(importing(lambda: importlib.import_module("statistics")).mean([1, 1])))
        """
    )


@needs_fork
def test_a_fork_waits_for_an_import_of_another_thread(tmp_path: Path) -> None:
    (tmp_path / "slowly_imported.py").write_text("import time; time.sleep(0.5); VALUE = 1")
    run(
        """
        import importlib, os, signal, sys, threading, time
        from treadle_ir.process import importing
        sys.path.insert(0, sys.argv[1])
        def late():
            importing(lambda: importlib.import_module("slowly_imported"))
        thread = threading.Thread(target=late)
        thread.start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            signal.alarm(5)
            import slowly_imported
            os._exit(0 if slowly_imported.VALUE == 1 else 1)
        assert os.waitpid(child, 0)[1] == 0
        def forking():
            child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        started = time.monotonic()
        importing(forking)  # one's own import is not waited for
        assert time.monotonic() - started < 1
        """,
        str(tmp_path),
    )


def test_a_finder_may_import_late() -> None:
    """Python calls finders with the lock of all imports held, so that the import cannot run in a different thread."""
    run(
        """
        import importlib, sys
        from treadle_ir.process import importing

        class Finder:
            found = None

            def find_spec(self, name, path, target=None):
                if name == "colorsys":  # neither module is imported yet
                    self.found = importing(lambda: importlib.import_module("fractions"))

        sys.meta_path.insert(0, Finder())
        import colorsys
        assert sys.meta_path[0].found is sys.modules["fractions"]
        """
    )


def test_an_object_that_ends_with_the_interpreter_may_import_late() -> None:
    """While the interpreter finalises, a new thread would never run, and the main thread would wait for it forever."""
    run(
        """
        import builtins, sys
        from treadle_ir.process import importing

        class Last:
            def __del__(self, importing=importing, finalizing=sys.is_finalizing):
                assert importing(lambda: finalizing()) is True

        builtins.last = Last()
        """
    )
