from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError, ops
from treadle_ir.primitives.fourier import Fft

Z = np.ones((2, 4), np.complex64)


def test_c1_kind() -> None:
    with pytest.raises(ArgumentError, match="kind is 'dft', not one of fft, ifft, rfft, irfft"):
        Fft("dft", (4,))  # type: ignore[arg-type]


def test_c2_lengths() -> None:
    with pytest.raises(ShapeError, match=r"sizes \(4,\), but fft of lengths \(5,\) takes \(5,\)"):
        ops.fft(Z, kind="fft", lengths=(5,))
    with pytest.raises(ShapeError, match=r"irfft of lengths \(4,\) takes \(3,\)"):
        ops.fft(Z, kind="irfft", lengths=(4,))
    for lengths in ((), (1, 2, 4)):
        with pytest.raises(ShapeError, match="between 1 and 3 are transformed"):
            ops.fft(Z, kind="fft", lengths=lengths)


def test_c3_element_types() -> None:
    with pytest.raises(DTypeError, match="fft takes c64 or c128, got f32"):
        ops.fft(Z.real, kind="fft", lengths=(4,))
    with pytest.raises(DTypeError, match="rfft takes f32 or f64, got c64"):
        ops.fft(Z, kind="rfft", lengths=(4,))
    with pytest.raises(DTypeError, match="rfft takes f32 or f64, got f16"):
        ops.fft(Z.real.astype(np.float16), kind="rfft", lengths=(4,))


def test_precision_is_the_operands() -> None:
    assert ops.fft(Z, kind="ifft", lengths=(2, 4)).dtype == np.complex64
    assert ops.fft(Z.real, kind="rfft", lengths=(4,)).dtype == np.complex64
    assert ops.fft(Z.astype(np.complex128), kind="irfft", lengths=(7,)).dtype == np.float64


def test_irfft_does_not_look_at_what_symmetry_makes_real() -> None:
    z = np.array([1 + 5j, 2 + 3j, 4 + 7j])
    np.testing.assert_array_equal(
        ops.fft(z, kind="irfft", lengths=(4,)),
        ops.fft(np.array([1, 2 + 3j, 4]), kind="irfft", lengths=(4,)),
    )
