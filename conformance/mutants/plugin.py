"""Watches one run of pytest on a mutant: which tests fail, whether the line is reached, whether a test hangs.

`-p conformance.mutants.plugin`; `CONFORMANCE_MUTANT` is a JSON object: `file` (absolute), `lines`, `report`, `limit`
(CPU seconds of a test), `ends` (the process, if a test takes longer).
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import time
from collections.abc import Generator
from pathlib import Path
from types import CodeType
from typing import Any, Final

import pytest

_ASKED: Final[dict[str, Any]] = json.loads(os.environ["CONFORMANCE_MUTANT"])
_WAITS: Final = 5  # times the limit, which a test that only waits may take
_SEEN: Final[dict[str, Any]] = {"reached": None, "failed": [], "ran": 0, "running": "", "slow": []}


def _watch() -> None:
    """Note whether a line of the statement runs; each line is asked once, so that it costs nothing."""
    monitoring: Any = getattr(sys, "monitoring", None)  # from Python 3.12 on
    if monitoring is None:
        return
    _SEEN["reached"] = False
    first, last = _ASKED["lines"]
    tool = monitoring.COVERAGE_ID

    def line(code: CodeType, number: int) -> Any:
        if code.co_filename == _ASKED["file"] and first <= number <= last:
            _SEEN["reached"] = True
            monitoring.set_events(tool, 0)
        return monitoring.DISABLE

    monitoring.use_tool_id(tool, "mutants")
    monitoring.register_callback(tool, monitoring.events.LINE, line)
    monitoring.set_events(tool, monitoring.events.LINE)


_watch()  # before anything imports the sources


def _write() -> None:
    Path(_ASKED["report"]).write_text(json.dumps(_SEEN))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """End the process if one test takes too long: a fault that makes a loop endless is found."""
    _SEEN["running"] = item.nodeid
    _write()  # a process that ends at once has already reported what it ran
    begin = time.process_time()
    if _ASKED["ends"]:
        signal.setitimer(
            signal.ITIMER_PROF, _ASKED["limit"]
        )  # CPU time: the same on a busy machine
        faulthandler.dump_traceback_later(_WAITS * _ASKED["limit"], exit=True)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
        if time.process_time() - begin > _ASKED["limit"] / 3:
            _SEEN["slow"].append(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count tests and note what fails."""
    _SEEN["ran"] += report.when == "call"
    if report.failed:
        _SEEN["failed"].append(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note files that cannot be collected."""
    if report.failed:
        _SEEN["failed"].append(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write what was seen."""
    _SEEN["running"] = ""
    _write()
