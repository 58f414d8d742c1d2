"""What each test ran on: programs on the platform under test, processes of its own, or NumPy on the host.

`conftest.py` notes it for each test; at the end of a run a table by law is printed, and with `--ran-on FILE` it is
written as JSON, with the device and the versions.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import pytest

from conformance.platform import PLATFORM
from conformance.xla_runner import executed
from treadle_compiler import LoadedExecutable

P = ParamSpec("P")
T = TypeVar("T")

PROPERTY: Final = "ran on"
HOST: Final = "host"
PROCESSES: Final = "processes"
_started: Final[
    list[str]
] = []  # the platform of each process that this one has started, or used again
_BEFORE: Final = pytest.StashKey[tuple[Counter[str], int]]()
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
        lambda event, args: used(_platform_of(args[3])) if event == "subprocess.Popen" else None
    )


def _platform_of(environment: Mapping[str, str] | None) -> str:
    """Return the platform that a process's variables select; without any it chooses by itself."""
    given = os.environ if environment is None else environment
    for name in ("TREADLE_PLATFORMS", "JAX_PLATFORMS"):
        if name in given:
            return given[name].partition(",")[0].strip() or "default"
    return "default"


def used(platform: str) -> None:
    """Note that a test uses a process on this platform, which may have been started for another test."""
    _started.append(platform)


def shared(function: Callable[P, T]) -> Callable[P, T]:
    """A function that starts processes the first time; its results serve other tests, which have used them, too.

    Arguments are hashable, and given by position.
    """
    results: dict[Any, tuple[T, list[str]]] = {}

    def kept(*args: P.args, **kwargs: P.kwargs) -> T:
        if args not in results:
            before = len(_started)
            result = function(*args, **kwargs)
            results[args] = result, _started[before:]
        else:
            _started.extend(results[args][1])
        return results[args][0]

    return kept


def begin(item: pytest.Item) -> None:
    """Before a test's fixtures are made: remember what has run until now."""
    item.stash[_BEFORE] = executed.copy(), len(_started)


def note(item: pytest.Item) -> None:
    """After a test: note with it what it and its fixtures ran on."""
    before, processes = item.stash[_BEFORE]
    places = {name for name, count in executed.items() if count > before[name]}
    places |= {f"{PROCESSES} on {platform}" for platform in _started[processes:]}
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


def _shown(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[name]} on {name}" for name in sorted(counts)) or "nothing ran"


def by_law(files: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """The counts of each law: of a file of this folder, and of a folder of it."""
    laws: dict[str, Counter[str]] = defaultdict(Counter)
    for name, file in files.items():
        law = name.partition("/")[0].removesuffix(".py")
        laws[law] += Counter(file["ran on"])
        skipped = sum(file["skipped"].values())
        if skipped:
            laws[law]["nothing (skipped)"] += skipped
    return laws


def write(stats: dict[str, list[Any]], terminal: Any, path: str | None, executor: str) -> None:
    """Print the table to pytest's terminal, and write it to `path`."""
    found = {**summary(stats), "executor": executor}
    terminal.section("what tests ran on")
    terminal.line(f"platform {PLATFORM}, executor {executor}: {_shown(found['total'])}")
    for name, counts in by_law(found["files"]).items():
        terminal.line(f"  {name}: {_shown(counts)}")
    if path is None:
        terminal.line("(--ran-on FILE writes the counts by file)")
        return
    found["device"] = device()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
