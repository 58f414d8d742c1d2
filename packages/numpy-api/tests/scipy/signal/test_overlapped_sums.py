"""SciPy's signals of drawn transforms, and what went in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import signal as scipys

from treadle_ir import ArgumentError, ShapeError
from treadle_numpy.scipy.signal import istft, stft


@pytest.mark.usefixtures("wide")
@given(
    st.integers(0, 99),
    st.integers(2, 9),
    st.integers(1, 5),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 0, 1]),
)
@settings(max_examples=40, deadline=None)
def test_transforms(
    seed: int, bins: int, count: int, onesided: bool, boundary: bool, noverlap: int | None
) -> None:
    random = np.random.default_rng(seed)
    z = random.normal(size=(2, bins, count)) + 1j * random.normal(size=(2, bins, count))
    more = {"input_onesided": onesided, "boundary": boundary, "noverlap": noverlap}
    arguments: dict[str, Any] = {"window": ("kaiser", 2.0), "fs": 4.0, **more}
    if (bins if not onesided else 2 * bins - 2) < 2:
        return
    times, found = istft(z, **arguments)
    _, expected = scipys.istft(z, **arguments)  # its times do not belong to this axis
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(times, np.arange(expected.shape[-1]) / 4)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("nperseg", [4, 5])
def test_there_and_back(complex_: bool, axis: int, nperseg: int) -> None:
    x = np.random.default_rng(0).normal(size=(12, 12)) * (1 + 2j if complex_ else 1)
    z = stft(x, nperseg=nperseg, axis=axis, return_onesided=not complex_)[2]
    _, y = istft(z, nperseg=nperseg, input_onesided=not complex_, freq_axis=axis)
    np.testing.assert_allclose(np.asarray(y)[:, :12], x if axis else x.T, atol=1e-12)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize(("time", "frequency"), [(0, 1), (1, 0), (2, 0), (0, 2)])
def test_axes(time: int, frequency: int) -> None:
    z = np.random.default_rng(0).normal(size=(4, 4, 4))
    _, found = istft(z, time_axis=time, freq_axis=frequency)
    _, expected = scipys.istft(z, time_axis=time, freq_axis=frequency)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_refused() -> None:
    z = np.ones((3, 4), np.complex64)
    with pytest.raises(ShapeError):
        istft(z[0])
    for more in (
        {"time_axis": 0},
        {"noverlap": 4},
        {"window": "other"},
        {"nfft": 2},
        {"nperseg": 99},
    ):
        with pytest.raises(ArgumentError):
            istft(z, **more)


def test_a_window_in_a_list() -> None:
    z = np.ones((3, 5), np.complex64)
    _, found = istft(z, window=[1.0, 2.0, 2.0, 1.0])  # type: ignore[arg-type]  # JAX takes it
    np.testing.assert_array_equal(found, istft(z, window=np.array([1, 2, 2, 1], np.float32))[1])
    with pytest.raises(ShapeError, match="istft: window must be a vector"):
        istft(z, window=3.0)
