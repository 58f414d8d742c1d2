"""Spectra of signals by segments: short-time Fourier transforms and back, and densities of power.

Methods: Welch, IEEE Trans. Audio Electroacoust. 15 (1967) 70; Griffin and Lim, IEEE Trans. ASSP 32 (1984) 236.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.core.dtypes import complex_of, is_complex, real_part
from treadle_ir.errors import allocating, flags, integer_or_none, names, shown
from treadle_ir.process import frozen
from treadle_numpy.numpy.fft.one_axis import fft, rfft
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.padding import pad
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.statistics.means import mean
from treadle_numpy.numpy.statistics.quantiles import median
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import common_shape
from treadle_numpy.operands.coerce import ArrayLike, is_array_like
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.scipy.signal.named_windows import as_window
from treadle_numpy.scipy.signal.trends import detrend as without_trend

__all__ = ["csd", "stft", "welch"]

# A type of trend, a function of segments along the last axis, or False. Any: of arrays.
Trend = str | bool | Callable[[Any], Any]
Window = str | tuple[Any, ...] | ArrayLike
_BOUNDARIES: Final = ("even", "odd", "constant", "zeros")


@frozen
class Segments:
    """Segments of a signal: their window, and numbers of samples."""

    window: Any  # elements
    length: int
    overlap: int
    transformed: int  # with the zeros behind them

    @property
    def step(self) -> int:
        """From one to the next."""
        return self.length - self.overlap

    def weights(self, dtype: np.dtype[Any]) -> Array:
        """Return the window in the real type of such a signal."""
        return converted(
            array_of(array_from("window", self.window, None)), np.empty(0, dtype).real.dtype
        )

    @classmethod
    def read(
        cls,
        function: str,
        window: object,
        nperseg: object,
        noverlap: object,
        nfft: object,
        most: int,
    ) -> Segments:
        """Return the arguments that say what segments are.

        Raises:
            ArgumentError: a number is too small or too great; OutOfMemoryError: `nfft` is.
        """
        given = integer_or_none(function, "nperseg", nperseg)
        if given is not None and given < 1:
            raise ArgumentError(f"{function}: nperseg must be at least 1, got {given}")
        elements, length = as_window(function, window, given, most)
        overlap = integer_or_none(function, "noverlap", noverlap)
        overlap = length // 2 if overlap is None else overlap
        if not 0 <= overlap < length:
            raise ArgumentError(
                f"{function}: noverlap must be from 0 to {length - 1}, less than the segments are long, got {overlap}"
            )
        size = integer_or_none(function, "nfft", nfft)
        size = length if size is None else size
        if size < length:
            raise ArgumentError(
                f"{function}: nfft must be at least the length of a segment, {length}, got {size}"
            )
        with (
            allocating()
        ):  # the spectrum of one segment: asked for at once, where it costs nothing yet
            np.empty(size, np.complex128)
        return cls(elements, length, overlap, size)


def stft(
    x: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Window = "hann",
    nperseg: int = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
) -> tuple[Array, Array, Array]:
    """Return the short-time Fourier transform: the spectrum of each of a signal's overlapping segments.

    Args:
        x: the signal; integers become floats.
        fs: samples per unit of time.
        window: weighs a segment: a name such as "hann", a tuple of a name and parameters, or a vector.
        nperseg: samples per segment; not more than there are.
        noverlap: samples that a segment shares with the next one; half of them by default.
        nfft: the length of the transforms, with zeros behind the samples.
        detrend: "constant" or "linear", what is taken from segments (see `detrend`); or a function of them.
        return_onesided: without negative frequencies; only for real signals.
        boundary: how the signal is continued by half a segment at both ends: "even", "odd", "constant", "zeros", or
            None.
        padded: zeros are put behind the signal such that it is a whole number of segments.
        axis: of time.

    Returns:
        The frequencies, the times of the middles of segments, and the transform: with frequencies in the place of the
        axis, and segments last.

    Raises:
        ArgumentError: an argument is not among those, or numbers do not fit.
        AxisError: there is no such axis.

    Example:
        >>> f, t, z = stft(np.ones(8, np.float32), nperseg=4)
        >>> print(f, t, z.shape)
        [0.   0.25 0.5 ] [0. 2. 4. 6. 8.] (3, 5)
    """
    (signal,), along = _signals("stft", axis, x)
    flags("stft", return_onesided=return_onesided, padded=padded)
    if boundary is not None:
        names("stft", boundary=boundary)
    if boundary is not None and boundary not in _BOUNDARIES:
        raise ArgumentError(
            f"stft: boundary must be one of {', '.join(_BOUNDARIES)}, or None, got {shown(boundary)}"
        )
    rate = rate_of("stft", fs, signal)
    if not signal.size:
        empty = moveaxis(signal, -1, along)
        return empty.real, empty.real, _as_complex(empty)
    parts = Segments.read("stft", window, nperseg, noverlap, nfft, signal.shape[-1])
    if boundary is not None:
        signal = _continued(signal, parts.length // 2, boundary)
    if padded:
        signal = _padded(signal, -(signal.shape[-1] - parts.length) % parts.step)
    onesided = return_onesided and not is_complex(signal.dtype)
    found = _transforms("stft", signal, parts, detrend, onesided)
    weights = parts.weights(signal.dtype)
    found = found / abs(sum(weights))
    starts = np.arange(found.shape[-2]) * parts.step + (0 if boundary else parts.length / 2)
    times = array_of(starts.astype(rate.dtype)) / rate
    frequencies = _frequencies(parts, rate, onesided)
    return frequencies, times, moveaxis(moveaxis(found, -2, -1), -2, along)


def csd(
    x: ArrayLike,
    y: ArrayLike | None,
    fs: ArrayLike = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Array, Array]:
    """Return the cross power spectral density of two signals by Welch's method: averaged over segments, `conj(X) Y`.

    Args:
        x: the one signal; integers become floats.
        y: the other; the shorter one is continued with zeros. None is x again.
        fs: samples per unit of time.
        window: weighs a segment: a name such as "hann", a tuple of a name and parameters, or a vector.
        nperseg: samples per segment, 256 by default; not more than there are.
        noverlap: samples that a segment shares with the next one; half of them by default.
        nfft: the length of the transforms, with zeros behind the samples.
        detrend: "constant" or "linear", what is taken from segments (see `detrend`); a function of them; or False.
        return_onesided: without negative frequencies, whose power is added; only for real signals.
        scaling: "density", per frequency; or "spectrum".
        axis: of time.
        average: "mean", or "median", which is made free of bias.

    Returns:
        The frequencies, and the densities, in the place of the axis; real where y is None.

    Raises:
        ArgumentError: an argument is not among those, or numbers do not fit.
        AxisError, ShapeError: there is no such axis, or the other axes do not fit.

    Example:
        >>> f, p = csd(np.arange(8.0), np.arange(8.0)[::-1], nperseg=4)
        >>> print(f, p.real.round(3))
        [0.   0.25 0.5 ] [-0.667 -1.667  0.   ]
    """
    return _density(
        "csd",
        x,
        y,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        detrend,
        return_onesided,
        scaling,
        axis,
        average,
    )


def welch(
    x: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Trend = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Array, Array]:
    """Return the power spectral density of a signal by Welch's method: squared absolute values, averaged over segments.

    Arguments are as for `csd`.

    Raises:
        ArgumentError: an argument is not among those, or numbers do not fit.
        AxisError: there is no such axis.

    Example:
        >>> f, p = welch(np.array([0.0, 1, 0, -1, 0, 1, 0, -1]), nperseg=4, scaling="spectrum")
        >>> print(f, p.round(3))
        [0.   0.25 0.5 ] [0.  0.5 0. ]
    """
    return _density(
        "welch",
        x,
        None,
        fs,
        window,
        nperseg,
        noverlap,
        nfft,
        detrend,
        return_onesided,
        scaling,
        axis,
        average,
    )


def _density(
    name: str,
    x: ArrayLike,
    y: ArrayLike | None,
    fs: ArrayLike,
    window: Window,
    nperseg: int | None,
    noverlap: int | None,
    nfft: int | None,
    detrend: Trend,
    return_onesided: bool,
    scaling: str,
    axis: int,
    average: str,
) -> tuple[Array, Array]:
    names(name, scaling=scaling, average=average)
    flags(name, return_onesided=return_onesided)
    for argument, value, known in (
        ("scaling", scaling, ("density", "spectrum")),
        ("average", average, ("mean", "median")),
    ):
        if value not in known:
            raise ArgumentError(
                f"{name}: {argument} must be {known[0]!r} or {known[1]!r}, got {shown(value)}"
            )
    signals, along = _signals(name, axis, *((x,) if y is None else (x, y)))
    rate = rate_of(name, fs, signals[0])
    if not all([each.size for each in signals]):
        empty = moveaxis(next(each for each in signals if not each.size), -1, along)
        return empty.real, empty.real if y is None else _as_complex(empty)
    longest = max([each.shape[-1] for each in signals])
    signals = [_padded(each, longest - each.shape[-1]) for each in signals]
    parts = Segments.read(name, window, nperseg, noverlap, nfft, longest)
    onesided = return_onesided and not any([is_complex(each.dtype) for each in signals])
    spectra = [_transforms(name, each, parts, detrend, onesided) for each in signals]
    one, other = spectra[0], spectra[-1]
    power = (one.real**2 + one.imag**2) if y is None else one.conj() * other
    weights = parts.weights(signals[0].dtype)
    density = scaling == "density"
    power = power / (rate * sum(weights**2) if density else sum(weights) ** 2)
    if onesided:
        doubled = np.full(power.shape[-1], 2)
        doubled[0] = 1
        if parts.transformed % 2 == 0:
            doubled[-1] = 1
        power = power * array_of(doubled.astype(power.real.dtype))
    averaged = mean(power, -2) if average == "mean" else _median(power)
    return _frequencies(parts, rate, onesided), moveaxis(averaged, -1, along)


def _signals(name: str, axis: int, *given: ArrayLike) -> tuple[list[Array], int]:
    """Signals with time last, in at least f32 as their transforms are, and the place of that axis."""
    arrays = [array_of(x) for x in promote(name, *given, inexact=True)]
    arrays = [
        x if is_complex(x.dtype) else converted(x, real_part(complex_of(x.dtype))) for x in arrays
    ]
    along = as_axis(name, axis, arrays[0].ndim)
    for each in arrays:
        as_axis(name, axis, each.ndim)
    moved = [moveaxis(x, axis, -1) for x in arrays]
    outer = common_shape(name, [x.shape[:-1] for x in moved])
    place = along if axis >= 0 else axis + len(outer) + 1
    return [broadcast_to(x, (*outer, x.shape[-1])) for x in moved], place


def rate_of(name: str, fs: ArrayLike, signal: Array) -> Array:
    """Return the sampling frequency in the real type of the signal."""
    if not is_array_like(fs):
        raise ArgumentError(f"{name}: fs must be a number, got {shown(fs)}")
    rate = array_from(name, fs, None)
    if rate.ndim or is_complex(rate.dtype):
        raise ArgumentError(
            f"{name}: fs must be a real number, got shape {rate.shape}, {rate.dtype}"
        )
    return converted(rate, signal.real.dtype)


def _as_complex(x: Array) -> Array:
    """Return an array as complex numbers."""
    return converted(x, complex_of(x.dtype))


def _padded(x: Array, count: int) -> Array:
    """Append zeros."""
    return pad(x, [*[(0, 0)] * (x.ndim - 1), (0, count)]) if count else x


def _continued(x: Array, count: int, how: str) -> Array:
    """Extend the samples at both ends."""
    widths = [*[(0, 0)] * (x.ndim - 1), (count, count)]
    if how != "odd":
        return pad(x, widths, {"even": "reflect", "constant": "edge", "zeros": "constant"}[how])
    if not count:
        return x
    before, after = x[..., count:0:-1], x[..., -2 : -count - 2 : -1]
    return concatenate([2 * x[..., :1] - before, x, 2 * x[..., -1:] - after], -1)


def _transforms(name: str, x: Array, parts: Segments, detrend: Trend, onesided: bool) -> Array:
    """Return the transforms of segments: [..., segments, frequencies]."""
    count = (x.shape[-1] - parts.overlap) // parts.step
    places = np.arange(count)[:, None] * parts.step + np.arange(parts.length)
    frames = take(x, places, -1)
    if callable(detrend):
        frames = array_of(array_from(name, detrend(frames), None))
    elif detrend is not False:
        names(name, detrend=detrend)
        frames = without_trend(frames, type=str(detrend))
    frames = frames * parts.weights(x.dtype)
    transform = rfft if onesided else fft
    return transform(frames, parts.transformed)


def _frequencies(parts: Segments, rate: Array, onesided: bool) -> Array:
    """Return the frequencies of the elements of a transform."""
    n = parts.transformed
    whole = np.fft.rfftfreq(n) if onesided else np.fft.fftfreq(n)
    return array_of(whole.astype(rate.dtype)) * rate


def _median(power: Array) -> Array:
    """Return the median over segments, by its expectation for noise, of real and imaginary parts."""
    count = power.shape[-2]
    even = 2.0 * np.arange(1, (count - 1) // 2 + 1)
    bias = 1 + float(np.sum(1 / (even + 1) - 1 / even))
    if not is_complex(power.dtype):
        return median(power, -2) / bias
    return ops.complex(median(power.real, -2), median(power.imag, -2)) / bias
