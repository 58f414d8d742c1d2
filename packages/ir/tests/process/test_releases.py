"""Releases of other libraries that treadle cannot work with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import ml_dtypes
import pytest

from treadle_ir.process.releases import refuse_without, release_of


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("0.10.2", (0, 10, 2)),
        ("0.12.0.1", (0, 12, 0)),
        ("1.2", (1, 2, 0)),
        ("0.13.0.dev20261128", (0, 13, 0)),
        ("2.0rc1", (2, 0, 0)),
        ("unknown", (0, 0, 0)),
    ],
)
def test_release_of(text: str, release: tuple[int, int, int]) -> None:
    assert release_of(text) == release


def test_what_is_lacking_is_named() -> None:
    library = SimpleNamespace(__name__="ml_dtypes", int2=1)
    refuse_without(library, "0.5.4", ">=0.6", ["int2"])
    with pytest.raises(ImportError) as caught:
        refuse_without(library, "0.5.4", ">=0.6", ["int2", "int1"])
    assert str(caught.value) == (
        "treadle needs ml_dtypes >=0.6, but ml_dtypes 0.5.4 is installed, which lacks int1"
    )
    assert caught.value.__notes__ == ['  fix: python -m pip install "ml_dtypes>=0.6"']


def test_an_old_ml_dtypes_is_told_of_at_import(tmp_path: Path) -> None:
    real = Path(ml_dtypes.__file__).parent
    (tmp_path / "ml_dtypes.py").write_text(
        "import importlib.util, sys\n"
        f"spec = importlib.util.spec_from_file_location('real', {str(real / '__init__.py')!r}, "
        f"submodule_search_locations=[{str(real)!r}])\n"
        "real = importlib.util.module_from_spec(spec)\n"
        f"__path__ = [{str(real)!r}]\n"
        "sys.modules['real'] = real\n"
        "spec.loader.exec_module(real)\n"
        "globals().update({k: v for k, v in vars(real).items() if k[:2] != '__'})\n"
        "del float8_e8m0fnu\n"
        "__version__ = '0.4.0'\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import treadle_ir"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert "but ml_dtypes 0.4.0 is installed, which lacks float8_e8m0fnu" in done.stderr
    assert "fix: python -m pip install " in done.stderr
