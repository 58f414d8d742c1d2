"""lax.fft: kinds by member and by name, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError
from treadle_numpy.lax import FftType, fft

X = np.random.default_rng(1).normal(size=(2, 3, 4)).astype(np.float32)


@pytest.mark.parametrize("kind", list(FftType))
def test_kinds(kind: FftType) -> None:
    lengths = (3, 6) if kind is FftType.IRFFT else (3, 4)
    numpys = getattr(np.fft, f"{kind.name.lower()}n")
    for named in (kind, kind.name, kind.name.lower()):
        np.testing.assert_allclose(
            fft(X, named, lengths), numpys(X, lengths, (1, 2)), rtol=1e-5, atol=1e-5
        )


def test_no_lengths_change_nothing() -> None:
    np.testing.assert_array_equal(fft(X, "fft", ()), X)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fft(X, "dft", (4,)), ArgumentError, "one of FFT, IFFT, RFFT, IRFFT, got 'dft'"),
        (
            lambda: fft(X, 0, (4,)),  # type: ignore[arg-type]  # no kind
            ArgumentError,
            "fft_type must be one of",
        ),
        (
            lambda: fft(X, "fft", 4),  # type: ignore[arg-type]  # no sequence
            ArgumentError,
            "fft_lengths must be a sequence",
        ),
        (lambda: fft(X, "fft", (5,)), ShapeError, r"takes \(5,\)"),
        (lambda: fft(X[None], "fft", (1, 2, 3, 4)), ShapeError, "between 1 and 3"),
        (lambda: fft(X + 1j, "rfft", (4,)), DTypeError, "rfft takes f32 or f64"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
