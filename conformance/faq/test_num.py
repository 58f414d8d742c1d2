"""NUM: what jit's named simplifications do to rounding, and how to switch them off."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import output_of, row


def _there_and_back(x: sut.Array, y: sut.Array) -> sut.Array:
    return x + y - x


def _log_sqrt(x: Any) -> Any:
    return tnp.log(tnp.sqrt(x))


def _log_exp(x: Any) -> Any:
    return tnp.log(tnp.exp(x))


def _assert_same_bits(a: object, b: object) -> None:
    np.testing.assert_array_equal(
        np.asarray(a).view(np.uint32), np.asarray(b).view(np.uint32), strict=True
    )


def _simplifying(names: str) -> Any:
    """With these simplifications: JAX, on which peers run the other rows, has none."""
    return importlib.import_module("treadle_ir.rewrite").SIMPLIFY.override(names)


@row("NUM-01")
def test_num_01_eager_keeps_float32_rounding(capsys: pytest.CaptureFixture[str]) -> None:
    print(_there_and_back(tnp.array(1.0), tnp.array(0.001)))
    assert capsys.readouterr().out == "0.0010000467\n"


@row("NUM-02")
def test_num_02_jit_cancels_where_it_is_asked_to(capsys: pytest.CaptureFixture[str]) -> None:
    print(sut.jit(_there_and_back)(tnp.array(1.0), tnp.array(0.001)))
    with _simplifying("all"):
        print(sut.jit(_there_and_back)(tnp.array(1.0), tnp.array(0.001)))
    assert capsys.readouterr().out == "0.0010000467\n0.001\n"


@row("NUM-03")
def test_num_03_the_jitted_result_is_y_where_it_is_asked_for() -> None:
    x = tnp.array([1, 1e8, 3, 1e20], tnp.float32)
    y = tnp.array([0.001, 1, 1e-7, 2.5], tnp.float32)
    compiled = sut.jit(_there_and_back)
    _assert_same_bits(compiled(x, y), _there_and_back(x, y))
    with _simplifying("cancel_add_sub"):
        _assert_same_bits(compiled(x, y), y)
    whole = tnp.array([2**31 - 1, -5], tnp.int32)
    _assert_same_bits(compiled(whole, whole[::-1]), whole[::-1])


@row("NUM-04")
def test_num_04_eager_log_of_sqrt() -> None:
    _assert_same_bits(_log_sqrt(tnp.pi), tnp.log(tnp.sqrt(np.float32(np.pi))))


@row("NUM-05")
def test_num_05_jit_halves_the_log() -> None:
    assert float(sut.jit(_log_sqrt)(tnp.pi)) == pytest.approx(0.5 * np.log(np.pi), rel=2e-7)


@row("NUM-06")
def test_num_06_log_of_sqrt_is_half_the_log() -> None:
    x = tnp.array([1e-3, 0.5, 1.0, np.pi, 10.0, 1e10, 1e30], tnp.float32)
    _assert_same_bits(sut.jit(_log_sqrt)(x), sut.jit(lambda x: 0.5 * tnp.log(x))(x))


@row("NUM-07")
def test_num_07_eager_exp_overflows(capsys: pytest.CaptureFixture[str]) -> None:
    print(_log_exp(100.0))
    assert capsys.readouterr().out == "inf\n"


@row("NUM-08")
def test_num_08_jit_drops_log_and_exp(capsys: pytest.CaptureFixture[str]) -> None:
    print(sut.jit(_log_exp)(100.0))
    assert capsys.readouterr().out == "100.0\n"


@row("NUM-09")
def test_num_09_log_of_exp_is_the_input() -> None:
    x = tnp.array([100, -200, 0.1, 0, 88.9], tnp.float32)
    _assert_same_bits(sut.jit(_log_exp)(x), x)


@row("NUM-10")
def test_num_10_the_operations_are_gone_from_the_compiled_program() -> None:
    text = sut.jit(_log_exp).lower(tnp.array(100.0)).compile().as_text()
    assert "HloModule" in text
    assert "exponential" not in text
    assert "log(" not in text
    kept = sut.jit(lambda x: tnp.log(tnp.exp(x) + 1)).lower(tnp.array(100.0)).compile().as_text()
    assert "exponential" in kept  # the text would show them


@row("NUM-11")
def test_num_11_compiled_and_eager_agree_up_to_rounding() -> None:
    def f(x: sut.Array) -> sut.Array:
        return tnp.tanh(x) * tnp.sin(3 * x) + tnp.exp(-x * x)

    x = tnp.linspace(-3, 3, 101)
    np.testing.assert_allclose(np.asarray(sut.jit(f)(x)), np.asarray(f(x)), rtol=1e-4, atol=1e-6)


@row("NUM-12")
def test_num_12_rewriting_can_be_switched_off() -> None:
    script = """
import treadle as sut, treadle.numpy as tnp
print(sut.jit(lambda x, y: x + y - x)(tnp.array(1.0), tnp.array(0.001)),
      round(float(sut.jit(lambda x: tnp.log(tnp.sqrt(x)))(tnp.pi)), 4),
      sut.jit(lambda x: tnp.log(tnp.exp(x)))(100.))
"""
    assert output_of(script, TREADLE_SIMPLIFY="0") == "0.0010000467 0.5724 inf"
    assert output_of(script) == "0.0010000467 0.5724 100.0"
    assert output_of(script, TREADLE_SIMPLIFY="all") == "0.001 0.5724 100.0"
