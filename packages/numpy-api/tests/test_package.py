"""The package as a whole: what importing it costs, and the examples of its docstrings."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treadle_numpy as tnp


def test_no_heavy_import() -> None:
    heavy = "('scipy', 'jaxlib', 'opt_einsum')"
    code = (
        f"import sys, treadle_numpy\nprint([m for m in sys.modules if m.split('.')[0] in {heavy}])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


SOURCES = Path(tnp.__file__).parent


@pytest.mark.parametrize(
    "name", sorted(str(path.relative_to(SOURCES)) for path in SOURCES.rglob("[!_]*.py"))
)
def test_examples(name: str) -> None:
    module = importlib.import_module("treadle_numpy." + ".".join(Path(name).with_suffix("").parts))
    failed, _ = doctest.testmod(module, extraglobs={"np": np})
    assert not failed
