"""CMP: unrolled loops make long programs that compile slowly; functionals keep them small."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import Counted, row
from treadle import lax


def _step(x: Any) -> Any:
    return tnp.sin(x) * 1.01 + 0.1


def _unrolled(n: int) -> Callable[[Any], Any]:
    def loop(x: Any) -> Any:
        for _ in range(n):
            x = _step(x)
        return x

    return loop


def _scanned(n: int) -> Callable[[Any], Any]:
    def loop(x: Any) -> Any:
        return lax.scan(lambda x, _: (_step(x), None), x, None, length=n)[0]

    return loop


def _fori(n: int) -> Callable[[Any], Any]:
    return lambda x: lax.fori_loop(0, n, lambda i, x: _step(x), x)


def _while(n: int) -> Callable[[Any], Any]:
    def loop(x: Any) -> Any:
        return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, _step(c[1])), (0, x))[1]

    return loop


def _lines(function: Callable[[Any], Any]) -> int:
    return len(str(sut.make_jaxpr(function)(tnp.array(1.0))).splitlines())


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call().block_until_ready()
    return time.perf_counter() - start


@row("CMP-01")
@pytest.mark.timing
def test_cmp_01_the_first_call_pays_for_tracing_and_compiling() -> None:
    f = sut.jit(_unrolled(100))
    x = tnp.array(1.0)
    first = _seconds(lambda: f(x))
    assert first > 10 * min(_seconds(lambda: f(x)) for _ in range(5))


@row("CMP-02")
def test_cmp_02_python_loops_unroll() -> None:
    assert _lines(_unrolled(50)) < _lines(_unrolled(500))
    assert _lines(_unrolled(500)) > 500


@row("CMP-03")
def test_cmp_03_scan_keeps_the_program_small() -> None:
    assert _lines(_scanned(10)) == _lines(_scanned(5000)) < 40


@row("CMP-04")
@pytest.mark.parametrize("loop", [_fori, _while])
def test_cmp_04_so_do_fori_and_while(loop: Callable[[int], Callable[[Any], Any]]) -> None:
    assert _lines(loop(10)) == _lines(loop(5000)) < 60


@row("CMP-05")
@pytest.mark.parametrize("loop", [_scanned, _fori, _while])
def test_cmp_05_functionals_compute_what_the_loop_computes(
    loop: Callable[[int], Callable[[Any], Any]],
) -> None:
    x = tnp.array([0.5, 1.0, -2.0])
    expected = np.asarray(_unrolled(30)(x))
    np.testing.assert_allclose(np.asarray(loop(30)(x)), expected, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(sut.jit(loop(30))(x)), expected, rtol=1e-5)


@row("CMP-06")
@pytest.mark.timing
def test_cmp_06_unrolled_code_compiles_more_slowly_than_scan() -> None:
    x = tnp.ones(3)
    scanned = _seconds(lambda: sut.jit(_scanned(600))(x))
    assert _seconds(lambda: sut.jit(_unrolled(600))(x)) > 2 * scanned


@row("CMP-07")
def test_cmp_07_a_jitted_step_in_a_python_loop() -> None:
    body = Counted(_step)
    step = sut.jit(body)
    x = tnp.array(1.0)
    for _ in range(30):
        x = step(x)
    assert body.count == 1
    np.testing.assert_allclose(float(x), float(_unrolled(30)(tnp.array(1.0))), rtol=1e-5)


@row("CMP-08")
def test_cmp_08_make_jaxpr_traces_and_does_not_execute() -> None:
    called: list[float] = []

    def f(x: sut.Array) -> sut.Array:
        sut.debug.callback(called.append, x)
        return tnp.cos(x)

    text = str(sut.make_jaxpr(f)(1.0))
    sut.effects_barrier()
    assert "cos" in text
    assert called == []


@row("CMP-09")
def test_cmp_09_make_jaxpr_shows_operations_and_types() -> None:
    text = str(sut.make_jaxpr(lambda x, y: x + y - x)(tnp.array(1.0), tnp.array(0.001)))
    for part in ("add", "sub", "f32[]"):
        assert part in text


@row("CMP-10")
def test_cmp_10_where_on_padded_arrays_avoids_a_program_per_length() -> None:
    body = Counted(lambda x, n: tnp.sum(tnp.where(tnp.arange(8) < n, x, 0.0)))
    total = sut.jit(body)
    x = np.arange(1, 9, dtype=np.float32)
    for n in (2, 5, 8):
        padded = np.full(8, np.nan, np.float32)
        padded[:n] = x[:n]
        assert float(total(padded, n)) == x[:n].sum()
    assert body.count == 1
