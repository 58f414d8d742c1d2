"""Advice is given where a second has been lost, once for each place, and otherwise never; as a setting demands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.platform import environment

RETRACED = """\
import time
import treadle
import treadle.numpy as tnp

@treadle.jit
def step(x):
    time.sleep(0.2)  # stands for a function that takes long to trace
    return x * 2

for size in range(1, 13):
    step(tnp.ones(size))
"""
DEFINED_AGAIN = """\
import time
import treadle
import treadle.numpy as tnp

def update(x):
    @treadle.jit
    def inner(y):
        time.sleep(0.2)
        return y + 1
    return inner(x)

for _ in range(12):
    update(tnp.ones(3))
"""
TWICE_FOR_LONG = """\
import time
import treadle
import treadle.numpy as tnp
from treadle_runtime.jitting import advice

advice.MOST_SECONDS = 1.5

@treadle.jit
def step(x):
    time.sleep(1.2)
    return x * 2

step(1.0)
step(tnp.float32(1.0))
"""
QUICK = """\
import sys
import threading
import treadle
import treadle.numpy as tnp

@treadle.jit
def step(x):
    return x * 2

for size in range(1, 30):
    step.trace(tnp.ones(size))  # a tenth of a millisecond each
step(tnp.ones(3))
assert "treadle_insight" not in sys.modules
assert threading.active_count() == 1
"""
RUNNING = """\
import sys
import time
import treadle
import treadle.numpy as tnp
from treadle_runtime.jitting import advice, compiling

advice.RUNNING, advice.LEAST_TEXT = 0.2, 1
compiled = compiling.compile_program

def slow(*args):
    time.sleep(1.5)  # stands for XLA
    return compiled(*args)

compiling.compile_program = slow

@treadle.jit
def step(x):
    for _ in range(12):
        x = tnp.sin(x)
    return x

print(step(tnp.ones(3)).shape)
"""

LONG = """\
import sys
import types
import treadle
import treadle.numpy as tnp
from treadle_insight import Finding, Place
from treadle_runtime.jitting import advice

advice.LONG = 0.0

def look(subject):
    place = Place.of(subject.program.equations[0].source)
    what = f"The loop at {place} was unrolled: {len(subject.program.equations)} copies."
    yield Finding("loop.unrolled", what, (place,), fix="Use fori_loop.")

loops = sys.modules["treadle_insight.looks.loops"] = types.ModuleType("loops")
loops.look = look

@treadle.jit
def step(x):
    for _ in range(12):
        x = tnp.sin(x)
    return x

step(tnp.ones(3))
step(tnp.ones(4))
"""


def outcome(text: str, folder: Path, **variables: str) -> tuple[int, str]:
    """Run a program; return its exit status and what it writes to stderr."""
    path = folder / "program.py"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        env={**os.environ, **environment(), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.installed
def test_a_function_that_is_traced_again_and_again_is_said_once(tmp_path: Path) -> None:
    code, said = outcome(RETRACED, tmp_path)
    assert code == 0, said
    assert said.startswith("recompile.shape: step was compiled for 9 sizes of axis 0 of `x`")
    assert "at program.py:11" in said
    assert said.count("recompile.") == 1
    assert "fix: Pad axis 0 to powers of two" in said


@pytest.mark.installed
def test_a_function_that_is_defined_again_is_reported_once(tmp_path: Path) -> None:
    code, said = outcome(DEFINED_AGAIN, tmp_path)
    assert code == 0, said
    assert said.startswith("recompile.function: inner was defined 9 times")
    assert said.count("recompile.") == 1


@pytest.mark.installed
def test_few_traces_that_take_long_are_said(tmp_path: Path) -> None:
    code, said = outcome(TWICE_FOR_LONG, tmp_path)
    assert code == 0, said
    assert said.startswith("recompile.weak: `x` of step was a Python number in some calls")


@pytest.mark.installed
def test_who_has_lost_nothing_hears_nothing(tmp_path: Path) -> None:
    assert outcome(QUICK, tmp_path) == (0, "")


@pytest.mark.installed
def test_off_says_nothing(tmp_path: Path) -> None:
    assert outcome(RETRACED, tmp_path, TREADLE_ADVICE="off") == (0, "")


@pytest.mark.installed
def test_error_raises(tmp_path: Path) -> None:
    code, said = outcome(RETRACED, tmp_path, TREADLE_ADVICE="error")
    assert code == 1
    assert "AdviceError: recompile.shape: step was compiled for 9 sizes" in said


@pytest.mark.installed
def test_all_says_what_watch_finds(tmp_path: Path) -> None:
    code, said = outcome(RETRACED.replace("sleep(0.2)", "sleep(0)"), tmp_path, TREADLE_ADVICE="all")
    assert code == 0, said
    assert said.startswith("recompile.shape: step was compiled for 12 sizes of axis 0 of `x`")


@pytest.mark.installed
def test_without_treadle_insight_nothing_is_said(tmp_path: Path) -> None:
    text = f"import sys\nsys.modules['treadle_insight'] = None\n{RETRACED}"
    assert outcome(text, tmp_path) == (0, "")
    assert outcome(text, tmp_path, TREADLE_ADVICE="all") == (0, "")


@pytest.mark.installed
def test_a_compilation_that_is_still_running_is_said(tmp_path: Path) -> None:
    code, said = outcome(RUNNING, tmp_path)
    assert code == 0, said
    assert said.startswith(
        "still compiling step after 200 ms: 12 operations, of which 100 % are 12 copies of "
    )
    assert "program.py:19" in said
    assert outcome(RUNNING, tmp_path, TREADLE_ADVICE="off") == (0, "")


@pytest.mark.installed
def test_loops_of_a_program_that_took_long_to_compile_are_reported_once(tmp_path: Path) -> None:
    code, said = outcome(LONG, tmp_path)
    assert code == 0, said
    assert said.startswith("loop.unrolled: The loop at program.py:21 was unrolled: 12 copies.")
    assert " to compile." in said
    assert said.count("loop.unrolled") == 1
    assert outcome(LONG, tmp_path, TREADLE_ADVICE="off") == (0, "")


@pytest.mark.installed
def test_under_the_import_hook(tmp_path: Path) -> None:
    text = RETRACED.replace("import treadle.numpy as tnp", "import jax, jax.numpy as tnp")
    text = text.replace("@treadle.jit", "@jax.jit").replace("import treadle\n", "")
    code, said = outcome(f"import treadle_jax; treadle_jax.install()\n{text}", tmp_path)
    assert code == 0, said
    assert said.startswith("recompile.shape: step was compiled for 9 sizes of axis 0 of `x`")


@pytest.mark.installed
def test_in_a_thread_and_with_a_logger_of_the_users(tmp_path: Path) -> None:
    text = RETRACED.replace(
        "for size in range(1, 13):\n    step(tnp.ones(size))\n",
        """\
import logging, threading
logging.basicConfig(format="%(name)s %(levelname)s %(message)s")

def work():
    for size in range(1, 13):
        step(tnp.ones(size))

thread = threading.Thread(target=work)
thread.start()
thread.join()
""",
    )
    code, said = outcome(text, tmp_path)
    assert code == 0, said
    assert said.startswith("treadle.advice WARNING recompile.shape: step was compiled for 9 sizes")
