"""Fitted polynomials, their covariances and residuals are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.numpy import polyfit


def drawn(n: int, *columns: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(n)
    x = np.sort(random.uniform(-2, 2, n)) + np.arange(n) / 10
    return x, random.normal(size=(n, *columns)), random.uniform(0.5, 2, n)


@pytest.mark.usefixtures("wide")
@given(
    n=st.integers(7, 12),
    deg=st.integers(0, 4),
    columns=st.sampled_from([(), (2,)]),
    weighted=st.booleans(),
    cov=st.sampled_from([True, "unscaled"]),
)
@settings(max_examples=40, deadline=None)
def test_numpys_function_gives_the_same(
    n: int, deg: int, columns: tuple[int, ...], weighted: bool, cov: Any
) -> None:
    x, y, weights = drawn(n, *columns)
    w = weights if weighted else None
    for found, expected in zip(
        polyfit(x, y, deg, w=w, cov=cov), np.polyfit(x, y, deg, w=w, cov=cov), strict=True
    ):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, atol=1e-9)
    for found, expected in zip(
        polyfit(x, y, deg, w=w, full=True), np.polyfit(x, y, deg, w=w, full=True), strict=True
    ):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, atol=1e-9)


def test_staged(staged: Callable[..., Any]) -> None:
    x, y = np.arange(4, dtype=np.float32), np.array([1, 3, 5, 7], np.float32)
    np.testing.assert_allclose(staged(lambda a, b: polyfit(a, b, 1), x, y), [2, 1], rtol=1e-4)
    np.testing.assert_allclose(polyfit(np.arange(4), np.arange(4), 1), [1, 0], atol=1e-5)


@pytest.mark.parametrize(
    ("shapes", "options", "said"),
    [
        (((3,), (2,)), {}, "as many rows"),
        (((3, 1), (3,)), {}, "a vector"),
        (((3,), (3, 1, 1)), {}, "a vector"),
        (((0,), (0,)), {}, "no points"),
        (((3,), (3,)), {"w": np.ones(2)}, "one weight for each point"),
    ],
)
def test_shapes_refused(shapes: Any, options: Any, said: str) -> None:
    x, y = [np.ones(shape) for shape in shapes]
    with pytest.raises(ShapeError, match=said):
        polyfit(x, y, 1, **options)


def test_arguments_refused() -> None:
    x = np.arange(3.0)
    with pytest.raises(ArgumentError, match="0 or more"):
        polyfit(x, x, -1)
    with pytest.raises(ArgumentError, match="must exceed"):
        polyfit(x, x, 2, cov=True)
    with pytest.raises(ArgumentError, match="'unscaled'"):
        polyfit(x, x, 1, cov="scaled")
