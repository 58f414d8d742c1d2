"""Fourier transforms against NumPy's, and their laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import treadle_numpy.numpy.fft as tfft
from treadle_ir import ArgumentError, DTypeError
from treadle_ir.errors import AxisError
from treadle_ir.settings import X64

pytestmark = pytest.mark.usefixtures("wide")
RANDOM = np.random.default_rng(3)
REAL = RANDOM.normal(size=(2, 3, 2, 3, 4))
COMPLEX = REAL + 1j * RANDOM.normal(size=REAL.shape)
NORMS = [None, "backward", "ortho", "forward"]
FFT: Any = tfft.fft  # for calls that its annotations refuse


def operand(name: str) -> Any:
    return REAL if name in ("rfft", "ihfft", "rfftn", "rfft2") else COMPLEX


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_one_axis(name: str, norm: Any) -> None:
    ours, numpys, x = getattr(tfft, name), getattr(np.fft, name), operand(name)
    for n in (None, 1, 2, 3, 7, 8):
        for axis in (-1, 1):
            found, expected = np.asarray(ours(x, n, axis, norm)), numpys(x, n, axis, norm)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes(name: str, norm: Any) -> None:
    ours, numpys, x = getattr(tfft, name), getattr(np.fft, name), operand(name)
    for s, axes in [
        (None, None),
        (None, (0,)),
        (None, (4, 0)),
        (None, (1, 0, 3, 2)),
        (None, (3, 1, 4, 0, 2)),
        ((4, 2), (-1, 1)),
        ((2, 1, 5), (0, 1, 2)),
        ((3, 2, 2, 5, 3), (0, 1, 2, 3, 4)),
    ]:
        found = np.asarray(ours(x, s, axes, norm))
        np.testing.assert_allclose(found, numpys(x, s, axes, norm), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        ours(x, (3, 5), norm=norm), numpys(x, (3, 5), (-2, -1), norm), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_two_axes(name: str) -> None:
    ours, numpys, x = getattr(tfft, name), getattr(np.fft, name), operand(name)
    np.testing.assert_allclose(ours(x), numpys(x), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        ours(x, (2, 5), (0, 2), "ortho"), numpys(x, (2, 5), (0, 2), "ortho"), rtol=1e-12, atol=1e-12
    )


def test_no_axes_change_nothing() -> None:
    np.testing.assert_array_equal(tfft.fftn(REAL, axes=()), REAL.astype(complex))
    with pytest.raises(ArgumentError, match="rfftn: no axes, but real transforms need one"):
        tfft.rfftn(REAL, axes=())


def test_element_types() -> None:
    """The precision of the operand; in 16 bits and of integers, f32's."""
    with X64.override(False):
        for dtype in (np.int32, np.bool_, np.float16, np.float32):
            assert tfft.fft(np.ones(3, dtype)).dtype == np.complex64
            assert tfft.rfft(np.ones(3, dtype)).dtype == np.complex64
            assert tfft.irfft(np.ones(3, dtype)).dtype == np.float32
    assert tfft.fft(np.ones(3, np.float32)).dtype == np.complex64
    assert tfft.fft(np.ones(3, np.int64)).dtype == np.complex128
    assert tfft.rfft(np.ones(3, np.float16)).dtype == np.complex64


def test_axes_without_elements() -> None:
    assert tfft.fft(np.ones((2, 0))).shape == (2, 0)
    assert tfft.rfft(np.ones((2, 0))).shape == (2, 0)
    assert tfft.irfft(np.ones((2, 1))).shape == (2, 0)
    assert tfft.fft(np.ones((0, 3)), norm="forward").shape == (0, 3)
    np.testing.assert_array_equal(tfft.fft(np.ones((2, 0)), 3), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tfft.fft(REAL, 0), ArgumentError, "fft: n is 0, but must be at least 1"),
        (lambda: FFT(REAL, 2.5), ArgumentError, "fft: n must be an integer"),
        (lambda: tfft.fft(REAL, axis=5), AxisError, "fft: axis 5 is out of bounds"),
        (lambda: FFT(REAL, axis=(0, 1)), ArgumentError, "but one axis is transformed"),
        (lambda: tfft.fft(2.0), AxisError, "out of bounds for array of dimension 0"),
        (lambda: tfft.ifft(REAL, norm="big"), ArgumentError, "Invalid norm value 'big'"),
        (lambda: tfft.rfft(COMPLEX), DTypeError, "only real valued inputs supported for rfft"),
        (lambda: tfft.ihfft(COMPLEX), DTypeError, "only real valued inputs supported for ihfft"),
        (lambda: tfft.fftn(REAL, axes=(1, 1)), ArgumentError, "name one axis twice"),
        (lambda: tfft.fftn(REAL, (2, 0)), ArgumentError, "every length must be at least 1"),
        (lambda: tfft.fftn(REAL, (2,), (0, 1)), ArgumentError, "s has 1 lengths for the 2 axes"),
        (lambda: tfft.fft2(REAL, axes=(0,)), ArgumentError, "2 axes are transformed"),
        (lambda: tfft.fft2(REAL[0, 0, 0, 0]), AxisError, "fft2: axis -2 is out of bounds"),
        (lambda: FFT([1.0, 2.0]), ArgumentError, "requires ndarray or scalar arguments"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


vectors = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        *[
            st.integers(0, 2**32 - 1).map(
                lambda seed: np.random.default_rng(seed).normal(size=(2, n))
            )
        ]
        * 2
    )
)


@settings(max_examples=25, deadline=None)
@given(vectors, st.integers(0, 50))
def test_laws(pair: Any, shift: int) -> None:
    """Linearity, Parseval's theorem, the shift theorem, the convolution theorem, the inverse."""
    with X64.override(True):
        x, y = [z[0] + 1j * z[1] for z in pair]
        n = len(x)
        fx, fy = np.asarray(tfft.fft(x)), np.asarray(tfft.fft(y))
        near: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10 * n}
        np.testing.assert_allclose(tfft.fft(2 * x - 3j * y), 2 * fx - 3j * fy, **near)
        np.testing.assert_allclose(np.vdot(fx, fy), n * np.vdot(x, y), **near)
        turned = fx * np.exp(-2j * np.pi * shift * np.arange(n) / n)
        np.testing.assert_allclose(tfft.fft(np.roll(x, shift)), turned, **near)
        round_convolution = [sum(x[j] * y[(k - j) % n] for j in range(n)) for k in range(n)]
        np.testing.assert_allclose(tfft.ifft(fx * fy), round_convolution, **near)
        np.testing.assert_allclose(tfft.ifft(fx), x, **near)
        np.testing.assert_allclose(tfft.irfft(tfft.rfft(x.real), n), x.real, **near)
        np.testing.assert_allclose(tfft.hfft(tfft.ihfft(x.real), n), x.real, **near)
