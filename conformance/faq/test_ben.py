"""BEN: what one has to know to time things."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import Counted, output_of, row


def f(x: Any) -> Any:
    return x.T @ (x - x.mean(axis=0))


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    result = call()
    if isinstance(result, sut.Array):
        result.block_until_ready()
    return time.perf_counter() - start


def _best(call: Callable[[], Any], times: int) -> float:
    return min(_seconds(call) for _ in range(times))


@pytest.mark.cpu
@row("BEN-01")
def test_ben_01_the_function_runs_on_numpy_and_on_ours() -> None:
    x = np.random.default_rng(0).normal(size=(20, 10)).astype(np.float32)
    np.testing.assert_allclose(np.asarray(f(tnp.array(x))), f(x), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(np.asarray(sut.jit(f)(x)), f(x), rtol=1e-4, atol=1e-4)


@row("BEN-02")
def test_ben_02_the_headline_input() -> None:
    x = sut.device_put(np.ones((1000, 1000), dtype=np.float32))
    y = sut.jit(f)(x).block_until_ready()
    assert (y.dtype, y.shape) == (np.float32, (1000, 1000))
    np.testing.assert_allclose(np.asarray(y), 0.0, atol=1e-3)


@row("BEN-03")
def test_ben_03_block_until_ready_returns_the_array() -> None:
    y = sut.jit(f)(tnp.ones((3, 3)))
    assert y.block_until_ready() is y


@row("BEN-04")
@pytest.mark.timing
def test_ben_04_the_first_call_compiles() -> None:
    body = Counted(f)
    g = sut.jit(body)
    x = tnp.ones((10, 10))
    assert _seconds(lambda: g(x)) > 3 * _best(lambda: g(x), 10)
    assert body.count == 1


@pytest.mark.cpu
@row("BEN-05")
def test_ben_05_small_eager_operations_compile_nothing() -> None:
    script = "import sys, treadle.numpy as tnp; print(tnp.tan(tnp.zeros(7)).sum(), 'jaxlib' in sys.modules)"
    assert output_of(script) == "0.0 False"


@row("BEN-06")
@pytest.mark.timing
def test_ben_06_dispatch_is_asynchronous() -> None:
    @sut.jit
    def work(x: Any) -> Any:
        for _ in range(20):
            x = x @ x * 1e-3
        return x

    x = sut.device_put(np.ones((600, 600), np.float32))
    work(x).block_until_ready()

    def share() -> float:
        start = time.perf_counter()
        y = work(x)
        returned = time.perf_counter() - start
        y.block_until_ready()
        return returned / (time.perf_counter() - start)

    assert min(share() for _ in range(5)) < 0.3


@row("BEN-07")
def test_ben_07_32_bits_by_default() -> None:
    assert [
        a.dtype.name
        for a in (tnp.ones(2), tnp.arange(2), tnp.array(1.5), sut.device_put(np.ones(2)))
    ] == ["float32", "int32", "float32", "float32"]


@row("BEN-08")
@pytest.mark.parametrize("variable", ["JAX_ENABLE_X64", "TREADLE_ENABLE_X64"])
def test_ben_08_64_bits_by_environment(variable: str) -> None:
    script = "import treadle.numpy as tnp; print(tnp.ones(2).dtype, tnp.arange(2).dtype)"
    assert output_of(script, **{variable: "1"}) == "float64 int64"


@row("BEN-09")
def test_ben_09_data_can_be_transferred_first() -> None:
    x = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(sut.device_put(x)), x, strict=True)


def _measured_apart(size: int) -> None:
    """The FAQ's protocol: transfer, compile and run are steps of their own, and all are published."""
    x = np.random.default_rng(0).normal(size=(size, size)).astype(np.float32)
    transferred = sut.device_put(x).block_until_ready()
    body = Counted(f)
    compiled = sut.jit(body).lower(transferred).compile()
    assert body.count == 1  # compiled before it is called
    result = compiled(transferred).block_until_ready()
    assert body.count == 1  # and the call runs, nothing more
    np.testing.assert_allclose(np.asarray(result), f(x), rtol=1e-3, atol=1e-2)
    for step in ("as written", "transferred", "run"):
        assert _published(f"{size} × {size}, {step}")[:2] > [0, 0]
    assert _published(f"compile: {size} × {size}, compiled")[0] > 0


def _published(case: str) -> list[float]:
    """The figures of a row of docs/benchmarks.md: treadle's, JAX's and, where there is one, NumPy's."""
    page = Path(__file__).parents[2] / "docs/benchmarks.md"
    (line,) = [line for line in page.read_text().splitlines() if line.startswith(f"| {case} |")]
    return [float(cell.split()[0]) for cell in line.split("|")[2:5] if cell.strip()]


@pytest.mark.cpu
@row("BEN-10")
def test_ben_10_the_four_steps_at_1000() -> None:
    _measured_apart(1000)


@row("BEN-11")
def test_ben_11_the_four_steps_at_10() -> None:
    _measured_apart(10)


@row("BEN-12")
def test_ben_12_one_small_operation_next_to_numpy_is_published() -> None:
    ours, jax, numpy = _published("x + x, 10 × 10")
    assert min(ours, jax, numpy) > 0


@row("BEN-13")
@pytest.mark.timing
def test_ben_13_jitted_sequences_can_beat_numpy() -> None:
    def chain(np_: Any, x: Any) -> Any:
        for _ in range(6):
            x = np_.abs(x * 1.01 + 0.5) - 0.25
        return x

    x = np.random.default_rng(0).normal(size=(1000, 1000)).astype(np.float32)
    ours, device = sut.jit(lambda x: chain(tnp, x)), sut.device_put(x)
    ours(device).block_until_ready()
    assert _best(lambda: ours(device), 10) < _best(lambda: chain(np, x), 5)


@row("BEN-14")
@pytest.mark.timing
def test_ben_14_jit_on_the_outermost_function_beats_op_by_op() -> None:
    def chain(x: Any) -> Any:
        for _ in range(20):
            x = tnp.sin(x)
        return x

    jitted, x = sut.jit(chain), tnp.ones(10)
    jitted(x).block_until_ready()
    assert _best(lambda: jitted(x), 50) < _best(lambda: chain(x), 20)


def _numpy_and_device(size: int) -> tuple[float, float]:
    """Seconds of `f` on NumPy, and on the device with its argument there and compiled already."""
    host = np.ones((size, size), np.float32)
    device, g = sut.device_put(host), sut.jit(f)
    g(device).block_until_ready()
    return _best(lambda: f(host), 10), _best(lambda: g(device), 50)


@pytest.mark.gpu
@pytest.mark.timing
@row("BEN-15")
def test_ben_15_a_gpu_is_many_times_as_fast_on_large_arrays() -> None:
    numpy, device = _numpy_and_device(1000)
    assert numpy > 10 * device


@pytest.mark.gpu
@pytest.mark.timing
@row("BEN-16")
def test_ben_16_a_gpu_is_slower_than_numpy_on_small_arrays() -> None:
    numpy, device = _numpy_and_device(10)
    assert device > numpy


@pytest.mark.gpu
@pytest.mark.timing
@row("BEN-17")
def test_ben_17_transfer_and_compilation_are_paid_once() -> None:
    host, g = np.ones((1000, 1000), np.float32), sut.jit(lambda x: f(x) + 17)
    put = _seconds(lambda: sut.device_put(host))
    x = sut.device_put(host)
    first = _seconds(lambda: g(x))
    later = _best(lambda: g(x), 20)
    assert first > 20 * later
    assert put > 0
