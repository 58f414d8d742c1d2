"""The program as a user runs it, on JAX and on treadle: the same losses at the start, and learning on both.

pytest examples/neural_ode                              few steps
NEURAL_ODE_STEPS=full pytest examples/neural_ode        as many as the README's
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FIT = Path(__file__).parent / "fit.py"
FULL = os.environ.get("NEURAL_ODE_STEPS") == "full"
WAYS = {"treadle": ["-m", "treadle_jax"], "jax": []}


def losses(way: str, *options: str) -> tuple[list[float], list[float]]:
    """The first and last losses of both trainings."""
    command = [sys.executable, *WAYS[way], str(FIT), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    first = [float(x) for x in re.findall(r"first loss ([\d.]+)", done.stdout)]
    last = [float(x) for x in re.findall(r"last loss ([\d.]+)", done.stdout)]
    return first, last


def test_it_learns_and_draws(tmp_path: Path) -> None:
    picture = tmp_path / "pelts.png"
    options = [] if FULL else ["--steps", "20"]
    first, last = losses("treadle", *options, "--plot", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(first) == len(last) == 2
    assert last[0] < (0.06 if FULL else 0.5 * first[0])
    if FULL:
        assert last[1] < 0.15


@pytest.mark.skipif(not FULL, reason="JAX alone takes half a minute: `nox -s clients-long`")
def test_it_learns_as_on_jax() -> None:
    ours, jax = losses("treadle"), losses("jax")
    assert ours[0][0] == pytest.approx(jax[0][0], rel=1e-3)
    # rounding grows over the steps: the ends are alike, and no more
    assert ours[1][0] == pytest.approx(jax[1][0], rel=0.2)
