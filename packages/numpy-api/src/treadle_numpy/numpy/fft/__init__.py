"""Discrete Fourier transforms."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy.fft.frequencies import (
        fftfreq as fftfreq,
        fftshift as fftshift,
        ifftshift as ifftshift,
        rfftfreq as rfftfreq,
    )
    from treadle_numpy.numpy.fft.one_axis import (
        fft as fft,
        hfft as hfft,
        ifft as ifft,
        ihfft as ihfft,
        irfft as irfft,
        rfft as rfft,
    )
    from treadle_numpy.numpy.fft.several_axes import (
        fft2 as fft2,
        fftn as fftn,
        ifft2 as ifft2,
        ifftn as ifftn,
        irfft2 as irfft2,
        irfftn as irfftn,
        rfft2 as rfft2,
        rfftn as rfftn,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "frequencies": "fftfreq fftshift ifftshift rfftfreq",
            "one_axis": "fft hfft ifft ihfft irfft rfft",
            "several_axes": "fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn",
        },
    )
