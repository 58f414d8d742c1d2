from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = "import jax.numpy as jnp\n"
TEST = """
import jax
import jax.numpy as jnp

def test_it():
    assert type(jax).__module__ == "treadle_jax.view"
    assert float(jax.grad(jnp.sin)(0.0)) == 1.0
"""


@pytest.mark.parametrize("options", [[], ["-n", "1"]], ids=["one process", "xdist"])
def test_tests_see_treadle(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "treadle_jax", *options, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


FAILING = """
import jax
import jax.numpy as jnp

def test_it():
    jax.jit(lambda x: jnp.add(x, jnp.ones(4)))(jnp.ones(3))
"""


def test_reports_name_the_lines_of_the_test_only(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(FAILING)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "treadle_jax", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "1 failed" in done.stdout, done.stdout + done.stderr
    assert "incompatible shapes for broadcasting: (3,), (4,)" in done.stdout
    assert "treadle_numpy" not in done.stdout
