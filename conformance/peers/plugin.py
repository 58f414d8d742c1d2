"""A pytest plugin that runs conformance/faq and laws.py on a system under test that TREADLE_SUT names.

    TREADLE_SUT=jax python -m pytest -p conformance.peers.plugin --confcutdir=conformance/faq \\
        conformance/faq conformance/peers/laws.py

With `jax`, where treadle is not installed, the name `treadle` means JAX. With `hook` the tests get the modules that
treadle_jax puts behind JAX's names. A row in which a peer differs by intention is expected to fail
(`differences.py`); any other failure on JAX is a fault of the test, and one under the hook a fault of the hook.
`--report=FILE` writes the counts into a JSON file, which also holds the counts of other peers and versions.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from conformance.peers.differences import differences

# Under another name for rows.py and for workers: treadle warns of variables of its own that it does not know.
SUT: Final = os.environ.pop("TREADLE_SUT", "") or os.environ.get("CONFORMANCE_SUT", "")
os.environ["CONFORMANCE_SUT"] = SUT
# What the hook has as a version is its own: the jaxlib under it says which JAX is meant.
DIFFERENCES: Final = differences(SUT, version("jax" if SUT == "jax" else "jaxlib"))
FEWEST: Final = 300  # tests of a run of all; a part need not see every difference


class UnderJaxsName(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `treadle.x` as `jax.x`."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("treadle."):
            return None
        try:
            importlib.import_module("jax" + name.removeprefix("treadle"))
        except ImportError:
            return None
        return importlib.util.spec_from_loader(name, self, origin="jax")

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return importlib.import_module("jax" + spec.name.removeprefix("treadle"))

    def exec_module(self, module: ModuleType) -> None:
        """JAX has done that."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--report", type=Path, help="write the counts into this JSON file")


def pytest_configure(config: pytest.Config) -> None:
    if SUT == "jax":
        sys.modules["treadle"] = importlib.import_module("jax")
        sys.meta_path.insert(0, UnderJaxsName())
    elif SUT == "hook":
        treadle_jax: Any = importlib.import_module("treadle_jax")
        treadle_jax.install()
    else:
        raise pytest.UsageError(f"TREADLE_SUT is {SUT!r}: set it to jax or hook")
    for line in (
        "row: the rows of the FAQ that a test proves",
        "programs: a law about programs alone",
    ):
        config.addinivalue_line("markers", line)


def pytest_report_header() -> str:
    jax: Any = importlib.import_module("jax")
    return f"system under test: {SUT}, jax {jax.__version__} from {jax.__spec__.origin}"


def difference(name: str) -> str | None:
    """The key of the difference that a test's name falls under, if any."""
    keys = (name, name.partition("[")[0])
    return next((key for key in keys if key in DIFFERENCES), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SUT == "hook":
            _behind_jaxs_names(item)
        key = difference(item.name)
        if key is not None:
            # One key may name several cases, of which some agree; `unseen` fails a run in which all of them do.
            item.add_marker(pytest.mark.xfail(reason=DIFFERENCES[key], strict=False))
        for kind in ("gpu", "tpu"):
            if item.get_closest_marker(kind) is not None:
                item.add_marker(pytest.mark.skip(reason="needs an accelerator"))


def unseen(stats: dict[str, list[Any]]) -> list[str]:
    """The differences that a run of all rows has not seen."""
    seen = {difference(each.nodeid.rpartition("::")[2]) for each in stats.get("xfailed", [])}
    ran = sum(len(stats.get(each, [])) for each in ("passed", "xfailed", "failed"))
    return sorted(DIFFERENCES.keys() - seen) if ran > FEWEST else []


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for key in unseen(terminalreporter.stats):
        terminalreporter.line(f"FAILED: no difference any more: {key}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    if unseen(reporter.stats):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    report: Path | None = session.config.getoption("--report")
    if report is not None:
        written = json.loads(report.read_text()) if report.exists() else {}
        jaxlib = version("jaxlib")
        written[f"{SUT}, jaxlib {jaxlib}"] = counted(reporter.stats)
        report.write_text(json.dumps(written, indent=2, sort_keys=True) + "\n")


def counted(stats: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the counts of a run, with the versions that it ran on."""
    packages = ["jax" if SUT == "jax" else "treadle", "jaxlib", "numpy", "pytest", "hypothesis"]
    failed = [each.nodeid for key in ("failed", "error") for each in stats.get(key, [])]
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "versions": {"python": platform.python_version(), **{p: version(p) for p in packages}},
        "passed": len(stats.get("passed", [])) + len(stats.get("xpassed", [])),
        "expected differences": len(stats.get("xfailed", [])),
        "skipped": len(stats.get("skipped", [])),
        "unexpected": [*failed, *(f"no difference any more: {key}" for key in unseen(stats))],
    }


def _behind_jaxs_names(item: pytest.Item) -> None:
    """Give a test's module the modules that `import jax` gives, in the place of treadle's own."""
    names = vars(getattr(item, "module"))  # noqa: B009 - pytest.Item has none, pytest.Function has
    for name, value in list(names.items()):
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "treadle":
            jaxs = "jax" + value.__name__.removeprefix("treadle")
            if importlib.util.find_spec(jaxs) is not None:
                names[name] = importlib.import_module(jaxs)
