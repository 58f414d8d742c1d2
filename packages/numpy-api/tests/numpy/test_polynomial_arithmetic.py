"""Arithmetic of polynomials is NumPy's, but for leading zeros, which stay."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError
from treadle_ir.errors import ConcretizationError
from treadle_ir.settings import X64
from treadle_numpy import numpy as tnp

NUMBERS = st.integers(-5, 5).map(float)
COEFFICIENTS = st.lists(NUMBERS, min_size=1, max_size=6).map(np.array)
LEADING = st.tuples(st.sampled_from([-2.0, 1.0, 3.0]), st.lists(NUMBERS, max_size=3)).map(
    lambda v: np.array([v[0], *v[1]])
)


def padded(x: Any, size: int) -> Any:
    return np.pad(x, (size - len(x), 0))


@pytest.mark.usefixtures("wide")
@given(COEFFICIENTS, COEFFICIENTS)
@settings(max_examples=60, deadline=None)
def test_sums_and_products(x: Any, y: Any) -> None:
    size = max(len(x), len(y))
    np.testing.assert_array_equal(tnp.polyadd(x, y), padded(np.polyadd(x, y), size))
    np.testing.assert_array_equal(tnp.polysub(x, y), padded(np.polysub(x, y), size))
    product = np.polymul(x, y)
    np.testing.assert_allclose(tnp.polymul(x, y), padded(product, len(x) + len(y) - 1), atol=1e-12)
    if np.any(x) and np.any(y) and min(len(x), len(y)) > 1:
        np.testing.assert_allclose(tnp.polymul(x, y, trim_leading_zeros=True), product, atol=1e-12)


@pytest.mark.usefixtures("wide")
@given(COEFFICIENTS, LEADING)
@settings(max_examples=60, deadline=None)
def test_quotients(u: Any, v: Any) -> None:
    quotient, rest = tnp.polydiv(u, v)
    assert quotient.shape == (max(len(u) - len(v) + 1, 1),)
    assert rest.shape == u.shape
    back = np.polyadd(np.polymul(np.asarray(quotient), v), np.asarray(rest))
    size = max(len(u), len(back))
    np.testing.assert_allclose(padded(back, size), padded(u, size), atol=1e-9)
    if len(u) >= len(v):
        np.testing.assert_allclose(np.asarray(rest)[: len(u) - len(v) + 1], 0, atol=1e-12)


@pytest.mark.usefixtures("wide")
@given(COEFFICIENTS, st.integers(0, 7), st.none() | NUMBERS | st.just("each"))
@settings(max_examples=60, deadline=None)
def test_derivatives_and_integrals(x: Any, m: int, k: Any) -> None:
    np.testing.assert_allclose(tnp.polyder(x, m), np.polyder(x, m), rtol=1e-12)
    constants = np.arange(1.0, m + 1) if k == "each" else k
    if m and not (k == "each" and m == 1):
        np.testing.assert_allclose(
            tnp.polyint(x, m, constants), np.polyint(x, m, constants), rtol=1e-12
        )


def test_staged(staged: Callable[..., Any]) -> None:
    x, y = np.array([1.0, 3.0, 5.0], np.float32), np.array([1.0, 1.0], np.float32)
    np.testing.assert_array_equal(staged(lambda u, v: tnp.polydiv(u, v)[1], x, y), [0, 0, 3])
    with pytest.raises(ConcretizationError):
        staged(lambda u, v: tnp.polymul(u, v, trim_leading_zeros=True), x, y)


def test_refused() -> None:
    function: Any
    x, matrix = np.ones(2), np.ones((2, 2))
    for function in (tnp.polyadd, tnp.polysub):
        for wrong in (3.0, matrix):
            with pytest.raises(ShapeError):
                function(x, wrong)
    for function in (tnp.polymul, tnp.polydiv):
        with pytest.raises(ShapeError, match="a vector"):
            function(x, matrix)
    with pytest.raises(ShapeError, match="one coefficient or more"):
        tnp.polydiv(x, x[:0])
    for derived in (tnp.polyder, tnp.polyint):
        with pytest.raises(ArgumentError, match="0 or more"):
            derived(x, -1)
    with pytest.raises(ShapeError, match="size 1 or 2"):
        tnp.polyint(x, 2, np.ones(3))


@pytest.mark.parametrize(("one", "other"), [((2, 3), (1,)), ((1, 3), (2, 3)), ((4, 2), (2, 1))])
def test_what_stands_after_the_first_axis_is_broadcast(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    x, y = np.arange(1.0, 1 + math.prod(one)).reshape(one), np.ones(other)
    long, short = (x, y) if len(x) >= len(y) else (y, x)
    expected = long.copy()
    expected[len(long) - len(short) :] += short
    np.testing.assert_array_equal(tnp.polyadd(x, y), expected)
    np.testing.assert_array_equal(tnp.polyadd(y, x), expected)
    with pytest.raises(ShapeError, match="differ after the first axis"):
        tnp.polysub(np.ones((2, 3)), np.ones(3))


def test_the_integral_of_booleans_is_of_default_floats() -> None:
    for wide, dtype in ((False, np.float32), (True, np.float64)):
        with X64.override(wide):
            assert tnp.polyint(np.array([True, False])).dtype == dtype
