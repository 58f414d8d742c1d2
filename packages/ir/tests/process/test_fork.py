from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading

import pytest

from treadle_ir.process import fork_safe_lock, fork_safe_rlock

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def run(code: str, *arguments: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), *arguments]
    subprocess.run(command, check=True, timeout=30)


def test_they_are_locks() -> None:
    lock, again = fork_safe_lock(), fork_safe_rlock()
    assert isinstance(lock, type(threading.Lock()))
    with lock, again, again:
        assert lock.locked()
    assert not lock.locked()


@needs_fork
def test_locks_are_free_in_a_child_and_stay_held_in_the_parent() -> None:
    run("""
        import os, signal, threading
        from treadle_ir.process import fork_safe_lock, fork_safe_rlock
        locks = [fork_safe_lock(), fork_safe_rlock()]
        held, done = threading.Event(), threading.Event()
        def hold():
            with locks[0], locks[1]:
                held.set()
                done.wait()
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(5)
            for lock in locks:
                with lock:
                    pass
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert not any(lock.acquire(blocking=False) for lock in locks)
        done.set()
        thread.join()
    """)
