"""Functions of the fourier, window and contraction families that have no row."""

from __future__ import annotations

from typing import Final

from conformance.derivatives.without import NUMBERS

WITHOUT: Final[dict[str, str]] = {
    **dict.fromkeys(["numpy.fft.fftfreq", "numpy.fft.rfftfreq"], NUMBERS),
}
