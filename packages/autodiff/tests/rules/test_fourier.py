from __future__ import annotations

import numpy as np
import pytest

from treadle_autodiff import transpose_rules
from treadle_autodiff.tangents import Linear
from treadle_ir import ArrayType
from treadle_ir.primitives.fourier import Fft


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_transposes_against_matrices(n: int) -> None:
    """Column j of the transpose holds Re of row j: with respect to Re(sum of ct y)."""
    random = np.random.default_rng(n)
    half = n // 2 + 1
    j, k = np.arange(n), np.arange(half)
    w = np.exp(-2j * np.pi * np.outer(k, j) / n)
    ct = random.normal(size=half) + 1j * random.normal(size=half)
    (found,) = transpose_rules[Fft("rfft", (n,))](
        Fft("rfft", (n,)), [ct], [Linear(ArrayType((n,), np.dtype(np.float64)))]
    )
    np.testing.assert_allclose(np.asarray(found), (ct @ w).real, atol=1e-12)

    ct_real = random.normal(size=n)
    by_real = np.stack([np.fft.irfft(unit, n) for unit in np.eye(half)])
    by_imaginary = np.stack([np.fft.irfft(1j * unit, n) for unit in np.eye(half)])
    (found,) = transpose_rules[Fft("irfft", (n,))](
        Fft("irfft", (n,)), [ct_real], [Linear(ArrayType((half,), np.dtype(np.complex128)))]
    )
    np.testing.assert_allclose(
        np.asarray(found), by_real @ ct_real - 1j * (by_imaginary @ ct_real), atol=1e-12
    )
