"""JIT: side effects happen while tracing; what was read then is frozen."""

from __future__ import annotations

import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import Counted, row

y = 0


def _loop(jitted: bool) -> None:
    global y

    def f(x: sut.Array) -> sut.Array:
        print("Inside:", y)
        return x + y

    g = sut.jit(f) if jitted else f
    for y in range(3):
        print("Result:", g(y))  # type: ignore[arg-type]


@row("JIT-01")
def test_jit_01_without_jit_the_body_runs_on_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    _loop(jitted=False)
    assert capsys.readouterr().out == (
        "Inside: 0\nResult: 0\nInside: 1\nResult: 2\nInside: 2\nResult: 4\n"
    )


@row("JIT-02")
def test_jit_02_with_jit_the_first_global_sticks(capsys: pytest.CaptureFixture[str]) -> None:
    _loop(jitted=True)
    assert capsys.readouterr().out == "Inside: 0\nResult: 0\nResult: 1\nResult: 2\n"


@row("JIT-03")
def test_jit_03_a_captured_value_is_frozen() -> None:
    box = [10]
    f = sut.jit(lambda x: x + box[0])
    assert int(f(1)) == 11
    box[0] = 99
    assert [int(f(1)), int(f(5))] == [11, 15]


@row("JIT-04")
def test_jit_04_one_trace_many_executions() -> None:
    body = Counted(lambda x: x * 2)
    f = sut.jit(body)
    assert [int(f(i)) for i in range(5)] == [0, 2, 4, 6, 8]
    assert body.count == 1


@row("JIT-05")
def test_jit_05_a_new_shape_reads_the_global_again() -> None:
    box = [1]
    body = Counted(lambda x: tnp.max(x + box[0]))
    g = sut.jit(body)
    assert float(g(tnp.ones(2))) == 2.0
    box[0] = 5
    assert float(g(tnp.ones(3))) == 6.0
    assert float(g(tnp.ones(2))) == 2.0
    assert body.count == 2


@row("JIT-06")
def test_jit_06_side_effects_happen_while_tracing() -> None:
    log: list[str] = []

    @sut.jit
    def f(x: sut.Array) -> sut.Array:
        log.append("traced")
        return x + 1

    for i in range(4):
        f(float(i))  # type: ignore[arg-type]
    assert log == ["traced"]
