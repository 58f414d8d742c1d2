"""`scripts/rehearse_release.py` takes an sdist and a pure wheel of each distribution, and stops at a failure."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(name="script")
def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "rehearse_release", ROOT / "scripts/rehearse_release.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dist(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).touch()
    return folder


def test_the_files_of_a_distribution_are_found_by_its_whole_name(
    script: Any, tmp_path: Path
) -> None:
    own = ["treadle-0.1.0.tar.gz", "treadle-0.1.0-py3-none-any.whl"]
    dist(tmp_path, *own, "treadle_ir-0.2.0.tar.gz", "treadle_ir-0.2.0-py3-none-any.whl")
    assert script.release("treadle", tmp_path) == ("0.1.0", [tmp_path / name for name in own])
    assert script.release("treadle-ir", tmp_path)[0] == "0.2.0"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["treadle_ir-0.1.0.tar.gz"], "0 pure wheels"),
        (["treadle_ir-0.1.0-cp311-cp311-linux_x86_64.whl"], "0 pure wheels"),
        (
            ["treadle_ir-0.1.0-py3-none-any.whl", "treadle_ir-0.1.1-py3-none-any.whl"],
            "2 pure wheels",
        ),
        (["treadle_ir-0.1.0-py3-none-any.whl"], "no treadle_ir-0.1.0.tar.gz"),
        (
            ["treadle_ir-0.1.0-py3-none-any.whl", "treadle_ir-0.1.1.tar.gz"],
            "no treadle_ir-0.1.0.tar.gz",
        ),
    ],
)
def test_other_files_are_refused(script: Any, tmp_path: Path, names: list[str], said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        script.release("treadle-ir", dist(tmp_path, *names))


def test_a_command_that_fails_ends_the_rehearsal(script: Any) -> None:
    script.run(sys.executable, "-c", "")
    with pytest.raises(SystemExit, match="failed: "):
        script.run(sys.executable, "-c", "raise SystemExit(3)")
