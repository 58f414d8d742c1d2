"""Sine and cosine integrals of one element, on Python's floats, for types of 32 bits and less.

Each is a Chebyshev series near 0, and two series beside sine and cosine beyond: as in `treadle_ir.formulas.integrals`.
"""

from __future__ import annotations

import math
from typing import Final

from treadle_ir.formulas.integral_series import COSINE_FAR, COSINE_NEAR, SINE_FAR, SINE_NEAR
from treadle_ir.reference.few import chebyshev

_EULER: Final = 0.5772156649015329
_BORDER: Final = 4.0
_FARTHEST: Final = 1e6  # beyond, Python's sine and NumPy's may differ by more than rounding
_SINE: Final = chebyshev(SINE_NEAR)
_COSINE: Final = chebyshev(COSINE_NEAR)
_F: Final = chebyshev(SINE_FAR)
_G: Final = chebyshev(COSINE_FAR)


def _beyond(x: float) -> tuple[float, float]:
    t = 8.0 / x - 1.0
    return _F(t) / x, _G(t) / (x * x)


def sine_integral(x: float) -> float | None:
    """The integral of sin(t) / t from 0 to x."""
    size = abs(x)
    if not size <= _FARTHEST:
        return None
    if size < _BORDER:
        return x * _SINE(x * x * 0.125 - 1.0)
    f, g = _beyond(size)
    return math.copysign(math.pi / 2 - (f * math.cos(size) + g * math.sin(size)), x)


def cosine_integral(x: float) -> float | None:
    """`gamma + log(x)` and the integral of (cos(t) - 1) / t from 0 to x."""
    if not 0.0 < x <= _FARTHEST:
        return None
    if x < _BORDER:
        square = x * x
        return _EULER + math.log(x) - square * _COSINE(square * 0.125 - 1.0)
    f, g = _beyond(x)
    return f * math.sin(x) - g * math.cos(x)
