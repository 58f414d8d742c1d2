from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from treadle_compiler.library import made_once

IN_THREADS = """
import gc, sys, threading
from treadle_compiler import library, mlir
sys.setswitchinterval(1e-5)
ready = threading.Barrier(8)
found = []
def first():
    ready.wait()
    found.append((id(library.jaxlib()), id(mlir.mlir())))
threads = [threading.Thread(target=first) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
print(len(found), len({*found}), gc.callbacks.count(library.jaxlib().collect))
"""


def test_what_is_made_once_is_made_by_one_thread() -> None:
    made = []

    @made_once
    def value() -> object:
        time.sleep(0.05)  # until all threads have asked
        made.append(object())
        return made[-1]

    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(value())) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(made) == 1
    assert found == made * 4


def test_what_failed_is_made_by_the_next_call() -> None:
    tries: list[None] = []

    @made_once
    def value() -> int:
        tries.append(None)
        if len(tries) == 1:
            raise KeyboardInterrupt
        return 7

    with pytest.raises(KeyboardInterrupt):
        value()
    assert (value(), value(), len(tries)) == (7, 7, 2)


@pytest.mark.xla
def test_threads_that_first_use_jaxlib_at_once_share_it() -> None:
    command = [sys.executable, "-c", IN_THREADS]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["8", "1", "1"]
