"""A jaxlib that treadle does not work with is refused when it is first needed, in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from treadle_compiler.library import supported_release

USES = {
    "compiling": "from treadle_compiler import jaxlib; jaxlib()",
    "lowering": "from treadle_compiler.mlir import mlir; mlir()",
}


def _run(tmp_path: Path, release: str, code: str) -> str:
    package = tmp_path / "jaxlib"
    package.mkdir()
    (package / "__init__.py").write_text(f"__version__ = {release!r}\n")
    done = subprocess.run(
        [sys.executable, "-c", f"import treadle_compiler; print('imported'); {code}"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "imported\n"
    return done.stderr


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("release", ["0.4.38", "0.9.0", "0.13.0"])
def test_it_is_refused(tmp_path: Path, release: str, use: str) -> None:
    shown = _run(tmp_path, release, USES[use])
    assert (
        f"ImportError: treadle needs jaxlib >=0.10.2,<0.13, but jaxlib {release} is installed\n"
        '  fix: python -m pip install "jaxlib>=0.10.2,<0.13"'
    ) in shown


def test_the_one_here_is_supported() -> None:
    assert supported_release().startswith("0.1")
