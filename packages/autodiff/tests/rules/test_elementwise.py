"""Derivatives of elementwise functions at the points where their formulas take care."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from treadle_autodiff import grad, jvp
from treadle_ir import Operand, ops


def test_power_changes_with_both_operands_at_exponent_zero() -> None:
    # d^2 x^y / dx dy = x^(y - 1) (1 + y log x), which is 1/x at y = 0
    def by_base(x: Operand, y: Operand) -> Operand:
        return grad(ops.power)(x, y)

    x, y = np.float64(2.0), np.float64(0.0)
    assert grad(by_base, 1)(x, y) == 0.5
    assert jvp(lambda e: by_base(x, e), (y,), (np.float64(1.0),))[1] == 0.5
    assert by_base(np.float64(0.0), y) == 0.0  # not 0 * 0^-1


@pytest.mark.parametrize("x", [1.0, 2.0, 10.0])
def test_lgamma_in_reverse_at_whole_numbers(x: float) -> None:
    # psi''(1) = -2 zeta(3), and psi''(x + 1) = psi''(x) + 2 / x^3
    expected = -2 * 1.2020569031595942 + sum(2 / k**3 for k in range(1, int(x)))
    third = grad(grad(grad(ops.lgamma)))(np.float64(x))
    assert math.isclose(float(third), expected, rel_tol=1e-12)


def test_digamma_left_of_one_half_and_at_it() -> None:
    # psi'(1/2) = pi^2 / 2, and psi'(x) = psi'(x + 1) + 1 / x^2
    for x, expected in ((0.5, math.pi**2 / 2), (-0.5, math.pi**2 / 2 + 4)):
        assert math.isclose(float(grad(ops.digamma)(np.float64(x))), expected, rel_tol=1e-12)


def test_second_derivative_of_the_cube_root_has_its_limits() -> None:
    # -2/9 x^(-5/3)
    twice = grad(grad(ops.cbrt))
    assert math.isclose(float(twice(np.float64(8.0))), -2 / 9 / 32, rel_tol=1e-12)
    assert float(twice(np.float64(0.0))) == -math.inf
    assert float(twice(np.float64(math.inf))) == 0.0


@pytest.mark.parametrize("scale", [2.0**-80, 1.0, 2.0**80])
@pytest.mark.parametrize("name", ["atan2", "divide"])
def test_slopes_of_quotients_do_not_square(name: str, scale: float) -> None:
    y, x = np.float32(0.75 * scale), np.float32(1.5 * scale)
    by_y, by_x = grad(getattr(ops, name), argnums=(0, 1))(y, x)
    # of y / x and of the angle: by 1 / x and y / x², over 1 + (y / x)² for the angle
    more = 1.25 if name == "atan2" else 1.0
    np.testing.assert_allclose(by_y, np.float32(1 / 1.5 / more / scale), rtol=1e-6)
    np.testing.assert_allclose(by_x, np.float32(-0.5 / 1.5 / more / scale), rtol=1e-6)


@pytest.mark.parametrize("x", [2.0, 300.0, 60000.0])
@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("asinh", lambda x: (x * x + 1) ** -0.5),
        ("acosh", lambda x: (x * x - 1) ** -0.5),
        ("atan", lambda x: 1 / (x * x + 1)),
    ],
)
def test_slopes_made_of_squares_do_not_vanish_in_f16(
    name: str, slope: Callable[[float], float], x: float
) -> None:
    operand = np.float16(x)
    got = grad(getattr(ops, name))(operand)
    assert got.dtype == np.float16
    least = float(np.finfo(np.float16).smallest_subnormal)
    np.testing.assert_allclose(float(got), slope(float(operand)), rtol=1e-3, atol=least / 2)


def test_zeta_by_its_second_operand() -> None:
    # d zeta(s, q) / dq = -s zeta(s + 1, q), and zeta(4, 1) = pi^4 / 90
    found = grad(ops.zeta, 1)(np.float64(3.0), np.float64(1.0))
    assert math.isclose(float(found), -3 * math.pi**4 / 90, rel_tol=1e-12)
