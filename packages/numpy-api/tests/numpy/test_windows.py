"""Windows are NumPy's, in the element type in force."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_ir.settings import X64
from treadle_numpy.numpy import windows


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(name: str) -> None:
    for count in (0, 1, 2, 7, 8):
        found = np.asarray(getattr(windows, name)(count))
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, getattr(np, name)(count).astype(np.float32))
    with pytest.raises(ArgumentError, match=f"{name}: M is -1, but must not be negative"):
        getattr(windows, name)(-1)
    with pytest.raises(ArgumentError, match=f"{name}: M must be an integer"):
        getattr(windows, name)(2.5)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("count", [4096, 4097, 4098, 65_537, 200_000])
def test_long_windows_are_as_exact_and_the_same_from_both_ends(name: str, count: int) -> None:
    found = np.asarray(getattr(windows, name)(count))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, found[::-1])
    np.testing.assert_allclose(found, getattr(np, name)(count), rtol=1e-7, atol=1e-15)
    with X64.override(True):
        precise = np.asarray(getattr(windows, name)(count))
    np.testing.assert_allclose(precise, getattr(np, name)(count), rtol=1e-12, atol=3e-15)


def test_long_kaiser() -> None:
    for count in (4097, 20_000):
        np.testing.assert_allclose(windows.kaiser(count, 8.6), np.kaiser(count, 8.6), rtol=3e-6)


@pytest.mark.parametrize("beta", [0.0, 1.0, 8.6, -3.0, 400.0])
def test_kaiser(beta: float) -> None:
    for count in (0, 1, 2, 7, 8):
        np.testing.assert_allclose(
            windows.kaiser(count, beta), np.kaiser(count, beta), rtol=3e-5, atol=1e-30
        )
        with X64.override(True):
            found = windows.kaiser(count, beta)
        np.testing.assert_allclose(found, np.kaiser(count, beta), rtol=1e-12, atol=1e-300)


def test_kaiser_is_finite_where_the_bessel_function_is_not() -> None:
    found = np.asarray(windows.kaiser(5, 1e4))
    assert found[2] == 1
    assert np.isfinite(found).all()


def test_kaiser_refuses() -> None:
    with pytest.raises(ShapeError, match=r"kaiser: beta must be a scalar, got shape \(2,\)"):
        windows.kaiser(3, np.ones(2))
    with pytest.raises(DTypeError, match="kaiser: beta is complex"):
        windows.kaiser(3, 1j)
    with pytest.raises(ArgumentError, match="kaiser: M is -1"):
        windows.kaiser(-1, 1.0)
