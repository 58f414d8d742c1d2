"""Put one fault at a time into a copy of the tree, and run the tests that may find it until one fails."""

from __future__ import annotations

import functools
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance.mutants.cover import Step
from conformance.mutants.site import ROOT, Site

HANG: Final = 60.0  # CPU seconds that one test may take; then the fault is found
HANGS: Final = " (hangs)"  # follows the name of a test
ENDS: Final = " (ends the process)"
BUDGET: Final = 45.0  # CPU seconds for all tests of a fault; what takes longer is undecided
_WAITS: Final = 10  # times the budget, in seconds of the clock, which tests may take that only wait
_COPIED: Final = ("packages", "conformance", "scripts", "docs", "benchmarks", "pyproject.toml")
_FAILED, _UNUSABLE, _NOTHING = (1, 2, 3), 4, 5  # what pytest returns


@dataclass(slots=True)
class Outcome:
    """What became of a fault: it was killed, survived, or is undecided."""

    site: Site
    verdict: str
    by: str = ""  # the test that found it, or why it is undecided
    reached: bool | None = None  # whether a test ran the line; None where that cannot be seen
    ran: int = 0  # tests
    seconds: float = 0.0  # of the CPU
    # What says which fault it is after the file was edited or moved:
    change: str = ""  # the line before and after
    function: str = ""  # the qualified name of the function around the line
    occurrence: int = 0  # lines of the same text above it in the function


@dataclass(slots=True)
class _Ran:
    """One run of pytest: what it returned (None: out of time), printed, and what the plugin saw."""

    code: int | None
    said: str
    seen: dict[str, Any]


class Tree:
    """A copy of the tree, in which one file at a time has a fault."""

    def __init__(self, folder: Path, root: Path = ROOT, copied: Sequence[str] = _COPIED) -> None:
        """Copy what the tests need from `root`."""
        self.folder = folder
        for name in copied:
            if (root / name).is_dir():
                shutil.copytree(root / name, folder / name)
            elif (root / name).exists():
                shutil.copy2(root / name, folder / name)

    def tried(self, site: Site, tests: Sequence[Step], budget: float = BUDGET) -> Outcome:
        """Run tests on a fault until one fails, or the CPU seconds of the budget are over."""
        file = self.folder / site.file
        text, times = file.read_text(), file.stat()
        outcome = Outcome(site, "survived")
        begin = _cpu_seconds()
        try:
            file.write_text(site.applied(text))
            outcome.change = site.change(text)
            outcome.function, outcome.occurrence = site.function(text), site.occurrence(text)
            for step in tests:
                left = budget - (_cpu_seconds() - begin)
                if left <= 0:
                    outcome.verdict, outcome.by = "undecided", "no time"
                    break
                ran = self._pytest(["-x", *step], max(left, 1), str(file), site.lines)
                outcome.ran += ran.seen.get("ran", 0)
                outcome.reached = outcome.reached or ran.seen.get("reached")
                outcome.verdict, outcome.by = _judged(ran, step)
                if outcome.verdict != "survived":
                    break
        finally:
            file.write_text(text)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # its bytecode is good again
        outcome.seconds = round(_cpu_seconds() - begin, 1)
        return outcome

    def failing(self, tests: Sequence[str]) -> tuple[set[str], set[str]]:
        """Return which of `tests` fail without any fault, and which take a third of `HANG` and more."""
        bad: set[str] = set()
        slow: set[str] = set()
        single = [test for test in tests if "::" in test]
        whole = [test for test in tests if "::" not in test]
        for chosen, options in ((single, []), (whole, ["--collect-only"])):
            if chosen:
                ran = self._pytest([*options, *dict.fromkeys(chosen)], 3600, "", (0, 0))
                if ran.code not in (0, *_FAILED):
                    raise RuntimeError(f"the tests cannot run without a fault:\n{ran.said}")
                bad |= set(ran.seen["failed"])
                slow |= set(ran.seen["slow"])
        return bad, slow

    def _pytest(
        self, arguments: Sequence[str], limit: float, file: str, lines: tuple[int, int]
    ) -> _Ran:
        """Run pytest in the copy, in a process group of its own that ends with it."""
        report = self.folder / "mutant.json"
        report.unlink(missing_ok=True)
        asked = {
            "file": file,
            "lines": lines,
            "report": str(report),
            "limit": HANG,
            "ends": bool(file),
        }
        paths = [self.folder, *sorted(self.folder.glob("packages/*/src"))]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TREADLE_PLATFORMS": "cpu",
            "CONFORMANCE_MUTANT": json.dumps(asked),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-p", "conformance.mutants.plugin", "-m", "not timing", "--tb=line", *arguments]
        most = math.ceil(limit)
        process = subprocess.Popen(
            command,
            preexec_fn=functools.partial(resource.setrlimit, resource.RLIMIT_CPU, (most, most + 5)),
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        code: int | None
        try:
            said, _ = process.communicate(timeout=_WAITS * limit)
            code = None if process.returncode == -signal.SIGXCPU else process.returncode
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, 9)
            said, _ = process.communicate()
        seen = json.loads(report.read_text()) if report.exists() else {}
        return _Ran(code, said, seen)


def _cpu_seconds() -> float:
    """Return the CPU time of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _judged(ran: _Ran, step: Step) -> tuple[str, str]:
    """The verdict of one run, and the test that gave it."""
    if ran.code is None:
        return "undecided", "no time"
    if ran.code in (0, _NOTHING):
        return "survived", ""
    if ran.code in _FAILED or ran.code < 0:
        running = ran.seen.get("running")  # where the process ended at once
        if running:
            return "killed", running + (HANGS if ran.code in (1, -signal.SIGPROF) else ENDS)
        return "killed", next(iter(ran.seen.get("failed", [])), step[0])
    if ran.code == _UNUSABLE and "conftest" in ran.said:  # which imports the package
        return "killed", step[0]
    return "undecided", ran.said[-300:]
