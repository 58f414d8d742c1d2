"""What treadle imports: never jax, and neither jaxlib nor SciPy before they are needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.programs

_TRIPWIRE = """
import sys

class Tripwire:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "jax":
            raise AssertionError(f"something imports {name}")

sys.meta_path.insert(0, Tripwire())
"""

_EVERYTHING = """
import pkgutil
import numpy as np
import treadle
import treadle.numpy as tnp
from treadle import lax, nn, random

for module in pkgutil.walk_packages(treadle.__path__, "treadle."):
    __import__(module.name)
assert "jax" not in sys.modules

x = treadle.device_put(np.arange(6.0).reshape(2, 3))
f = treadle.jit(lambda x: tnp.tanh(x @ x.T).sum())
assert f(x).shape == ()
assert treadle.grad(f)(x).shape == (2, 3)
assert treadle.vmap(treadle.value_and_grad(lambda row: nn.softmax(row)[0]))(x)[1].shape == (2, 3)
assert treadle.jit(treadle.vmap(lambda row: tnp.sort(row)))(x).shape == (2, 3)
assert lax.fori_loop(0, 3, lambda i, s: s + i, 0) == 3
assert treadle.device_get(random.normal(random.key(0), (3,))).shape == (3,)
assert f.lower(x).compile().as_text()
treadle.pure_callback(np.sin, treadle.ShapeDtypeStruct((), np.float32), 1.0)
assert not [name for name in sys.modules if name == "jax" or name.startswith("jax.")]
"""

_LAZY = """
import ml_dtypes, numpy
before = {*sys.modules}
import treadle
late = ("treadle_autodiff", "treadle_batching", "treadle_compiler.lower", "treadle_ir.rewrite")
early = [name for name in late if name in sys.modules]
assert not early, early  # half of the time of `import treadle`
import treadle.numpy, treadle.lax, treadle.random, treadle.nn, treadle.tree
early = [name for name in sys.modules if name.partition(".")[0] in ("jax", "jaxlib", "scipy")]
assert not early, early
early = {"pathlib", "urllib.parse"} & {*sys.modules} - before
assert not early, early  # one twentieth of the time, for a file's name in a message
treadle.numpy.arange(3) * 2.5
treadle.jit(lambda x: x + 1)(1.0)
assert "jaxlib" in sys.modules  # the test can see it
"""

_FIRST = """
import numpy, treadle, treadle.numpy as tnp
before = {*sys.modules}
ones = numpy.ones((2, 2), numpy.float32)
numpy.asarray(treadle.jit(treadle.grad(lambda w: tnp.mean(tnp.tanh(ones @ w) ** 2)))(ones))
added = [name for name in {*sys.modules} - before if name.startswith("treadle")]
assert len(added) <= 145, len(added)  # 143; each module takes a thousandth of the time of such a process
others = [
    "treadle_autodiff.rules.control", "treadle_compiler.lowering.window", "treadle_ir.primitives.control",
    "treadle_ir.analysis.verifier", "treadle_ir.formulas.table", "treadle_compiler.collectives",
    "treadle_compiler.unreduced", "treadle_runtime.jitting.stages", "treadle_autodiff.checkpoint",
]
assert not {*others} & {*added}, {*others} & {*added}
"""


def run(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TRIPWIRE + script], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_nothing_imports_jax() -> None:
    run(_EVERYTHING)


def test_jaxlib_and_scipy_wait_until_they_are_needed() -> None:
    run(_LAZY)


def test_the_first_jitted_gradient_imports_what_it_needs() -> None:
    run(_FIRST)
