"""Artefacts of former releases load for ever, and compute what they did.

`python -m conformance.export.test_releases` writes the artefact of this release; it is written once, when a release is
made, and never again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import export, lax

pytestmark = pytest.mark.xla

FOLDER: Final = Path(__file__).parent / "artefacts"
W: Final = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
X: Final = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)


def function(x: Any, options: Any) -> Any:
    """Operations of many families, nested programs, captured arrays, random keys and custom rules."""

    def step(carry: Any, row: Any) -> Any:
        carry = lax.cond(row.sum() > 0, tnp.sin, tnp.cos, carry) + row
        return carry, tnp.sort(carry)

    carry, rows = lax.scan(step, tnp.zeros(3), treadle.nn.relu(x @ tnp.asarray(W)))
    noise = treadle.random.bits(treadle.random.key(options["seed"]), (2,), "uint32")
    count = lax.while_loop(lambda n: n < 10, lambda n: n * 2 + 1, options["start"])
    return {"carry": carry, "rows": [rows, (x[:, 1:3] > 0).astype(tnp.int8)]}, (noise, count, None)


def twin(x: Any, start: int) -> tuple[Any, Any, int]:
    """The values that NumPy gives, in float64, for what is not random."""
    carry, rows = np.zeros(3), []
    for row in np.maximum(x.astype(float) @ W, 0):
        carry = (np.sin(carry) if row.sum() > 0 else np.cos(carry)) + row
        rows.append(np.sort(carry))
    while start < 10:
        start = start * 2 + 1
    return carry, np.array(rows), start


def write() -> Path:
    """Write the artefact of this release."""
    file = FOLDER / f"treadle-{treadle.__version__}.bin"
    exported = export.export(treadle.jit(function), platforms=["cpu", "cuda", "tpu"])(
        X, {"seed": 7, "start": 1}
    )
    file.write_bytes(exported.serialize(vjp_order=1))
    return file


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.bin")), ids=lambda file: file.stem)
def test_loads_and_computes(file: Path) -> None:
    exported = export.deserialize(file.read_bytes())
    assert exported.fun_name == "function"
    assert exported.platforms == ("cpu", "cuda", "tpu")
    with treadle.enable_x64(False):
        arguments = tnp.asarray(X), {"seed": 7, "start": 1}
        trees, (noise, count, nothing) = exported.call(*arguments)
        slope = treadle.grad(lambda x: exported.call(x, arguments[1])[0]["carry"].sum())(
            arguments[0]
        )
    carry, rows, start = twin(X, 1)
    np.testing.assert_allclose(trees["carry"], carry, rtol=1e-5)
    np.testing.assert_allclose(trees["rows"][0], rows, rtol=1e-5)
    np.testing.assert_array_equal(trees["rows"][1], X[:, 1:3] > 0)
    assert (int(count), nothing) == (start, None)
    # threefry2x32, whose bits are the same in JAX: jax.random.bits(jax.random.key(7), (2,), "uint32")
    assert noise.tolist() == BITS
    for place in np.ndindex(*X.shape):
        step = np.zeros(X.shape)
        step[place] = 1e-6
        difference = (twin(X + step, 1)[0].sum() - twin(X - step, 1)[0].sum()) / 2e-6
        np.testing.assert_allclose(slope[place], difference, rtol=1e-3, atol=1e-4)


def test_this_release_has_one() -> None:
    assert any(FOLDER.glob("*.bin"))


BITS: Final = [2895194379, 4185947648]

if __name__ == "__main__":
    print(write())
