"""Frequencies and shifts against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError
from treadle_ir.errors import AxisError
from treadle_numpy.numpy.fft import fftfreq, fftshift, ifftshift, rfftfreq

X = np.arange(30.0, dtype=np.float32).reshape(2, 3, 5)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9])
def test_frequencies(n: int) -> None:
    for d in (1.0, 0.1, 3):
        np.testing.assert_allclose(fftfreq(n, d), np.fft.fftfreq(n, d), rtol=1e-6)
        np.testing.assert_allclose(rfftfreq(n, d), np.fft.rfftfreq(n, d), rtol=1e-6)
    assert fftfreq(n).dtype == np.float32
    assert rfftfreq(n, dtype=np.float16).dtype == np.float16


def test_spacing_may_be_traced(staged: Any) -> None:
    np.testing.assert_allclose(
        staged(lambda d: fftfreq(5, d), np.float32(0.5)), np.fft.fftfreq(5, 0.5), rtol=1e-6
    )


def test_no_frequencies() -> None:
    assert fftfreq(0).shape == (0,)


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 2), (2, 1), ()])
def test_shifts(axes: Any) -> None:
    np.testing.assert_array_equal(fftshift(X, axes), np.fft.fftshift(X, axes))
    np.testing.assert_array_equal(ifftshift(X, axes), np.fft.ifftshift(X, axes))
    np.testing.assert_array_equal(ifftshift(fftshift(X, axes), axes), X)


def test_errors() -> None:
    with pytest.raises(ArgumentError, match="fftfreq: n is -1, but must not be negative"):
        fftfreq(-1)
    with pytest.raises(ArgumentError, match="rfftfreq: n must be an integer"):
        rfftfreq(2.5)  # type: ignore[arg-type]
    with pytest.raises(AxisError, match="fftshift: axis 3 is out of bounds"):
        fftshift(X, 3)
