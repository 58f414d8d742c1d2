"""`scripts/siblings.py` sees a package that needs a newer sibling than it declares, and jaxlib's range stands once."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from treadle_compiler.library import WANTED

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(name="script")
def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("siblings", ROOT / "scripts/siblings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """Two packages: `b` takes a name from `a`, whose first release is out."""
    for name, text in {"a": "one = 1\n", "b": "from treadle_a import one\n"}.items():
        folder = tmp_path / "packages" / name
        source = folder / "src" / f"treadle_{name}"
        source.mkdir(parents=True)
        (source / "__init__.py").write_text(text)
        (source / "_version.py").write_text('__version__ = "0.1.0"\n')
        (folder / "CHANGELOG.md").write_text("## [0.1.0] - 2026-12-01\n")
        needs = '"treadle-a>=0.1,<0.2"' if name == "b" else ""
        (folder / "pyproject.toml").write_text(f"[project]\ndependencies = [{needs}]\n")
    (tmp_path / "packages/a/since.txt").write_text("0.1.0 treadle_a.one\n")
    return tmp_path


def test_what_is_declared_is_enough(script: Any, tree: Path) -> None:
    assert script.problems(tree) == []


@pytest.mark.parametrize(
    "line",
    [
        "from treadle_a import one, two\n",
        "import treadle_a\nx = treadle_a.two\n",
        "import treadle_a as a\nx = a.two\n",
        "if True:\n    def f():\n        from treadle_a import two\n",
    ],
)
def test_a_new_name_asks_for_the_next_release(script: Any, tree: Path, line: str) -> None:
    (tree / "packages/b/src/treadle_b/__init__.py").write_text(line)
    assert script.problems(tree) == ["treadle_a.two is not recorded: scripts/siblings.py --write"]
    script.write(tree)
    (problem,) = script.problems(tree)
    assert problem.startswith("treadle_b takes treadle_a.two, which came in 0.1.1, and declares")
    project = tree / "packages/b/pyproject.toml"
    project.write_text(project.read_text().replace(">=0.1,", ">=0.1.1,"))
    assert script.problems(tree) == []


def test_before_the_first_release_new_names_come_with_it(script: Any, tree: Path) -> None:
    (tree / "packages/a/CHANGELOG.md").write_text("## [0.1.0] - unreleased\n")
    (tree / "packages/b/src/treadle_b/__init__.py").write_text("from treadle_a import two\n")
    script.write(tree)
    assert script.problems(tree) == []


def test_what_is_not_declared_is_told_of(script: Any, tree: Path) -> None:
    (tree / "packages/b/pyproject.toml").write_text("[project]\ndependencies = []\n")
    (problem,) = script.problems(tree)
    assert problem == "treadle_b takes names from treadle_a and does not declare it"
    shutil.rmtree(tree / "packages/b")
    assert script.problems(tree) == []


@pytest.mark.parametrize("package", ["compiler", "runtime"])
def test_the_range_of_jaxlib_is_the_one_that_is_declared(package: str) -> None:
    text = (ROOT / "packages" / package / "pyproject.toml").read_text()
    assert re.findall(r'"jaxlib([^"]*)"', text) == [WANTED]


def test_a_sibling_of_an_extra_is_declared(script: Any, tree: Path) -> None:
    project = tree / "packages/b/pyproject.toml"
    project.write_text("[project]\ndependencies = []\n")
    (found,) = script.problems(tree)
    assert "does not declare it" in found
    extra = '[project.optional-dependencies]\na = ["treadle-a[x]>=0.1,<0.2"]\n'
    project.write_text(f"[project]\ndependencies = []\n{extra}")
    assert script.problems(tree) == []
