"""Logarithms to bases 2 and 10; logaddexp and logaddexp2 where operands are equal, far apart or infinite."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_autodiff import grad, jvp
from treadle_ir import Operand
from treadle_numpy import lax

pytestmark = pytest.mark.usefixtures("wide")


def test_logaddexp_is_smooth_at_a_tie() -> None:
    x = np.float64(1.0)
    assert grad(tnp.logaddexp)(x, x) == 0.5
    assert grad(grad(tnp.logaddexp))(x, x) == 0.25
    assert grad(grad(tnp.logaddexp), 1)(x, x) == -0.25
    second = grad(grad(tnp.logaddexp2))(x, x)
    assert math.isclose(float(second), math.log(2) / 4, rel_tol=1e-15)


def test_the_lesser_operand_counts_for_what_it_is() -> None:
    x, y = np.float64(0.0), np.float64(-40.0)
    assert math.isclose(float(grad(tnp.logaddexp, 1)(x, y)), math.exp(-40), rel_tol=1e-14)


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_operands_that_are_infinite_and_equal_weigh_the_same(infinity: float) -> None:
    x = np.float64(infinity)
    assert tnp.logaddexp(x, x) == infinity
    assert grad(tnp.logaddexp)(x, x) == 0.5
    assert np.isnan(grad(tnp.logaddexp)(np.float64(np.nan), x))


def test_a_scalar_with_an_array() -> None:
    x, y = np.array([0.0, 1.0, 2.0]), np.float64(1.0)

    def total(y: Operand) -> Operand:
        return tnp.sum(tnp.logaddexp(x, y))

    weights = 1 / (1 + np.exp(x - 1))
    assert np.isclose(grad(total)(y), weights.sum(), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(jvp(total, (y,), (y,))[1]), weights.sum(), rtol=1e-14)


def test_complex_operands() -> None:
    x, y = np.complex128(1 + 2j), np.complex128(0.5 - 1j)
    _, slope = jvp(lambda z: tnp.logaddexp(z, y), (x,), (np.complex128(1),))
    assert np.isclose(slope, np.exp(x) / (np.exp(x) + np.exp(y)), rtol=1e-14)


@pytest.mark.parametrize(("function", "base"), [(tnp.logaddexp, math.e), (tnp.logaddexp2, 2.0)])
@pytest.mark.parametrize(("x", "y"), [(1, 1j), (1 + 2j, 3 - 1j), (2j, 2), (0.5 - 1j, 0.5 - 1j)])
def test_sums_of_complex_powers(function: Any, base: float, x: complex, y: complex) -> None:
    total = complex(function(np.complex128(x), np.complex128(y)))
    assert base**total == pytest.approx(base**x + base**y, rel=1e-14)
    _, slope = jvp(
        function, (np.complex128(x), np.complex128(y)), (np.complex128(1), np.complex128(0))
    )
    assert complex(slope) == pytest.approx(base**x / (base**x + base**y), rel=1e-13)


def test_complex_logarithms_do_not_overflow() -> None:
    for shift in (1000.0, -1000.0):
        total = complex(tnp.logaddexp(np.complex128(shift + 3j), np.complex128(shift + 3.1j)))
        assert total == pytest.approx(shift + cmath.log(cmath.exp(3j) + cmath.exp(3.1j)), rel=1e-12)
    turned = complex(tnp.logaddexp(np.complex128(5 + 10j), np.complex128(1)))
    assert abs(turned.imag) <= math.pi
    assert complex(tnp.logaddexp(complex(-np.inf), complex(-np.inf))).real == -np.inf
    assert complex(tnp.logaddexp(complex(np.inf), 1 + 0j)).real == np.inf


@pytest.mark.parametrize("name", ["log2", "log10"])
def test_complex_logarithms_of_zero_and_infinity_have_an_argument(name: str) -> None:
    z = np.array([0, complex(0.0, -0.0), -0.0, complex(np.inf, 1), complex(-np.inf, 0), 1e-30j])
    with np.errstate(divide="ignore"):
        wanted = getattr(np, name)(z)
    for x in (z.astype(np.complex64), z):
        made = np.asarray(getattr(tnp, name)(x))
        np.testing.assert_allclose(made.real, wanted.real, rtol=1e-6)
        np.testing.assert_allclose(made.imag, wanted.imag, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(("function", "base"), [(tnp.log2, 2), (lax.log2, 2), (tnp.log10, 10)])
def test_logarithms_of_powers_are_whole(
    function: Any, base: int, dtype: str, staged: Callable[..., Any]
) -> None:
    limits = tnp.finfo(dtype)
    least, most = (math.log(float(x), base) for x in (limits.tiny, limits.max))
    exponents = np.arange(math.ceil(least), math.ceil(most))
    powers = np.array([float(Fraction(base) ** int(e)) for e in exponents]).astype(limits.dtype)
    found = np.asarray(staged(function, powers), float)
    np.testing.assert_array_equal(found, exponents)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["log2", "log10"])
def test_logarithms_are_right_to_a_few_last_places(
    name: str, dtype: str, staged: Callable[..., Any]
) -> None:
    draw = np.random.default_rng(0)
    x = np.exp(np.concatenate([draw.uniform(-80, 80, 500), draw.normal(0, 1e-3, 500)]))
    x = x.astype(dtype)
    wanted = getattr(np, name)(x.astype(np.longdouble)).astype(float)
    for found in (getattr(tnp, name)(x), staged(getattr(tnp, name), x)):
        np.testing.assert_allclose(found, wanted, rtol=4 * float(np.finfo(dtype).eps))


@pytest.mark.parametrize(("function", "base"), [(tnp.log2, 2), (lax.log2, 2), (tnp.log10, 10)])
def test_logarithms_at_the_edges(function: Any, base: int, staged: Callable[..., Any]) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1.0], np.float32)
    wanted = [-np.inf, -np.inf, np.inf, np.nan, np.nan, np.nan, 0.0]
    np.testing.assert_array_equal(staged(function, x), np.array(wanted, np.float32))
    slope = jvp(function, (np.float32(3),), (np.float32(1),))[1]
    assert float(slope) == pytest.approx(1 / (3 * math.log(base)), rel=1e-6)
