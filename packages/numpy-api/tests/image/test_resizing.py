"""Resized images are sums over pixels by the kernels' formulas, in float64, one pixel at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_ir.errors import AxisError
from treadle_numpy.image import ResizeMethod, resize, scale_and_translate


def sinc(x: float) -> float:
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)


def cubic(a: float) -> Callable[[float], float]:
    """Keys' equation (15), of the parameter a."""

    def weight(x: float) -> float:
        if x <= 1:
            return (a + 2) * x**3 - (a + 3) * x**2 + 1
        return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0

    return weight


KERNELS: Final[dict[str, Callable[[float], float]]] = {
    "linear": lambda x: max(0.0, 1 - x),
    "cubic": cubic(-0.5),
    "cubic-pytorch": cubic(-0.75),
    "lanczos3": lambda x: sinc(x) * sinc(x / 3) if x < 3 else 0.0,
    "lanczos5": lambda x: sinc(x) * sinc(x / 5) if x < 5 else 0.0,
}


def looped(x: Any, size: int, scale: float, translation: float, method: str, wide: bool) -> Any:
    result = np.zeros(size)
    for i in range(size):
        low, high = (i - translation) / scale, (i + 1 - translation) / scale
        centre = (low + high) / 2
        if not 0 <= centre <= len(x):
            continue
        if method == "area":
            weights = [max(0.0, min(high, j + 1) - max(low, j)) for j in range(len(x))]
        else:
            width = max(1 / scale, 1) if wide else 1
            weights = [KERNELS[method](abs(centre - j - 0.5) / width) for j in range(len(x))]
        result[i] = np.dot(weights, x) / sum(weights)
    return result


@pytest.mark.usefixtures("wide")
@given(st.sampled_from([*KERNELS, "area"]), st.integers(1, 9), st.integers(1, 12), st.booleans())
@settings(max_examples=100, deadline=None)
def test_resize(method: str, n: int, m: int, antialias: bool) -> None:
    x = np.random.default_rng(n).normal(size=n)
    expected = x if n == m else looped(x, m, m / n, 0.0, method, antialias)
    np.testing.assert_allclose(resize(x, (m,), method, antialias), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("wide")
@given(
    st.sampled_from([*KERNELS, "area"]),
    st.floats(0.3, 3),
    st.floats(-4, 4),
    st.integers(1, 8),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_scale_and_translate(
    method: str, scale: float, translation: float, m: int, antialias: bool
) -> None:
    x = np.random.default_rng(m).normal(size=5)
    found = scale_and_translate(x, (m,), (0,), [scale], [translation], method, antialias)
    expected = looped(x, m, scale, translation, method, antialias)
    edges = (np.arange(m) + 0.5 - translation) / scale
    apart = np.minimum(abs(edges), abs(edges - 5)) > 1e-9  # rounding decides for samples on an edge
    np.testing.assert_allclose(np.asarray(found)[apart], expected[apart], rtol=1e-7, atol=1e-8)


def test_several_axes(staged: Callable[..., Any]) -> None:
    x = np.random.default_rng(0).normal(size=(4, 5, 3)).astype(np.float32)
    rows = np.apply_along_axis(lambda v: looped(v, 6, 1.5, 0, "linear", True), 0, x)
    expected = np.apply_along_axis(lambda v: looped(v, 2, 0.4, 0, "linear", True), 1, rows)
    found = staged(lambda a: resize(a, (6, 2, 3), ResizeMethod.LINEAR), x)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_nearest_keeps_types() -> None:
    x = np.arange(5, dtype=np.uint8)
    for size, expected in ((3, [0, 2, 4]), (8, [0, 0, 1, 2, 2, 3, 4, 4]), (0, [])):
        found = resize(x, (size,), "nearest")
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, expected)
    assert resize(x, (3,), "linear").dtype == np.float32
    assert resize(x.astype(np.float16), (3,), "cubic").dtype == np.float16
    assert resize(np.ones((2, 3)), (0, 3), "linear").shape == (0, 3)


def test_constant_images_stay_constant() -> None:
    x = np.full((5, 7), 3.0, np.float32)
    for method in ResizeMethod:
        np.testing.assert_allclose(resize(x, (9, 4), method), 3.0, rtol=1e-5)


def test_refused() -> None:
    x = np.ones((2, 3))
    with pytest.raises(ShapeError, match="one size for each axis"):
        resize(x, (2,), "linear")
    with pytest.raises(ArgumentError, match="no method 'best'"):
        resize(x, (2, 2), "best")
    with pytest.raises(ShapeError, match="no pixels"):
        resize(x[:0], (2, 3), "linear")
    one = np.ones(1)
    with pytest.raises(UnsupportedError, match="nearest"):
        scale_and_translate(x, (2, 3), (0,), one, one, "nearest")
    with pytest.raises(AxisError):
        scale_and_translate(x, (2, 3), (2,), one, one, "linear")
    with pytest.raises(ShapeError, match="one number for each of 2 axes"):
        scale_and_translate(x, (2, 3), (0, 1), one, one, "linear")
    with pytest.raises(ShapeError, match="axis 1 is not scaled"):
        scale_and_translate(x, (2, 4), (0,), one, one, "linear")
