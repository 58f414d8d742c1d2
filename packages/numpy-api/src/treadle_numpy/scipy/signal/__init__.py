"""SciPy's functions of signals on treadle's arrays."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.signal.convolutions import (
        convolve as convolve,
        convolve2d as convolve2d,
        correlate as correlate,
        correlate2d as correlate2d,
        fftconvolve as fftconvolve,
    )
    from treadle_numpy.scipy.signal.overlapped_sums import istft as istft
    from treadle_numpy.scipy.signal.spectra import csd as csd, stft as stft, welch as welch
    from treadle_numpy.scipy.signal.trends import detrend as detrend
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "convolutions": "convolve convolve2d correlate correlate2d fftconvolve",
            "overlapped_sums": "istft",
            "spectra": "csd stft welch",
            "trends": "detrend",
        },
    )
