"""Artefacts of former releases load for ever, and compute what they did.

`python -m conformance.export.test_releases` writes the artefacts of this release; they are written once, when a
release is made, and never again.
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


def open_function(x: Any, y: Any) -> Any:
    """Sizes that stay open, in types, attributes, values and a nested program."""

    def step(carry: Any, row: Any) -> Any:
        carry = tnp.sin(carry) + row / x.shape[0]
        return carry, carry[: x.shape[1] // 2]

    last, firsts = lax.scan(step, tnp.zeros(x.shape[1]), x)
    return last @ y + tnp.arange(y.shape[1]), firsts.reshape(-1)


def open_twin(x: Any, y: Any) -> tuple[Any, Any]:
    """The values that NumPy gives for `open_function`, in float64."""
    carry, firsts = np.zeros(x.shape[1]), []
    for row in x.astype(float):
        carry = np.sin(carry) + row / x.shape[0]
        firsts.append(carry[: x.shape[1] // 2])
    return carry @ y + np.arange(y.shape[1]), np.concatenate(firsts)


def write_open() -> Path:
    """Write the artefact of this release that has symbolic sizes."""
    file = FOLDER / f"symbolic-{treadle.__version__}.bin"
    b, n, m = export.symbolic_shape("b, 2*n + 1, m", constraints=["b >= 2", "m <= n"])
    x, y = (treadle.ShapeDtypeStruct(shape, np.float32) for shape in ((b, n), (n, m)))
    exported = export.export(treadle.jit(open_function), platforms=["cpu", "cuda", "tpu"])(x, y)
    file.write_bytes(exported.serialize(vjp_order=1))
    return file


@pytest.mark.parametrize("file", sorted(FOLDER.glob("symbolic-*.bin")), ids=lambda file: file.stem)
@pytest.mark.parametrize("sizes", [(2, 3, 1), (4, 7, 3)])
def test_symbolic_loads_and_computes(file: Path, sizes: tuple[int, int, int]) -> None:
    exported = export.deserialize(file.read_bytes())
    assert [*map(str, exported.in_avals[0].shape)] == ["b", "2*n + 1"]
    rows, columns, last = sizes
    random = np.random.default_rng(7)
    x = random.standard_normal((rows, columns)).astype(np.float32)
    y = random.standard_normal((columns, last)).astype(np.float32)
    with treadle.enable_x64(False):
        arrays = tnp.asarray(x), tnp.asarray(y)
        for one, other in zip(exported.call(*arrays), open_twin(x, y), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
        slope = treadle.grad(lambda x: exported.call(x, arrays[1])[0].sum())(arrays[0])
        with pytest.raises(ValueError, match="the constraint m <= n"):
            exported.call(tnp.ones((2, 3)), tnp.ones((3, 2)))
    for place in np.ndindex(*x.shape):
        move = np.zeros(x.shape)
        move[place] = 1e-6
        difference = (open_twin(x + move, y)[0].sum() - open_twin(x - move, y)[0].sum()) / 2e-6
        np.testing.assert_allclose(slope[place], difference, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("treadle-*.bin")), ids=lambda file: file.stem)
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
    assert any(FOLDER.glob("treadle-*.bin"))
    assert any(FOLDER.glob("symbolic-*.bin"))


BITS: Final = [2895194379, 4185947648]

if __name__ == "__main__":
    for each in (write, write_open):
        print(each())
