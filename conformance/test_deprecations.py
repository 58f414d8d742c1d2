"""`scripts/deprecations.py` finds what is deprecated and overdue, or deprecated too shortly; the tree has neither."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(name="script")
def _script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("deprecations", ROOT / "scripts/deprecations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "deprecations", module)  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def tree(folder: Path, version: str, line: str) -> Path:
    """Return a tree of one package, of a version, whose source has one line."""
    package = folder / "packages/a/src/treadle_a"
    package.mkdir(parents=True)
    (package / "_version.py").write_text(f'__version__ = "{version}"\n')
    (package / "names.py").write_text(line)
    return folder


def marked(since: str, until: str) -> str:
    return f'@deprecated(since="{since}", until="{until}", instead="use `b`")\ndef a(): ...\n'


def test_nothing_of_the_tree_is_overdue(script: Any) -> None:
    found = [each.file for each, _ in script.deprecations(ROOT)]
    assert "packages/runtime/src/treadle_runtime/jitting/jit.py" in found
    assert script.problems(ROOT) == []


@pytest.mark.parametrize(
    ("version", "line", "said"),
    [
        ("0.4.0", marked("0.2", "0.4"), "remove it"),
        ("0.10.0", marked("0.2", "0.4"), "remove it"),
        ("1.0.0", marked("0.2", "0.4.1"), "remove it"),
        ("0.2.0", marked("0.3", "0.5"), "not this version yet"),
        ("0.2.0", marked("0.2", "0.3"), "less than two minor releases"),
        ("0.2.0", "warn_deprecated('x', since='0.1', until='0.2', instead='y')\n", "remove it"),
        ("0.2.0", "warn_deprecated('x', since='0.1', until=LATER, instead='y')\n", "as strings"),
        ("0.2.0", "deprecated(since='0.1', until='0.3')(f)\n", "as strings"),
    ],
)
def test_what_is_against_the_policy_is_found(
    script: Any, tmp_path: Path, version: str, line: str, said: str
) -> None:
    (found,) = script.problems(tree(tmp_path, version, line))
    assert found.startswith("packages/a/src/treadle_a/names.py:1: ")
    assert said in found


@pytest.mark.parametrize("version", ["0.2.0", "0.3.9"])
def test_what_is_within_its_time_is_no_problem(script: Any, tmp_path: Path, version: str) -> None:
    assert script.problems(tree(tmp_path, version, marked("0.2", "0.4"))) == []
