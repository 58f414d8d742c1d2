"""SRT: functions of the order of things are flat; their smooth replacements are not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import row
from treadle import nn

X = [-10.0, -1.0, 0.0, 1.0, 10.0]


def step(x: Any) -> Any:
    return (x > 0).astype(float)


@row("SRT-01")
def test_srt_01_step_values(capsys: pytest.CaptureFixture[str]) -> None:
    x = tnp.array(X)
    print(f"f(x) = {step(x)}")
    assert capsys.readouterr().out == "f(x) = [0. 0. 0. 1. 1.]\n"


@row("SRT-02")
def test_srt_02_step_gradients(capsys: pytest.CaptureFixture[str]) -> None:
    x = tnp.array(X)
    print(f"df(x) = {sut.vmap(sut.grad(step))(x)}")
    assert capsys.readouterr().out == "df(x) = [0. 0. 0. 0. 0.]\n"


@row("SRT-03")
def test_srt_03_astype_float_means_the_default_float() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert step(tnp.array(X)).dtype == tnp.float32


@row("SRT-04")
def test_srt_04_zero_on_both_sides_and_at_the_jump() -> None:
    assert [float(sut.grad(step)(x)) for x in (1.0, -1.0, 0.0)] == [0.0, 0.0, 0.0]


@row("SRT-05")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: tnp.sum(tnp.greater(x, 1.5).astype(float)),
        lambda x: tnp.sum(tnp.argsort(x).astype(float)),
        lambda x: tnp.argmax(x).astype(float),
    ],
    ids=["greater", "argsort", "argmax"],
)
def test_srt_05_functions_of_the_order_have_zero_gradients(function: Any) -> None:
    assert sut.grad(function)(tnp.array([3.0, 1.0, 2.0])).tolist() == [0.0, 0.0, 0.0]


@row("SRT-06")
def test_srt_06_max_selects_a_value() -> None:
    assert sut.grad(tnp.max)(tnp.array([3.0, 1.0, 2.0])).tolist() == [1.0, 0.0, 0.0]


@row("SRT-07")
def test_srt_07_sigmoid_values(capsys: pytest.CaptureFixture[str]) -> None:
    with np.printoptions(suppress=True, precision=2):
        print(f"g(x) = {nn.sigmoid(tnp.array(X))}")
    assert capsys.readouterr().out == "g(x) = [0.   0.27 0.5  0.73 1.  ]\n"


@row("SRT-08")
def test_srt_08_sigmoid_gradients(capsys: pytest.CaptureFixture[str]) -> None:
    with np.printoptions(suppress=True, precision=2):
        print(f"dg(x) = {sut.vmap(sut.grad(nn.sigmoid))(tnp.array(X))}")
    assert capsys.readouterr().out == "dg(x) = [0.   0.2  0.25 0.2  0.  ]\n"


@row("SRT-09")
def test_srt_09_sigmoid_approaches_the_step() -> None:
    x = tnp.array([-30.0, 30.0])
    np.testing.assert_allclose(np.asarray(nn.sigmoid(x)), np.asarray(step(x)), atol=1e-6)


@row("SRT-10")
def test_srt_10_softmax_for_argmax() -> None:
    x = tnp.array([1.0, 3.0, 2.0])
    expected = np.exp(np.asarray(x)) / np.exp(np.asarray(x)).sum()
    np.testing.assert_allclose(np.asarray(nn.softmax(x)), expected, rtol=1e-6)
    assert int(tnp.argmax(nn.softmax(x))) == int(tnp.argmax(x)) == 1
    gradient = np.asarray(sut.grad(lambda x: nn.softmax(x)[1])(x))
    np.testing.assert_allclose(
        gradient, expected[1] * (np.eye(3)[1] - expected), rtol=1e-5, atol=1e-7
    )


@row("SRT-11")
def test_srt_11_soft_sign_for_sign() -> None:
    assert nn.soft_sign(tnp.array([-3.0, 0.0, 1.0])).tolist() == [-0.75, 0.0, 0.5]
    assert float(sut.grad(nn.soft_sign)(1.0)) == 0.25


@row("SRT-12")
def test_srt_12_softplus_for_relu() -> None:
    x = tnp.array([-3.0, 0.0, 2.0])
    np.testing.assert_allclose(
        np.asarray(nn.softplus(x)), np.log1p(np.exp(np.asarray(x))), rtol=1e-6
    )
    np.testing.assert_allclose(
        np.asarray(sut.vmap(sut.grad(nn.softplus))(x)), np.asarray(nn.sigmoid(x)), rtol=1e-6
    )
    assert float(nn.softplus(500.0)) == 500.0


@row("SRT-13")
def test_srt_13_squareplus_for_relu() -> None:
    x = np.array([-3.0, 0.0, 2.0], np.float32)
    np.testing.assert_allclose(
        np.asarray(nn.squareplus(tnp.array(x))), (x + np.sqrt(x * x + 4)) / 2, rtol=1e-5
    )
    assert float(sut.grad(nn.squareplus)(0.0)) == 0.5


@row("SRT-14")
def test_srt_14_relu() -> None:
    assert nn.relu(tnp.array([-2.0, 0.0, 3.0])).tolist() == [0.0, 0.0, 3.0]
    assert [float(sut.grad(nn.relu)(x)) for x in (-2.0, 3.0)] == [0.0, 1.0]
