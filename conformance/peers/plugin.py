"""A pytest plugin that runs conformance/faq on another system than treadle, named by TREADLE_SUT.

    TREADLE_SUT=jax  python -m pytest -p conformance.peers.plugin --confcutdir=conformance/faq conformance/faq
    TREADLE_SUT=hook python -m pytest -p conformance.peers.plugin --confcutdir=conformance/faq conformance/faq

With `jax`, where treadle is not installed, the name `treadle` means JAX. With `hook` the tests get the modules that
treadle_jax puts behind JAX's names. A row in which a peer differs by intention is expected to fail
(`differences.py`); any other failure on JAX is a fault of the test, and one under the hook a fault of the hook.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Final

import pytest

from conformance.peers.differences import DIFFERENCES

# Under another name for rows.py and for workers: treadle warns of variables of its own that it does not know.
SUT: Final = os.environ.pop("TREADLE_SUT", "") or os.environ.get("CONFORMANCE_SUT", "")
os.environ["CONFORMANCE_SUT"] = SUT


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
    return next((key for key in keys if key in DIFFERENCES[SUT]), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SUT == "hook":
            _behind_jaxs_names(item)
        key = difference(item.name)
        if key is not None:
            item.add_marker(pytest.mark.xfail(reason=DIFFERENCES[SUT][key], strict=False))
        for kind in ("gpu", "tpu"):
            if item.get_closest_marker(kind) is not None:
                item.add_marker(pytest.mark.skip(reason="needs an accelerator"))


def unseen(stats: dict[str, list[Any]]) -> list[str]:
    """The differences that a run of all rows has not seen."""
    seen = {difference(each.nodeid.rpartition("::")[2]) for each in stats.get("xfailed", [])}
    ran = sum(len(stats.get(each, [])) for each in ("passed", "xfailed", "failed"))
    return sorted(DIFFERENCES[SUT].keys() - seen) if ran > 300 else []


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for key in unseen(terminalreporter.stats):
        terminalreporter.line(f"FAILED: no difference any more: {key}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and unseen(reporter.stats):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _behind_jaxs_names(item: pytest.Item) -> None:
    """Give a test's module the modules that `import jax` gives, in the place of treadle's own."""
    names = vars(getattr(item, "module"))  # noqa: B009 - pytest.Item has none, pytest.Function has
    for name, value in list(names.items()):
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "treadle":
            jaxs = "jax" + value.__name__.removeprefix("treadle")
            if importlib.util.find_spec(jaxs) is not None:
                names[name] = importlib.import_module(jaxs)
