"""The program as a user runs it, with few steps.

pytest examples/neural_ode/test_fit.py
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FIT = Path(__file__).parent / "fit.py"
FIRST = 2.0003  # what JAX prints as the first loss; test_against_jax.py runs it


def test_it_learns_and_draws(tmp_path: Path) -> None:
    picture = tmp_path / "pelts.png"
    command = [sys.executable, "-m", "treadle_jax", str(FIT), "--steps", "20"]
    command += ["--plot", str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    first = [float(x) for x in re.findall(r"first loss ([\d.]+)", done.stdout)]
    last = [float(x) for x in re.findall(r"last loss ([\d.]+)", done.stdout)]
    assert len(first) == len(last) == 2
    assert first[0] == pytest.approx(FIRST, rel=1e-3)
    assert last[0] < 0.5 * first[0]
    assert picture.read_bytes().startswith(b"\x89PNG")
