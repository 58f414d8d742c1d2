"""Windows are NumPy's, in the element type in force."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import X64, ArgumentError, DTypeError, ShapeError
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
