"""Programs as files, so that their findings have places with lines of source."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

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
