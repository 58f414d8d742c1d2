"""SciPy's spectra of drawn signals."""

from __future__ import annotations

import warnings
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import signal as scipys

from treadle_ir import ArgumentError
from treadle_ir.errors import AxisError
from treadle_numpy.scipy.signal import csd, stft, welch

COMMON: dict[str, st.SearchStrategy[Any]] = {
    "window": st.sampled_from(["hann", "boxcar", ("kaiser", 3.0)]),
    "nperseg": st.integers(2, 12),
    "noverlap": st.sampled_from([None, 0, 1]),
    "nfft": st.sampled_from([None, 12, 15]),
    "detrend": st.sampled_from([False, "constant", "linear"]),
    "return_onesided": st.booleans(),
    "axis": st.integers(-2, 1),
    "fs": st.sampled_from([1.0, 8.0]),
}
STFT = COMMON | {
    "boundary": st.sampled_from([None, "even", "odd", "constant", "zeros"]),
    "padded": st.booleans(),
}
CSD = COMMON | {
    "scaling": st.sampled_from(["density", "spectrum"]),
    "average": st.sampled_from(["mean", "median"]),
}


def drawn(seed: int, size: int, axis: int, complex_: bool) -> Any:
    random = np.random.default_rng(seed)
    x = random.normal(size=(2, size)) + (1j * random.normal(size=(2, size)) if complex_ else 0)
    return x if axis in (1, -1) else x.T


def halved(x: Any) -> Any:
    return x / 2


def same(ours: Any, theirs: Any) -> None:
    assert len(ours) == len(theirs)
    for found, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.usefixtures("wide")
@given(st.integers(0, 99), st.integers(12, 20), st.booleans(), st.fixed_dictionaries(STFT))
@settings(max_examples=60, deadline=None)
def test_stft(seed: int, size: int, complex_: bool, more: dict[str, Any]) -> None:
    x = drawn(seed, size, more["axis"], complex_)
    more["return_onesided"] &= not complex_
    same(stft(x, **more), scipys.stft(x, **more))


@pytest.mark.usefixtures("wide")
@given(
    st.integers(0, 99),
    st.integers(12, 20),
    st.sampled_from([None, 12, 15]),
    st.booleans(),
    st.fixed_dictionaries(CSD),
)
@settings(max_examples=60, deadline=None)
def test_densities(
    seed: int, size: int, other: int | None, complex_: bool, more: dict[str, Any]
) -> None:
    x = drawn(seed, size, more["axis"], complex_)
    more["return_onesided"] &= not complex_
    if other is None:
        same(welch(x, **more), scipys.welch(x, **more))
        same(csd(x, None, **more), scipys.welch(x, **more))
    else:
        y = drawn(seed + 1, other, more["axis"], complex_)
        same(csd(x, y, **more), scipys.csd(x, y, **more))


@pytest.mark.usefixtures("wide")
def test_short_signals_and_functions() -> None:
    x = np.random.default_rng(0).normal(size=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(welch(x), scipys.welch(x))
        same(stft(x), scipys.stft(x))
    same(welch(x, nperseg=3, detrend=halved), scipys.welch(x, nperseg=3, detrend=halved))
    window = np.array([1.0, 2.0, 1.0])
    same(welch(x, window=window), scipys.welch(x, window=window))


def test_types_and_nothing() -> None:
    f, t, z = stft(np.arange(8), nperseg=4)
    expected: Any = (np.float32, np.float32, np.complex64)
    assert (f.dtype, t.dtype, z.dtype) == expected
    assert welch(np.ones(8, np.complex64), nperseg=4)[1].dtype == np.float32
    assert welch(np.zeros((2, 0)))[1].shape == (2, 0)
    assert csd(np.ones(4), np.zeros(0))[1].shape == (0,)
    assert stft(np.zeros(0))[2].shape == (0,)


def test_refused() -> None:
    x = np.ones(8)
    for more in (
        *({"window": "other"}, {"nperseg": 0}, {"noverlap": 4}, {"noverlap": -1}, {"nfft": 3}),
        *({"detrend": "curved"}, {"detrend": True}, {"fs": "fast"}, {"fs": np.ones(2)}),
    ):
        arguments: dict[str, Any] = {"nperseg": 4, **more}
        for function in (stft, welch):
            with pytest.raises(ArgumentError):
                function(x, **arguments)
    with pytest.raises(ArgumentError, match="boundary"):
        stft(x, boundary="other")
    with pytest.raises(ArgumentError, match="scaling"):
        welch(x, scaling="other")
    with pytest.raises(ArgumentError, match="average"):
        welch(x, average="mode")
    with pytest.raises(AxisError):
        welch(x, axis=1)


def test_spectra_of_nothing_have_its_shape() -> None:
    nothing = np.zeros((0, 3), np.float32)
    for axis in (0, 1):
        assert [each.shape for each in welch(nothing, axis=axis)] == [(0, 3)] * 2
        frequencies, density = csd(nothing, nothing, axis=axis)
        assert density.shape == (0, 3)
        assert (frequencies.dtype.kind, density.dtype.kind) == ("f", "c")
        assert [each.dtype.kind for each in stft(nothing, axis=axis)] == ["f", "f", "c"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_spectra_of_short_numbers_are_computed_in_single_precision(dtype: str) -> None:
    x = np.random.default_rng(0).normal(size=70_000).astype(ml_dtypes.finfo(dtype).dtype)
    wide = x.astype(np.float32)
    for ours, theirs in (
        (stft(x), scipys.stft(wide)),
        (welch(x, fs=1000.0), scipys.welch(wide, fs=1000.0)),
        (csd(x, x), scipys.csd(wide, wide)),
    ):
        for found, expected in zip(ours, theirs, strict=True):
            assert found.dtype in (np.float32, np.complex64)
            scale = np.abs(expected).max()
            np.testing.assert_allclose(found, expected, atol=1e-5 * scale, rtol=1e-5)
    frequencies, powers = welch(x[:0])
    assert frequencies.dtype == powers.dtype == np.float32
