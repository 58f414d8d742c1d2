"""Convolutions are sums over overlapping elements, by either method and in all modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_numpy.scipy.signal import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    fftconvolve,
)

MODES = ("full", "same", "valid")


def looped(x: Any, y: Any) -> Any:
    """Convolve by a loop over all overlaps."""
    result = np.zeros(
        [n + m - 1 for n, m in zip(x.shape, y.shape, strict=True)], np.result_type(x, y)
    )
    for at in np.ndindex(y.shape):
        result[tuple(slice(i, i + n) for i, n in zip(at, x.shape, strict=True))] += x * y[at]
    return result


def cut(full: Any, x: Any, y: Any, mode: str, up: bool = False) -> Any:
    if mode == "full":
        return full
    pairs = list(zip(x.shape, y.shape, strict=True))
    if mode == "valid":
        return full[tuple(slice(min(n, m) - 1, max(n, m)) for n, m in pairs)]
    starts = [(m if up else m - 1) // 2 for _, m in pairs]
    return full[tuple(slice(s, s + n) for s, (n, _) in zip(starts, pairs, strict=True))]


@pytest.mark.usefixtures("wide")
@given(
    st.integers(1, 3).flatmap(
        lambda d: st.tuples(*[st.tuples(*[st.integers(1, 4)] * d) for _ in range(2)])
    ),
    st.sampled_from(MODES),
)
@settings(max_examples=40, deadline=None)
def test_of_any_number_of_axes(shapes: Any, mode: str) -> None:
    random = np.random.default_rng(1)
    x, y = [random.normal(size=shape) for shape in shapes]
    inside = np.subtract(*shapes)
    if mode == "valid" and not (np.all(inside >= 0) or np.all(inside <= 0)):
        for refusing in (convolve, fftconvolve):
            with pytest.raises(ShapeError, match="within the other"):
                refusing(x, y, mode)
        return
    expected = cut(looped(x, y), x, y, mode)
    for found in (convolve(x, y, mode), fftconvolve(x, y, mode), convolve(x, y, mode, "fft")):
        np.testing.assert_allclose(found, expected, atol=1e-10)
    turned = y[(slice(None, None, -1),) * y.ndim]
    np.testing.assert_allclose(
        correlate(x, y, mode), cut(looped(x, turned), x, y, mode), atol=1e-10
    )
    if x.ndim == 2:
        np.testing.assert_allclose(convolve2d(x, y, mode), expected, atol=1e-10)
        up = cut(looped(x, turned), x, y, mode, True)
        np.testing.assert_allclose(correlate2d(x, y, mode), up, atol=1e-10)


@pytest.mark.usefixtures("wide")
def test_complex_and_some_axes(staged: Callable[..., Any]) -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 3, 4)) + 1j * random.normal(size=(2, 3, 4))
    rows = np.stack([np.convolve(a, b) for a, b in zip(x, y, strict=True)])
    np.testing.assert_allclose(fftconvolve(x, y, axes=[1]), rows, atol=1e-10)
    np.testing.assert_allclose(fftconvolve(x.real, y.real, axes=()), x.real * y.real)
    np.testing.assert_allclose(correlate(x[0], y[0]), np.correlate(x[0], y[0], "full"), atol=1e-10)
    found = staged(lambda a, b: convolve(a, b, "same"), x[0].real, y[0].real)
    np.testing.assert_allclose(found, cut(np.convolve(x[0].real, y[0].real), x[0], y[0], "same"))
    assert convolve(np.arange(3), np.arange(2)).dtype.kind == "f"
    assert float(convolve(2.0, 3.0)) == 6


def test_refused() -> None:
    x, m = np.ones(3), np.ones((2, 2))
    for function in (convolve, correlate, fftconvolve):
        with pytest.raises(ShapeError, match="as many axes"):
            function(x, m)
        with pytest.raises(ShapeError, match="empty"):
            function(x, x[:0])
        with pytest.raises(ArgumentError, match="mode must be"):
            function(x, x, "most")
    with pytest.raises(ArgumentError, match="method must be"):
        convolve(x, x, method="quick")
    with pytest.raises(ShapeError, match="matrices"):
        convolve2d(x, x)
    for more in ({"boundary": "wrap"}, {"fillvalue": 1}):
        with pytest.raises(UnsupportedError, match="zeros around"):
            correlate2d(m, m, **more)
    with pytest.raises(ShapeError, match="must be equal"):
        fftconvolve(m, np.ones((3, 2)), axes=[1])
