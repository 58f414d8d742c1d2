"""Discrete Fourier transforms."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy.fft import (
        fft as fft,
        fft2 as fft2,
        fftfreq as fftfreq,
        fftn as fftn,
        fftshift as fftshift,
        hfft as hfft,
        ifft as ifft,
        ifft2 as ifft2,
        ifftn as ifftn,
        ifftshift as ifftshift,
        ihfft as ihfft,
        irfft as irfft,
        irfft2 as irfft2,
        irfftn as irfftn,
        rfft as rfft,
        rfft2 as rfft2,
        rfftfreq as rfftfreq,
        rfftn as rfftn,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(__name__, "treadle_numpy.numpy.fft")
