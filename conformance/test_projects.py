"""`scripts/projects.py` sees metadata in which the distributions differ, and the tree as it is agrees."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(name="script")
def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("projects", ROOT / "scripts/projects.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """Return a copy of the tables that the script reads."""
    for name in ("noxfile.py", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    for file in ROOT.glob("packages/*/pyproject.toml"):
        folder = tmp_path / file.relative_to(ROOT).parent
        folder.mkdir(parents=True)
        shutil.copy(file, folder)
    version = tmp_path / "packages/treadle/src/treadle/_version.py"
    version.parent.mkdir(parents=True)
    shutil.copy(ROOT / version.relative_to(tmp_path), version)
    return tmp_path


def test_the_nine_distributions_agree(script: Any, tree: Path) -> None:
    assert len(script.projects(tree)) == 9
    assert script.problems(tree) == []


@pytest.mark.parametrize(
    ("folder", "old", "new", "said"),
    [
        ("numpy-api", "Apache-2.0", "MIT", "`license` is not the same"),
        ("ir", "/blob/main/packages/ir/", "/blob/main/packages/runtime/", "write `Changelog ="),
        ("insight", '    "XLA",\n', "", "the keywords lack XLA"),
        ("compiler", '    "array programming",\n', "", "the keywords lack array programming"),
        ("batching", '"XLA"', '"XLA", "a"', "sort the keywords"),
        ("runtime", '    "Programming Language :: Python :: 3.14",\n', "", "noxfile.py tests"),
        ("runtime", "tpu =", "tpus =", "does not ask for treadle-runtime[tpus]"),
        ("treadle", "treadle-runtime[cuda13]", "treadle-runtime[cuda12]", "`cuda13` does not ask"),
    ],
)
def test_a_difference_is_found(
    script: Any, tree: Path, folder: str, old: str, new: str, said: str
) -> None:
    file = tree / "packages" / folder / "pyproject.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    assert any(said in problem for problem in script.problems(tree))


def test_the_citation_names_the_version_of_treadle(script: Any, tree: Path) -> None:
    (tree / "packages/treadle/src/treadle/_version.py").write_text('__version__ = "0.1.10"\n')
    assert script.problems(tree) == [
        "CITATION.cff: write `version: 0.1.10`, the version of treadle"
    ]
