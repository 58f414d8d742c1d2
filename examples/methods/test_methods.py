"""Each program as a user runs it: it ends well, and what it prints is what the method should find.

pytest examples/methods
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
SHOWN = {  # a pattern of what is printed, whose groups are numbers, and bounds for each
    "autoencoder": (r"epoch 29: ([\d.]+) nats", [(20, 28)]),
    "gaussian_process": (
        r"amplitude ([\d.]+), length ([\d.]+), noise ([\d.]+)",
        [(0.8, 1.4), (0.6, 1.1), (0.15, 0.3)],
    ),
    "graph_network": (r"(\d+) of 34 people, from 2 labels", [(30, 34)]),
    "hamiltonian": (r"mean effect ([\d.]+) \+- ([\d.]+)", [(3.4, 5.4), (2.8, 3.8)]),
    "implicit": (r"derivative (-?[\d.]+), by differences (-?[\d.]+)", [(0.0283, 0.0284)] * 2),
    "kalman_smoother": (r"noise of the measurements: ([\d.]+)", [(1.7, 2.3)]),
    "newton_logistic": (r" -2.00 +(-[\d.]+)", [(-2.3, -1.7)]),
    "private_training": (r"private to epsilon = ([\d.]+)", [(1, 3)]),
    "registration": (r"found +(-?[\d.]+) +(-?[\d.]+)", [(0.1, 0.14), (0.94, 0.96)]),
    "spectral_waves": (r"([\d.]+) before and ([\d.]+) after", [(1.99, 2.01), (1.95, 2.01)]),
}
DRAWN = ("autoencoder", "gaussian_process", "spectral_waves")


def test_every_program_is_here() -> None:
    programs = {path.stem for path in FOLDER.glob("*.py")} - {Path(__file__).stem}
    assert programs == {*SHOWN}


@pytest.mark.parametrize("name", SHOWN)
def test_it_finds_what_it_should(name: str, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    words = ["--plot", str(picture)] if name in DRAWN else []
    command = [sys.executable, str(FOLDER / f"{name}.py"), *words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    pattern, bounds = SHOWN[name]
    found = re.search(pattern, result.stdout)
    assert found is not None, result.stdout
    for number, (low, high) in zip(map(float, found.groups()), bounds, strict=True):
        assert low <= number <= high, result.stdout
    assert picture.exists() == bool(words)
    if words:
        assert picture.read_bytes().startswith(b"\x89PNG")
