"""Sums and products on the way are not too great, or too coarse, where the results are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_autodiff import jvp

HALF: Any = np.float16


def both_ways(
    staged: Callable[..., Any], function: Callable[..., Any], *arguments: Any
) -> list[Any]:
    return [np.asarray(function(*arguments)), staged(function, *arguments)]


def test_integrals(staged: Callable[..., Any]) -> None:
    y = np.full(10, 30000, HALF)
    wanted = np.trapezoid(y.astype(float), dx=float(HALF(0.001)))
    for found in both_ways(staged, lambda y: tnp.trapezoid(y, dx=0.001), y):
        assert found.dtype == HALF
        np.testing.assert_allclose(found, wanted, rtol=2e-3)


@pytest.mark.parametrize("dtype", [HALF, np.float32])
def test_medians_of_great_numbers(dtype: Any, staged: Callable[..., Any]) -> None:
    great = np.finfo(dtype).max
    for x in ([great, great], [great, -great], [great, great / 2, 1, 0], [-great, -great, 0, 0]):
        vector = np.array(x, dtype)
        wanted = np.median(vector.astype(np.float64))
        for function in (tnp.median, tnp.nanmedian):
            for found in both_ways(staged, function, vector):
                assert found.dtype == dtype
                np.testing.assert_allclose(found, wanted, rtol=1e-3)
    tiny = np.full(2, np.finfo(HALF).smallest_subnormal, HALF)
    np.testing.assert_array_equal(tnp.median(tiny), tiny[0])


def test_deviations_whose_squares_are_too_great(staged: Callable[..., Any]) -> None:
    x = np.array([0, 60000, 1], HALF)
    wanted = np.std(x.astype(float))
    for found in both_ways(staged, tnp.std, x):
        assert found.dtype == HALF
        np.testing.assert_allclose(found, wanted, rtol=1e-3)
    missing = np.array([0, 60000, 1, np.nan], HALF)
    np.testing.assert_allclose(tnp.nanstd(missing), wanted, rtol=1e-3)


@pytest.mark.parametrize("dtype", [HALF, ml_dtypes.bfloat16, np.float32])
@pytest.mark.parametrize("weighed", [False, True])
def test_counts_of_more_elements_than_a_type_counts(
    dtype: Any, weighed: bool, staged: Callable[..., Any]
) -> None:
    x = np.repeat(np.array([0, 1], dtype), [5000, 300])
    weights = np.ones(x.size, dtype) if weighed else None
    for found in both_ways(staged, lambda x: tnp.histogram(x, 2, weights=weights)[0], x):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, np.array([5000, 300]).astype(dtype))
    density = np.asarray(tnp.histogram(x, 2, weights=weights, density=True)[0]).astype(float)
    np.testing.assert_allclose(density, [2 * 5000 / 5300, 2 * 300 / 5300], rtol=1e-2)


def test_as_many_as_integers_count(staged: Callable[..., Any]) -> None:
    x = np.zeros(2**24 + 9, np.float32)
    np.testing.assert_array_equal(tnp.histogram(x, 1)[0], np.float32(2**24 + 9))
    weights = np.ones(5000, HALF)
    for found in both_ways(
        staged, lambda w: tnp.bincount(np.zeros(5000, int), w, length=2), weights
    ):
        assert found.dtype == HALF
        np.testing.assert_array_equal(found, [5000, 0])


@pytest.mark.parametrize("decimals", [-39, -38, -4, -1, 1, 2, 3, 30, 39])
@pytest.mark.parametrize("dtype", [HALF, np.float32])
def test_rounding_great_numbers(dtype: Any, decimals: int, staged: Callable[..., Any]) -> None:
    x = np.array([0, 1.27, -3.75, 600.25, 655.5, 60000, np.inf, -np.inf, np.nan], dtype)
    if dtype is np.float32:
        x = np.append(x, [np.float32(1e38), np.float32(-3e38)])
    wanted = np.round(x.astype(np.float64), decimals)
    for found in both_ways(staged, lambda x: tnp.round(x, decimals), x):
        assert found.dtype == dtype
        np.testing.assert_allclose(
            found, wanted.astype(dtype), rtol=2e-3 if dtype is HALF else 1e-6
        )


def test_the_slope_of_what_is_rounded_is_zero() -> None:
    for decimals in (-39, -1, 1, 2):
        x = np.array([1.25, 1e38], np.float32)
        _, slope = jvp(lambda v, n=decimals: tnp.round(v, n), (x,), (np.ones_like(x),))
        np.testing.assert_array_equal(slope, [0, 0])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
@pytest.mark.usefixtures("wide")
def test_integers_that_are_close(dtype: str, staged: Callable[..., Any]) -> None:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = np.array([low, high, high, high, 5], dtype)
    y = np.array([high, low, high - 1, high, 7], dtype)
    span = int(high) - int(low)
    for atol in (0, 1, 2, span // 3, span * 2.0):
        distance = [abs(int(a) - int(b)) for a, b in zip(x, y, strict=True)]
        wanted = [each <= atol for each in distance]
        for found in both_ways(
            staged, lambda x, y, atol=atol: tnp.isclose(x, y, rtol=0, atol=atol), x, y
        ):
            np.testing.assert_array_equal(found, wanted)
