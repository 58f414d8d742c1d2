"""Programs as files, so that their findings have places with lines of source."""

from __future__ import annotations

import json
import linecache
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from conformance.platform import environment, skip_without_devices
from treadle_insight import Finding, Report


def run_program(text: str, folder: Path, name: str = "program.py") -> dict[str, Any]:
    """Write a program to a file, run it, and return its names. Any: values of all kinds."""
    path = folder / name
    path.write_text(text)
    linecache.checkcache(str(path))
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    exec(compile(text, str(path), "exec"), names)
    return names


def report_of(text: str, folder: Path) -> Report:
    """Return the `report` that a program binds: a report, or a `watch` that has been left."""
    report = run_program(text, folder)["report"]
    return report if isinstance(report, Report) else report.report()


def only(report: Report, kind: str) -> Finding:
    """Return the one finding of a kind."""
    found = report.findings(kind)
    assert len(found) == 1, f"{len(found)} findings of {kind}:\n{report}"
    return found[0]


_PRINTED = """

import json
report = report if hasattr(report, "tables") else report.report()
print("FOUND" + json.dumps([
    {
        "kind": each.kind, "what": each.what, "why": each.why, "fix": each.fix, "text": str(each),
        "certain": each.certain, "file": each.place and each.place.file, "line": each.place and each.place.line,
        "lines": [place.line for place in each.where],
    }
    for each in report.findings()
]))
"""


def report_in_process(
    text: str, folder: Path, *, devices: int = 1, hooked: bool = False, **variables: str
) -> list[dict[str, Any]]:
    """Return the findings of the `report` that a program binds in a process of its own. Any: strings and numbers.

    Args:
        text: the program.
        folder: where it is written to.
        devices: how many devices it needs.
        hooked: whether `import jax` gives treadle.
        variables: further environment variables.
    """
    skip_without_devices(devices)
    path = folder / "program.py"
    path.write_text(text)
    hook = "import treadle_jax; treadle_jax.install()\n" if hooked else ""
    start = folder / "start.py"
    start.write_text(
        f"{hook}names = {{'__name__': '__main__'}}\npath = {str(path)!r}\n"
        f"exec(compile(open(path).read(), path, 'exec'), names)\nexec({_PRINTED!r}, names)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(start)],
        env={**os.environ, **environment(devices), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: list[dict[str, Any]] = json.loads(done.stdout.rpartition("FOUND")[2])
    return found
