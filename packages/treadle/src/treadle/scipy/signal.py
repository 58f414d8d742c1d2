"""SciPy's functions of signals on treadle's arrays."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.scipy.signal import (
        convolve as convolve,
        convolve2d as convolve2d,
        correlate as correlate,
        correlate2d as correlate2d,
        csd as csd,
        detrend as detrend,
        fftconvolve as fftconvolve,
        istft as istft,
        stft as stft,
        welch as welch,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.scipy.signal")
