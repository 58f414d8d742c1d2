"""Modified Bessel functions of the first kind, without their exponential growth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_ir.formulas.arithmetic import Number, chebyshev, greater, odd, smaller, sqrt, where
from treadle_ir.formulas.bessel_series import I0_FAR, I0_NEAR, I1_FAR, I1_NEAR

_BORDER: Final = 8.0


def _by_parts(x: Number, near: Sequence[float], far: Sequence[float]) -> tuple[Number, Number]:
    inner, outer = smaller(x, _BORDER), greater(x, _BORDER)
    close = chebyshev(near, inner * 0.25 - 1.0)
    inverse = 1.0 / outer
    return close, chebyshev(far, 16.0 * inverse - 1.0) * sqrt(inverse)


def bessel_i0e(x: Number) -> Number:
    """Return `exp(-|x|) I0(x)`."""
    magnitude = abs(x)
    near, far = _by_parts(magnitude, I0_NEAR, I0_FAR)
    value = where(magnitude > _BORDER, far, near)
    return where(x.is_nan(), x, value)


def bessel_i1e(x: Number) -> Number:
    """Return `exp(-|x|) I1(x)`."""
    magnitude = abs(x)
    near, far = _by_parts(magnitude, I1_NEAR, I1_FAR)
    value = where(magnitude > _BORDER, far, magnitude * near)
    return odd(x, value)
