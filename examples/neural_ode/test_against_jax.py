"""The whole training, on treadle and on JAX: both learn, from the same start.

pytest examples/neural_ode/test_against_jax.py           a minute and more: `nox -s clients-long` runs it
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

FIT = Path(__file__).parent / "fit.py"


def losses(*options: str) -> tuple[list[float], list[float]]:
    """The first and the last loss of both trainings."""
    command = [sys.executable, *options, str(FIT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    first, last = (
        [float(x) for x in re.findall(rf"{when} loss ([\d.]+)", done.stdout)]
        for when in ("first", "last")
    )
    return first, last


def test_both_learn_from_the_same_start() -> None:
    ours, jax = losses("-m", "treadle_jax"), losses()
    assert ours[0][0] == pytest.approx(jax[0][0], rel=1e-3)
    for _, last in (ours, jax):  # rounding grows over the steps: the ends are near, and no more
        assert last[0] < 0.06
        assert last[1] < 0.15
