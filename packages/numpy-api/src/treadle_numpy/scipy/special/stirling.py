"""Stirling's series: what the logarithm of the gamma function is more than its main terms."""

from __future__ import annotations

from typing import Final

from treadle_ir import Operand, ops
from treadle_numpy.operands.scalars import number

_COEFFICIENTS: Final = (  # B(2k) / (2k (2k - 1)), of 1 / z ** (2k - 1)
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
    43867 / 244188,
)
FAR: Final = 8  # from here on the series is exact


def stirling_series(inverse: Operand) -> Operand:
    """Compute `lgamma(z) - ((z - 1/2) log(z) - z + log(2 pi) / 2)` where the real part of z is 8 or more, of 1 / z.

    Source: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 6.1.41.
    """
    square = ops.multiply(inverse, inverse)
    series: Operand = number(_COEFFICIENTS[-1], inverse)
    for coefficient in reversed(_COEFFICIENTS[:-1]):
        series = ops.add(ops.multiply(series, square), number(coefficient, inverse))
    return ops.multiply(series, inverse)
