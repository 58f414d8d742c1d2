"""NAN: a NaN gradient through `where`, and the inner `where` that avoids it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import row


def my_log(x: Any) -> Any:
    return tnp.where(x > 0.0, tnp.log(x), 0.0)


def safe_log(x: Any) -> Any:
    return tnp.where(x > 0.0, tnp.log(tnp.where(x > 0.0, x, 1.0)), 0.0)


def log_or_y(x: Any, y: Any) -> Any:
    return tnp.where(x > 0.0, tnp.log(tnp.where(x > 0.0, x, 1.0)), y)


@row("NAN-01")
def test_nan_01_the_value_is_fine() -> None:
    assert float(my_log(0.0)) == 0.0


@row("NAN-02")
def test_nan_02_the_gradient_is_nan() -> None:
    assert math.isnan(sut.grad(my_log)(0.0))


@row("NAN-03")
def test_nan_03_also_under_jit() -> None:
    assert math.isnan(sut.jit(sut.grad(my_log))(0.0))


@row("NAN-04")
def test_nan_04_an_inner_where_fixes_it() -> None:
    assert float(safe_log(0.0)) == 0.0
    assert float(sut.grad(safe_log)(0.0)) == 0.0
    assert float(sut.jit(sut.grad(safe_log))(0.0)) == 0.0


@row("NAN-05")
def test_nan_05_elsewhere_both_are_right() -> None:
    for f in (my_log, safe_log):
        assert float(sut.grad(f)(2.0)) == 0.5
    assert float(sut.grad(safe_log)(-1.0)) == 0.0
    assert float(sut.grad(my_log)(-1.0)) == 0.0  # -0.0 == 0.0


@row("NAN-06")
def test_nan_06_two_wheres_value() -> None:
    assert float(log_or_y(0.0, 7.0)) == 7.0
    np.testing.assert_allclose(float(log_or_y(math.e, 7.0)), 1.0, rtol=1e-6)


@row("NAN-07")
def test_nan_07_two_wheres_gradients() -> None:
    derivative = sut.grad(log_or_y, argnums=(0, 1))
    assert tuple(map(float, derivative(0.0, 7.0))) == (0.0, 1.0)
    assert tuple(map(float, derivative(2.0, 7.0))) == (0.5, 0.0)


@row("NAN-08")
def test_nan_08_per_element_under_vmap() -> None:
    x = tnp.array([-1.0, 0.0, 2.0])
    assert np.isnan(np.asarray(sut.vmap(sut.grad(my_log))(x))).tolist() == [False, True, False]
    assert sut.vmap(sut.grad(safe_log))(x).tolist() == [0.0, 0.0, 0.5]


@row("NAN-09")
def test_nan_09_forward_mode_does_not_have_the_problem() -> None:
    value, tangent = sut.jvp(my_log, (0.0,), (1.0,))
    assert (float(value), float(tangent)) == (0.0, 0.0)
