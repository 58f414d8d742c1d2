"""The same program run in a thread, and as a program that imports jax, in a process with the import hook."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.insight.programs import report_of
from conformance.platform import environment

Found = list[dict[str, Any]]  # Any: kind, what and line of each finding
Run = Callable[[str, Path], Found]
_ENTRY = """\
import json, runpy, treadle_jax
treadle_jax.install()
report = runpy.run_path("program.py", run_name="__main__")["report"]
found = [{"kind": x.kind, "what": x.what, "line": x.place and x.place.line} for x in report.findings()]
print("FOUND", json.dumps(found))
"""


def in_a_thread(text: str, folder: Path) -> Found:
    """Run a program in a thread, and return what its report has."""
    reports: list[Any] = []
    thread = threading.Thread(target=lambda: reports.append(report_of(text, folder)))
    thread.start()
    thread.join()
    return [
        {"kind": x.kind, "what": x.what, "line": x.place and x.place.line}
        for x in reports[0].findings()
    ]


def under_jax(text: str, folder: Path) -> Found:
    """Run a program that imports jax, in a process with the import hook, and return what its report has."""
    text = text.replace("treadle.watch", "treadle_insight.watch").replace("treadle.", "jax.")
    text = text.replace("import treadle\n", "import jax, treadle_insight\n")
    (folder / "program.py").write_text(text)
    (folder / "entry.py").write_text(_ENTRY)
    done = subprocess.run(
        [sys.executable, "entry.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    assert lines, done.stdout + done.stderr
    found: Found = json.loads(lines[0].removeprefix("FOUND "))
    return found


everywhere = pytest.mark.parametrize(
    "run", [pytest.param(in_a_thread, id="thread"), pytest.param(under_jax, id="jax")]
)
