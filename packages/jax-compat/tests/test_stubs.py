"""The stub package `jax-stubs`: it has modules that `import jax` gives, and whatever they offer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import treadle_jax

STUBS = Path(treadle_jax.__file__).parents[1] / "jax-stubs"

IMPORTING = """
import importlib, sys
import treadle_jax
treadle_jax.install()
for name in sys.argv[1:]:
    importlib.import_module(name)
print(len(sys.argv) - 1)
"""


def modules() -> list[str]:
    found = []
    for file in sorted(STUBS.rglob("*.pyi")):
        parts = file.relative_to(STUBS).with_suffix("").parts
        found.append(".".join(["jax", *(part for part in parts if part != "__init__")]))
    return found


def test_each_module_can_be_imported() -> None:
    names = modules()
    assert {"jax", "jax.numpy", "jax.lax", "jax.ffi", "jax.scipy.stats.norm"} <= set(names)
    run = subprocess.run(
        [sys.executable, "-c", IMPORTING, *names], capture_output=True, text=True, timeout=300
    )
    assert run.stdout.strip() == str(len(names)), run.stderr


def test_is_partial_for_checkers_that_also_find_jax() -> None:
    assert (STUBS / "py.typed").read_text() == "partial\n"
    assert "from treadle.numpy import *" in (STUBS / "numpy" / "__init__.pyi").read_text()
