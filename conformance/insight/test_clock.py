"""Clocks that are read too early, and clocks that are read when the result is there."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from conformance.insight.programs import Run, everywhere, only, report_of

PROGRAM = """\
import time
from time import perf_counter
import numpy as np
import treadle
import treadle.numpy as tnp

x = tnp.ones((1000, 1000))
f = treadle.jit(lambda x: x @ x @ x @ x @ x @ x)
g = treadle.jit(lambda x: x + 1)
f(x).block_until_ready()
g(1.0)
with treadle.watch("clock") as report:
{body}
"""
EARLY = {
    "perf_counter": "t = perf_counter()\ny = f(x)\nt = perf_counter() - t",
    "time": "t = time.time()\ny = f(x)\nt = time.time() - t",
    "monotonic_ns": "t = time.monotonic_ns()\ny = f(x)\nt = time.monotonic_ns() - t",
    "in a function": "def run():\n    t = perf_counter()\n    y = f(x)\n    t = perf_counter() - t\n    return y\n"
    "run()",
    "in a tree": "h = treadle.jit(lambda x: {'a': f(x)})\nh(x)['a'].block_until_ready()\n"
    "t = perf_counter()\ny = h(x)\nt = perf_counter() - t",
}
SILENT = {
    "block_until_ready": "t = perf_counter()\ny = f(x).block_until_ready()\nt = perf_counter() - t",
    "block_until_ready of all": "t = perf_counter()\ny = treadle.block_until_ready(f(x))\nt = perf_counter() - t",
    "read": "t = perf_counter()\ny = f(x)\nfloat(y[0, 0])\nt = perf_counter() - t",
    "converted": "t = perf_counter()\ny = np.asarray(f(x))\nt = perf_counter() - t",
    "read before": "y = f(x)\nt = perf_counter()",
    "no clock": "y = f(x)\ny = g(2.0)",
    "small": "t = perf_counter()\ny = g(2.0).block_until_ready()\nt = perf_counter() - t",
}


def program(body: str) -> str:
    """Return the program with this body of the watch."""
    return PROGRAM.format(body="\n".join([f"    {line}" for line in body.splitlines()]))


@pytest.mark.installed
@pytest.mark.parametrize("name", EARLY)
def test_a_clock_that_is_read_too_early_is_reported(name: str, tmp_path: Path) -> None:
    finding = only(report_of(program(EARLY[name]), tmp_path), "clock")
    called, started = finding.where
    assert called.text.startswith("t = ")
    assert called.text.endswith("() - t")
    assert started.text.startswith("y = ")
    assert "was still computing" in finding.what


@pytest.mark.installed
@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_of_other_readings(name: str, tmp_path: Path) -> None:
    report = report_of(program(SILENT[name]), tmp_path)
    assert not report.findings(), report


@pytest.mark.installed
@everywhere
def test_a_clock_is_reported_everywhere(run: Run, tmp_path: Path) -> None:
    report = run(program(EARLY["perf_counter"]), tmp_path)
    assert [each.kind for each in report.findings()] == ["clock.early"]


@pytest.mark.installed
def test_a_clock_in_a_thread_that_the_program_starts(tmp_path: Path) -> None:
    body = "import threading\ndef run():\n    global y\n    t = perf_counter()\n    y = f(x)\n"
    body += "    t = perf_counter() - t\nthread = threading.Thread(target=run)\nthread.start()\nthread.join()"
    assert only(report_of(program(body), tmp_path), "clock").where[1].text == "y = f(x)"


@pytest.mark.installed
def test_hooks_are_as_they_were(tmp_path: Path) -> None:
    report_of(
        program("t = perf_counter()\nimport sys\nassert sys.getprofile() is not None"), tmp_path
    )
    assert sys.getprofile() is None
    assert threading.getprofile() is None
