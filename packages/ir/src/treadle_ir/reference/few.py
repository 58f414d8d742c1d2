"""Special functions of a few elements, on Python's floats: erf, erfc, erf_inv, lgamma, digamma.

The formulas of `special` are some hundred calls of NumPy, however few the elements are: 100 to 400 us, for what
Python's own `math` computes in less than one. It is exact enough for all types (erf, erfc: an ulp of float64), or for
those of 32 bits and less, whose rounding hides its errors near zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.special import DIGAMMA_TAIL, GILES_CENTRAL, GILES_TAIL

MOST: Final = 64  # elements: from here on NumPy is the quicker one
_CUT: Final = 1e-11  # of the greatest coefficient: far below the rounding of float32
Scalar = Callable[[float], float]


def _horner(coefficients: tuple[float, ...], x: float) -> float:
    """The polynomial with these coefficients, lowest first."""
    result = 0.0
    for c in reversed(coefficients):
        result = result * x + c
    return result


def powers(series: Sequence[float]) -> tuple[float, ...]:
    """A Chebyshev series without its last digits, as powers of t, highest first: for Horner's rule."""
    least = _CUT * max(map(abs, series))
    kept = [c for c in series if abs(c) > least]
    return tuple(np.polynomial.chebyshev.cheb2poly(kept)[::-1].tolist())


def lgamma(x: float) -> float:
    """The logarithm of the gamma function's absolute value; infinite at its poles, and where it is too great."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def digamma(x: float) -> float:
    """The derivative of lgamma; NaN at its poles and at -inf.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.3.5 (recurrence),
        6.3.7 (reflection), 6.3.18 (asymptotic series).
    """
    if not -math.inf < x < math.inf:
        return math.nan if x < 0 else x
    value = 0.0
    if x <= 0:
        if math.floor(x) == x:
            return math.nan
        value = -math.pi / math.tan(math.pi * (x - round(x)))
        x = 1 - x
    while x < 10:
        value -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    return value + (math.log(x) - 0.5 / x - inverse * _horner(DIGAMMA_TAIL, inverse))


def erf_inv(x: float) -> float:
    """The inverse of erf: a start good to 1e-6, and a step of Halley's method, which leaves the cube of that.

    Source: M. Giles, Approximating the erfinv function, GPU Computing Gems 2 (2010), for the start.
    """
    magnitude = abs(x)
    if not magnitude < 1:
        return math.copysign(math.inf, x) if magnitude == 1 else math.nan
    w = -math.log((1 - magnitude) * (1 + magnitude))
    # w < 16 for floats of 32 bits
    start = _horner(GILES_CENTRAL, w - 2.5) if w < 5 else _horner(GILES_TAIL, math.sqrt(w) - 3)
    y = magnitude * start
    # From the complements where these are the small numbers; 1 - x is exact there.
    near = math.erf(y) - magnitude if magnitude < 0.5 else (1 - magnitude) - math.erfc(y)
    error = near / (1.1283791670955126 * math.exp(-y * y))
    return math.copysign(y - error / (1 + y * error), x)


ANY_WIDTH: Final[dict[type[Primitive], Scalar]] = {e.Erf: math.erf, e.Erfc: math.erfc}
NARROW: Final[dict[type[Primitive], Scalar]] = {
    e.Digamma: digamma,
    e.ErfInv: erf_inv,
    e.Lgamma: lgamma,
}
