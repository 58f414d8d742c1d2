"""A Python process of its own for each fault, on the platform under test, with a bound in time.

A *scenario* is a function of a test module. Its source runs in a fresh process, after the imports of `IMPORTS` and
`PRELUDE`; so it may use these names, its arguments, and nothing else of its module. A scenario that takes too long
prints the stacks of its threads and is killed with all its children.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from conformance import platform as under_test

ROOT: Final = Path(__file__).resolve().parents[2]

IMPORTS: Final = """
from __future__ import annotations

import atexit, copy, ctypes, errno, faulthandler, gc, json, os, pickle, random, resource, shutil, signal, sys
import threading, time, warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

faulthandler.enable()  # the stacks of all threads on SIGABRT
"""
PRELUDE: Final = """
import numpy as np

import treadle
import treadle.numpy as tnp
import treadle_compiler
import treadle_ir
import treadle_runtime
from conformance.faults.inside import *
from treadle.experimental import io_callback
"""


def run(
    scenario: Callable[..., None],
    *arguments: Any,
    cache: Path | None = None,
    seconds: float = 20.0,
    before: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Return the output of a scenario, which must end by itself, in time, with exit code 0, and silent on stderr.

    `cache` is the folder of the disk cache; without it there is none. `before` is a scenario that runs before treadle
    is imported.
    """
    output, errors, code = outcome(
        scenario,
        *arguments,
        cache=cache,
        seconds=seconds,
        before=before,
        environment=environment,
    )
    assert code == 0, f"{scenario.__name__} ended with {code}\n{output}\n{errors}"
    assert not errors, errors
    return output


def outcome(
    scenario: Callable[..., None],
    *arguments: Any,
    cache: Path | None = None,
    seconds: float = 20.0,
    before: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, str, int]:
    """Return what a scenario prints to stdout and to stderr, and its exit code."""
    process = started(scenario, *arguments, cache=cache, before=before, environment=environment)
    output, errors = finished(process, seconds)
    return output.strip(), errors.strip(), process.returncode


def started(
    scenario: Callable[..., None],
    *arguments: Any,
    cache: Path | None = None,
    before: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    talks: bool = False,
) -> subprocess.Popen[str]:
    """Start a process that runs a scenario; an interactive scenario reads what the test writes to its stdin."""
    parts = [IMPORTS]
    if before is not None:
        parts += [_source(before), f"{before.__name__}()"]
    call = f"{scenario.__name__}({', '.join(map(repr, arguments))})"
    parts += [PRELUDE, _source(scenario), call]
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TREADLE_", "JAX_", "XLA_"))
    }
    chosen = {"TREADLE_CACHE": "0"} if cache is None else {"TREADLE_CACHE_DIR": str(cache)}
    return subprocess.Popen(
        # Python 3.12 and later warn of each fork of a process with threads, as these are made to be.
        [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", "\n".join(parts)],
        cwd=ROOT,
        env={**inherited, **under_test.environment(), **chosen, **(environment or {})},
        stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(process: subprocess.Popen[str], seconds: float) -> tuple[str, str]:
    """Return what a process prints to stdout and stderr until it ends; after `seconds` it is killed."""
    late = ""
    try:
        return process.communicate(timeout=seconds + under_test.STARTING_SECONDS)
    except subprocess.TimeoutExpired:
        late = f"\nkilled after {seconds} s"
        process.send_signal(signal.SIGABRT)
        time.sleep(0.5)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # and the children that it has left
    output, errors = process.communicate()
    return output, errors + late


def _source(function: Callable[..., None]) -> str:
    return textwrap.dedent(inspect.getsource(function))
