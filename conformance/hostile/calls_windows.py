"""Valid calls of transforms, windows and contractions, beside those of `calls.py`."""

from __future__ import annotations

from typing import Any, Final

import treadle.numpy as tnp
import treadle.scipy.fft

NAMESPACES: Final[dict[str, Any]] = {"tnp.fft": tnp.fft, "scipy.fft": treadle.scipy.fft}

TABLE: Final = """
tnp.fft: fft hfft ifft ihfft irfft rfft (v)
tnp.fft: fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn fftshift ifftshift (x)
tnp.fft: fftfreq rfftfreq (4)
scipy.fft: dct dctn idct idctn (x)
"""
