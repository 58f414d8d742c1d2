"""What `pip install .` and `uv sync` install at the root of the repository: every distribution, from its folder."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(name="backend")
def _backend() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "workspace_backend", ROOT / "scripts/workspace_backend.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def distributions() -> dict[str, Path]:
    files = sorted(ROOT.glob("packages/*/pyproject.toml"))
    return {tomllib.loads(file.read_text())["project"]["name"]: file.parent for file in files}


def test_the_root_names_every_distribution_for_pip_and_for_uv() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text())
    names = sorted(distributions())
    assert sorted(root["project"]["dependencies"]) == names
    assert sorted(root["tool"]["uv"]["sources"]) == names
    assert all(source == {"workspace": True} for source in root["tool"]["uv"]["sources"].values())


def test_every_extra_of_the_root_is_one_of_treadle() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    facade = tomllib.loads((ROOT / "packages/treadle/pyproject.toml").read_text())["project"]
    assert {*root["optional-dependencies"]} <= {*facade["optional-dependencies"]}
    for extra, requirements in root["optional-dependencies"].items():
        assert requirements == [f"treadle[{extra}]"]


def test_the_wheel_requires_each_distribution_from_its_folder(backend: Any, tmp_path: Path) -> None:
    name = backend.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        files = {path: wheel.read(path) for path in wheel.namelist()}
    metadata = files["treadle_workspace-0.dist-info/METADATA"].decode()
    required = [
        line.removeprefix("Requires-Dist: ").split(" @ ")
        for line in metadata.splitlines()
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    ]
    found = {each: Path(url2pathname(urlparse(url).path)) for each, url in required}
    assert found == distributions()
    # Pip only warns of a wrong RECORD; uv refuses to uninstall by it.
    rows = list(csv.reader(files["treadle_workspace-0.dist-info/RECORD"].decode().splitlines()))
    assert {row[0] for row in rows} == {*files}
    for path, digest, size in rows:
        if digest:
            code = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).decode()
            assert digest == "sha256=" + code.rstrip("=")
            assert int(size) == len(files[path])


def test_a_requirement_that_is_not_of_the_tree_is_refused(backend: Any) -> None:
    folders = backend.places(ROOT)
    assert backend.located("treadle[tpu]", folders).startswith("treadle[tpu] @ file:")
    for wrong in ("numpy", "treadle>=0.1"):
        with pytest.raises(ValueError, match="not a distribution of this tree"):
            backend.located(wrong, folders)
