"""treadle and jax in one process, imported in either order, both working."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from conformance.parity.conftest import interpreter

_WORK = """
import numpy as np

def works(library, numpy, linalg):
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    f = library.jit(lambda x: (numpy.tanh(x @ x.T) * x.sum()).sum())
    g = library.grad(f)(x)
    rows = library.jit(library.vmap(lambda row: numpy.sort(row) * 2))(x)
    norms = linalg.norm(x, axis=1)
    return [np.asarray(each) for each in (f(x), g, rows, norms)]

for _ in range(2):
    ours = works(treadle, tnp, tnp.linalg)
    theirs = works(jax, jnp, jnp.linalg)
    for left, right in zip(ours, theirs):
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)
    a = np.eye(3, dtype=np.float32) * 2 + 1  # LAPACK, which jax registers with the jaxlib they share
    np.testing.assert_allclose(jnp.linalg.solve(a, a), np.eye(3), atol=1e-5)
assert isinstance(treadle.jit(lambda x: x)(np.asarray(jnp.arange(3))), treadle.Array)
assert isinstance(jax.jit(lambda x: x)(np.asarray(tnp.arange(3))), jax.Array)
"""
_TREADLE = "import treadle, treadle.numpy as tnp\n"
_JAX = "import jax, jax.numpy as jnp\n"


@pytest.mark.parametrize(
    "imports",
    [
        _TREADLE + _JAX,
        _JAX + _TREADLE,
        _TREADLE + "treadle.jit(tnp.sin)(1.0)\n" + _JAX,
        _JAX + "jax.jit(jnp.sin)(1.0)\n" + _TREADLE,
    ],
    ids=["treadle_first", "jax_first", "treadle_used_first", "jax_used_first"],
)
def test_both_work_in_one_process(imports: str) -> None:
    # The tree that is tested, where it is not installed; other packages come from the interpreter with jax.
    kept = [p for p in sys.path if p and "site-packages" not in p and "lib/python" not in p]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(kept)}
    done = subprocess.run(
        [interpreter(), "-c", imports + _WORK], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
