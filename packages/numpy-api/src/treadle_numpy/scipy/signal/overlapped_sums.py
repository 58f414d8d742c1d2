"""Signals made of their short-time Fourier transforms, by adding overlapping segments.

Method: Griffin and Lim, IEEE Trans. ASSP 32 (1984) 236: the signal whose transform is nearest by least squares.
"""

from __future__ import annotations

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.errors import flags, integer_or_none
from treadle_numpy.indexing.writing import How, update
from treadle_numpy.numpy.creation.constant import zeros
from treadle_numpy.numpy.fft.one_axis import ifft, irfft
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.shapes import shape
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.scipy.signal.spectra import Segments, Window, rate_of

__all__ = ["istft"]

_NOTHING = 1e-10  # of weights: what is below is not divided by


def istft(
    Zxx: ArrayLike,  # noqa: N803 - SciPy's name
    fs: ArrayLike = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
) -> tuple[Array, Array]:
    """Return the signal whose short-time Fourier transform this is, or nearest to it: the inverse of `stft`.

    Other arguments must be the same as for `stft`. Samples that the windows leave no weight are not restored.

    Args:
        Zxx: the transform.
        fs: samples per unit of time.
        window: of the segments: a name such as "hann", a tuple of a name and parameters, or a vector.
        nperseg: samples per segment; what goes with the number of frequencies by default, an even one.
        noverlap: samples that a segment shares with the next one; half of them by default.
        nfft: the length of the transforms.
        input_onesided: there are no negative frequencies; the signal is real.
        boundary: half a segment is taken off at both ends, by which `stft` continued the signal.
        time_axis: of segments.
        freq_axis: of frequencies.

    Returns:
        The times of samples, and the signal, with time in the place of the segments.

    Raises:
        ArgumentError: numbers do not fit each other.
        ShapeError: the transform has less than two axes.
        AxisError: there is no such axis.

    Example:
        >>> from treadle_numpy.scipy.signal import stft
        >>> x = np.array([1.0, 2, 3, 4, 5, 6], np.float32)
        >>> t, y = istft(stft(x, nperseg=4)[2])
        >>> print(t, y.round(3))
        [0. 1. 2. 3. 4. 5.] [1. 2. 3. 4. 5. 6.]
    """
    flags("istft", input_onesided=input_onesided, boundary=boundary)
    given = array_of(promote("istft", Zxx, inexact=True)[0])
    if given.ndim < 2:
        raise ShapeError(f"istft: Zxx must have two axes or more, got shape {given.shape}")
    rows, columns = [as_axis("istft", each, given.ndim) for each in (time_axis, freq_axis)]
    if rows == columns:
        raise ArgumentError("istft: time_axis and freq_axis must differ")
    spectra = moveaxis(given, (rows, columns), (-2, -1))
    bins = spectra.shape[-1]
    usual = 2 * (bins - 1) if input_onesided else bins
    size = integer_or_none("istft", "nperseg", nperseg)
    if isinstance(window, (str, tuple)) and size is None:
        size = usual
    most = max(usual + 1, size or 0)
    length = max(shape(window), default=1) if size is None else size
    whole = integer_or_none("istft", "nfft", nfft)
    if whole is None:
        whole = length if input_onesided and length == usual + 1 else usual
    if length > whole:
        raise ArgumentError(
            f"istft: segments of {length} samples are longer than transforms of {whole}",
            fix="give a smaller nperseg, or the nfft of the transforms",
        )
    parts = Segments.read("istft", window, size, noverlap, whole, most)
    frames = (
        irfft(spectra, parts.transformed) if input_onesided else ifft(spectra, parts.transformed)
    )
    frames = frames[..., : parts.length]
    weights = parts.weights(frames.dtype)
    summed = _overlapped(frames * (weights * abs(sum(weights))), parts)
    count = frames.shape[-2]
    squares = broadcast_to(weights**2, (count, parts.length))
    total = _overlapped(squares, parts)
    signal = summed / where(total > _NOTHING, total, 1)
    half = parts.length // 2
    if boundary and half:
        signal = signal[..., half:-half]
    rate = rate_of("istft", fs, signal)
    times = array_of(np.arange(signal.shape[-1]).astype(rate.dtype)) / rate
    return times, moveaxis(signal, -1, rows - (columns < rows))


def _overlapped(frames: Array, parts: Segments) -> Array:
    """Return the sum of segments, each in its place."""
    *outer, count, length = frames.shape
    size = (count - 1) * parts.step + length if count else 0
    places = np.arange(count)[:, None] * parts.step + np.arange(length)
    nothing = zeros((*outer, size), frames.dtype)
    return update(How(ops.scatter_add), nothing, (..., places), frames)
