"""What each test ran on: programs on the platform under test, processes of its own, or NumPy on the host.

`conftest.py` notes it for each test; at the end of a run a table by file is printed, and with `--ran-on FILE` it is
written as JSON, with the device and the versions.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.platform import PLATFORM
from conformance.xla_runner import executed
from treadle_compiler import LoadedExecutable

PROPERTY: Final = "ran on"
HOST: Final = "host"
PROCESSES: Final = "processes"
_started: Final[list[None]] = []  # an entry for each process that this one has started
_VERSIONS: Final = ("jaxlib", "numpy", "ml_dtypes", "scipy", "treadle")


def watch() -> None:
    """Count executions of the runtime's programs, and the processes that are started, from now on."""
    created = LoadedExecutable.__init__

    def counting(self: LoadedExecutable, raw: Any, **more: Any) -> None:  # Any: jaxlib's executable
        created(self, raw, **more)
        execute = self.execute_sharded
        name = self.platform

        def execute_and_count(*args: Any, **kwargs: Any) -> Any:
            executed[name] += 1
            return execute(*args, **kwargs)

        self.execute_sharded = execute_and_count

    LoadedExecutable.__init__ = counting  # type: ignore[method-assign]  # for the time of the run
    sys.addaudithook(
        lambda event, _: _started.append(None) if event == "subprocess.Popen" else None
    )


@contextmanager
def noted(item: pytest.Item) -> Iterator[None]:
    """Note with a test what it ran on."""
    before, processes = executed.copy(), len(_started)
    yield
    places = [name for name, count in executed.items() if count > before[name]]
    if len(_started) > processes:
        places.append(PROCESSES)
    item.user_properties.append((PROPERTY, sorted(places) or [HOST]))


def device() -> str:
    """The device under test in words."""
    if PLATFORM == "cpu":
        return platform.processor() or platform.machine()
    import treadle  # noqa: PLC0415 - starts the platform, which tests of the CPU need not

    return str(getattr(treadle.devices()[0], "device_kind", treadle.devices()[0]))


def _file(report: pytest.TestReport) -> str:
    return report.nodeid.partition("::")[0].removeprefix("conformance/")


def summary(stats: dict[str, list[Any]]) -> dict[str, Any]:  # Any: JSON
    """The table of a run: by file, how many tests ran on what, and how many were skipped for which reason."""
    files: dict[str, Counter[str]] = defaultdict(Counter)
    skipped: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in ("passed", "failed"):
        for report in stats.get(outcome, []):
            if report.when == "call":
                for place in dict(report.user_properties).get(PROPERTY, [HOST]):
                    files[_file(report)][place] += 1
    for report in stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        skipped[_file(report)][reason.removeprefix("Skipped: ")] += 1
    versions = {}
    for name in _VERSIONS:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "platform": PLATFORM,
        "python": platform.python_version(),
        "versions": versions,
        "total": dict(sum(files.values(), Counter[str]())),
        "files": {
            name: {"ran on": dict(files[name]), "skipped": dict(skipped[name])}
            for name in sorted({*files, *skipped})
        },
    }


def write(stats: dict[str, list[Any]], terminal: Any, path: str | None, executor: str) -> None:
    """Print the table to pytest's terminal, and write it to `path`."""
    found = {**summary(stats), "executor": executor}
    total = ", ".join(f"{count} on {name}" for name, count in sorted(found["total"].items()))
    terminal.section("what tests ran on")
    terminal.line(f"platform {PLATFORM}, executor {executor}: {total or 'nothing ran'}")
    if path is None:
        terminal.line("(--ran-on FILE writes the counts by file)")
        return
    found["device"] = device()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
