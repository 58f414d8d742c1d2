"""Programs as files, so that their findings have places with lines of source."""

from __future__ import annotations

import linecache
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

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


def report_in_thread(text: str, folder: Path) -> Report:
    """Return the `report` of a program that runs in a thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(report_of, text, folder).result()


_START = """\
import sys
{hook}
for path in sys.argv[1:]:
    with open(path) as program:
        code = compile(program.read(), path, "exec")
    names = {{"__name__": "__main__", "__file__": path}}
    exec(code, names)
    report = names["report"]
    print("REPORT" + (report if hasattr(report, "tables") else report.report()).json())
"""


def reports_in_process(
    texts: Iterable[str],
    folder: Path,
    *,
    devices: int = 1,
    hooked: bool = False,
    **variables: str,
) -> list[Report]:
    """Return the `report` that each program binds, run one after another in a process of their own.

    Args:
        texts: the programs.
        folder: where they are written to: the first one is `program.py`.
        devices: how many devices they need.
        hooked: whether `import jax` gives treadle.
        variables: further environment variables.
    """
    skip_without_devices(devices)
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"program{number or ''}.py")
        paths[-1].write_text(text)
    start = folder / "start.py"
    start.write_text(
        _START.format(hook="import treadle_jax; treadle_jax.install()" if hooked else "")
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(start), *map(str, paths)],
        env={**os.environ, **environment(devices), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("REPORT")]
    assert len(lines) == len(paths), done.stdout
    return [Report.of_json(line.removeprefix("REPORT")) for line in lines]


def report_in_process(
    text: str, folder: Path, *, devices: int = 1, hooked: bool = False, **variables: str
) -> Report:
    """Return the `report` that a program binds in a process of its own, as `reports_in_process` does."""
    (report,) = reports_in_process([text], folder, devices=devices, hooked=hooked, **variables)
    return report


def by_the_name_of_jax(text: str) -> str:
    """Return a program with the names of JAX instead of treadle's; its lines keep their numbers.

    `treadle.explain` and `treadle.watch` stay: JAX has no such names.
    """
    return "import treadle; " + re.sub(r"\btreadle\b(?!\.(explain|watch)\b)", "jax", text)


def report_under_jax(text: str, folder: Path) -> Report:
    """Return the `report` of a program by the names of JAX, in a process with the import hook."""
    return report_in_process(by_the_name_of_jax(text), folder, hooked=True)


Run = Callable[[str, Path], Report]
everywhere = pytest.mark.parametrize(
    "run", [pytest.param(report_in_thread, id="thread"), pytest.param(report_under_jax, id="jax")]
)


def line_of(finding: Finding) -> int:
    """Return the line of a finding; 0 if it has no place."""
    return finding.place.line if finding.place else 0


def only(report: Report, kind: str) -> Finding:
    """Return the one finding of a kind."""
    found = report.findings(kind)
    assert len(found) == 1, f"{len(found)} findings of {kind}:\n{report}"
    return found[0]
