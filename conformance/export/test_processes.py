"""An artefact is the same in every process, and runs in a process that does not have the function."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xla

_WRITE = """
import sys, treadle, treadle.numpy as tnp
from treadle import export
weights = tnp.linspace(0.0, 1.0, 12).reshape(4, 3)
f = treadle.jit(lambda x, scale: {"y": tnp.tanh(x @ weights) * scale})
e = export.export(f, platforms=["cpu", "cuda", "tpu"])(tnp.ones((2, 4)), scale=2.0)
open(sys.argv[1], "wb").write(e.serialize(vjp_order=1))
"""

_READ = """
import sys, treadle, treadle.numpy as tnp, numpy as np
from treadle import export
e = export.deserialize(open(sys.argv[1], "rb").read())
x = np.linspace(-1, 1, 8).reshape(2, 4)
w = np.linspace(0.0, 1.0, 12).reshape(4, 3)
found = e.call(tnp.asarray(x, "float32"), scale=3.0)["y"]
np.testing.assert_allclose(found, np.tanh(x @ w) * 3, rtol=1e-6)
ct = treadle.grad(lambda x: e.call(x, scale=3.0)["y"].sum())(tnp.asarray(x, "float32"))
np.testing.assert_allclose(ct, 3 * (1 - np.tanh(x @ w) ** 2) @ w.T, rtol=1e-5)
"""


def _run(script: str, file: Path, seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_written_and_read_elsewhere(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    _run(_WRITE, one, "1")
    _run(_WRITE, other, "2")
    assert one.read_bytes() == other.read_bytes()
    _run(_READ, one, "3")
