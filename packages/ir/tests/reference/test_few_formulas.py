"""Bessel and incomplete gamma functions of a few elements: beside mpmath, and the same as of many at the ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath
import numpy as np
import pytest

from treadle_ir import ops
from treadle_ir.reference import few, few_integrals

BESSELS: Final[dict[str, int]] = {"bessel_i0e": 0, "bessel_i1e": 1}
GAMMAS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "igamma": lambda a, x: mpmath.gammainc(a, 0, x, regularized=True),
    "igammac": lambda a, x: mpmath.gammainc(a, x, mpmath.inf, regularized=True),
}


def within_an_ulp(found: Any, true: list[Any]) -> None:
    expected = np.array([float(each) for each in true])
    ulp = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
    assert np.all(np.abs(np.asarray(found, np.float64) - expected) <= ulp)


@pytest.mark.parametrize("name", BESSELS)
def test_bessels_within_an_ulp(name: str, quickly: Callable[..., Any]) -> None:
    points = [1e-30, 1e-4, 0.3, 1.0, 2.5, 7.999, 8.0, 8.001, 15.0, 16.0, 50.0, 1e4, 1e30]
    x = np.array([*points, *(-each for each in points)], np.float32)
    assert x.size <= few.MOST
    with mpmath.workdps(40):
        numbers = [mpmath.mpf(float(each)) for each in x]
        true = [mpmath.besseli(BESSELS[name], t) * mpmath.exp(-abs(t)) for t in numbers]
    within_an_ulp(quickly(name, x), true)


@pytest.mark.parametrize("name", GAMMAS)
@pytest.mark.parametrize("a", [1e-4, 0.01, 0.5, 1.0, 3.7, 40.0, 300.0, 999.0])
def test_gammas_within_an_ulp(name: str, a: float, quickly: Callable[..., Any]) -> None:
    multiples = np.array([1e-6, 0.1, 0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 1.5])
    x = np.concatenate([a * multiples, [0.001, 1.0, 1.05, 1.2], [a + 0.99, a + 1.0, a + 4.0]])
    x = x.astype(np.float32)
    both = np.full_like(x, a), x
    with mpmath.workdps(60):
        pairs = [[mpmath.mpf(float(each)) for each in pair] for pair in zip(*both, strict=True)]
        true = [GAMMAS[name](*pair) for pair in pairs]
    within_an_ulp(quickly(name, *both), true)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("name", BESSELS)
def test_ends_of_bessels(name: str, dtype: type[Any], quickly: Callable[..., Any]) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    found, many = quickly(name, x), np.asarray(getattr(ops, name)(np.tile(x, few.MOST)))
    np.testing.assert_array_equal(found, many[: x.size])
    np.testing.assert_array_equal(np.signbit(found[:4]), np.signbit(many[:4]))


@pytest.mark.parametrize("name", GAMMAS)
def test_ends_of_gammas(name: str, quickly: Callable[..., Any]) -> None:
    ends = np.array([0.0, -1.0, 1.0, 1e6, np.inf, np.nan], np.float32)
    a, x = (each.ravel() for each in np.meshgrid(ends, ends))
    function = getattr(ops, name)
    many = np.asarray(function(np.tile(a, few.MOST), np.tile(x, few.MOST)))[: a.size]
    np.testing.assert_allclose(quickly(name, a, x), many, rtol=1.2e-7, atol=0)


def test_any_shape(quickly: Callable[..., Any]) -> None:
    assert quickly("bessel_i0e", np.float32(0.5)).shape == ()
    assert np.asarray(ops.igamma(*[np.zeros((2, 0), np.float32)] * 2)).shape == (2, 0)
    rows = np.linspace(0.1, 9, 6, dtype=np.float32).reshape(2, 3)
    flat = quickly("igamma", rows.ravel(), rows.ravel())
    np.testing.assert_array_equal(quickly("igamma", rows, rows).ravel(), flat)


@pytest.mark.parametrize("x", [1e-20, 0.1, 2.0, 3.0, 70.0])
def test_integrals_of_order_0_are_not_left_to_the_formula(x: float) -> None:
    value = few_integrals.expn(0.0, x)
    assert value is not None
    assert value == pytest.approx(float(mpmath.expint(0, x)), rel=1e-14)
