"""Float64 functions for results that are rounded to float32, in plain operations that XLA's CPU compiler vectorises.

XLA calls a scalar function for each float64 logarithm, sine, or error function: 4 to 30 ns for an element, where these
take one to five. They are good to 2^-41 of the result (the error function's complement: 2^-32; gamma functions: 2^-37
of 1 or of it), which rounding hides. The polynomials are interpolations at Chebyshev's points, by mpmath.

Source: W. Cody and W. Waite, Software manual for the elementary functions (1980), for the parts of a logarithm; M.
    Payne and R. Hanek, Radian reduction for trigonometric functions, SIGNUM 18 (1983); DLMF 5.5.2, 5.5.4, 5.11.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from treadle_compiler.decompositions.turns import FAR_ANGLES, TURNS
from treadle_ir import Array, Operand, ops
from treadle_ir.formulas import (
    ERFCX_ALL,
    STIRLING,
    Number,
    chebyshev,
    exp,
    log,
    nearest,
    polynomial,
    smaller,
    where,
)

_F64: Final = np.dtype(np.float64)
_I64: Final = np.dtype(np.int64)

# log((1 + s) / (1 - s)) / s for numbers from sqrt(1/2) to sqrt(2), in s^2; to 2^-52.
_LOG: Final = (
    2.0000000000000004,
    0.6666666666655237,
    0.40000000061962143,
    0.28571415989109156,
    0.22223436645672198,
    0.18121871032106643,
    0.16838378271839669,
)
# e^r for |r| <= log(2) / 2; to 2^-45.
_EXP: Final = (
    1.0000000000000135,
    1.0000000000000067,
    0.4999999999943806,
    0.16666666666554303,
    0.041666667040810505,
    0.008333333385702748,
    0.0013888801710226378,
    0.00019841170226646184,
    2.4884478239156417e-05,
    2.7640198843428347e-06,
)
# sin(2 pi t) / t for |t| <= 1/4, in t^2; to 2^-43.
_SINE: Final = (
    6.283185307179271,
    -41.3417022399045,
    81.60524914917013,
    -76.70584755430362,
    42.05813519623381,
    -15.081487826297732,
    3.665879792675243,
)
# B_2j / (2j), for the asymptotic series of digamma.
_DIGAMMA: Final = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
_SHIFT: Final = 6  # of the argument of digamma, from where on these suffice
_ROUNDER: Final = np.float64(
    1.5 * 2.0**52
)  # added to a small integer's bits it makes a float of it
_SQRT_HALF: Final = int(np.float64(math.sqrt(0.5)).view(np.int64))


def quotient(x: Operand, y: Operand) -> Array:
    """x / y to a unit and a half in the last place.

    XLA writes the result of a division that has several users into memory, and repeats a product.
    """
    return ops.multiply(x, ops.divide(np.float64(1.0), y))


def exponential(x: Operand) -> Array:
    """`e ** x`, as 2^n times a polynomial; 0 and infinite beyond 708."""
    n = ops.round_nearest_even(ops.multiply(x, np.float64(1 / math.log(2))))
    rest = ops.subtract(x, ops.multiply(n, np.float64(math.log(2))))
    series: Operand = np.float64(_EXP[-1])
    for c in reversed(_EXP[:-1]):
        series = ops.add(ops.multiply(series, rest), np.float64(c))
    bits = ops.bitcast_convert(ops.add(n, _ROUNDER), dtype=_I64)
    scaled = ops.add(ops.bitcast_convert(series, dtype=_I64), ops.shift_left(bits, np.int64(52)))
    value = ops.bitcast_convert(scaled, dtype=_F64)
    most = np.float64(708.0)
    above = ops.compare(x, most, direction="gt")
    value = ops.select(above, np.float64(math.inf), value)
    return ops.select(ops.compare(x, -most, direction="lt"), np.float64(0.0), value)


def logarithm(x: Operand) -> Array:
    """The natural logarithm: NaN below 0, -inf at 0, inf at inf."""
    # x = 2^n m with m from sqrt(1/2) to sqrt(2). The bits of sqrt(1/2) are taken off first, so that the exponent counts
    # from there; 1024 more keep it positive: processors have no vector instruction for a signed shift of 64 bits.
    bits = ops.bitcast_convert(x, dtype=_I64)
    shifted = ops.add(bits, np.int64((1024 << 52) - _SQRT_HALF))
    n = ops.shift_right_logical(shifted, np.int64(52))
    field = ops.subtract(ops.shift_left(n, np.int64(52)), np.int64(1024 << 52))
    m = ops.bitcast_convert(ops.subtract(bits, field), dtype=_F64)
    whole = ops.subtract(
        ops.bitcast_convert(ops.add(n, _ROUNDER.view(np.int64)), dtype=_F64),
        np.float64(_ROUNDER + 1024),
    )
    one = np.float64(1.0)
    s = ops.multiply(ops.subtract(m, one), ops.divide(one, ops.add(m, one)))
    square = ops.multiply(s, s)
    series: Operand = np.float64(_LOG[-1])
    for c in reversed(_LOG[:-1]):
        series = ops.add(ops.multiply(series, square), np.float64(c))
    value = ops.add(ops.multiply(whole, np.float64(math.log(2))), ops.multiply(s, series))
    infinity = np.float64(math.inf)
    value = ops.select(ops.compare(x, infinity, direction="lt"), value, x)  # NaN, too
    zero = np.float64(0.0)
    value = ops.select(ops.compare(x, zero, direction="eq"), np.float64(-math.inf), value)
    return ops.select(ops.compare(x, zero, direction="lt"), np.float64(math.nan), value)


def log_plus_one(x: Number) -> Number:
    """`log(1 + x)`, also for a small x: what the sum is rounded by is added."""
    total = 1.0 + x
    lost = (x - (total - 1.0)) / total
    # at -1, at infinity and beyond there is nothing to add
    return log(total) + where((x > -1.0) & (x < math.inf), lost, 0.0)


def sine(x: Number) -> Number:
    """The sine of a float32's value."""
    turns = _turns(abs(x))
    size = abs(turns)
    value = _sine_of_turns(where(size > 0.25, 0.5 - size, size))
    value = where(turns < 0.0, -value, value)
    return where(x < 0.0, -value, value)


def cosine(x: Number) -> Number:
    """The cosine of a float32's value."""
    return _sine_of_turns(0.25 - abs(_turns(abs(x))))


def _sine_of_turns(t: Number) -> Number:
    """sin(2 pi t) for |t| <= 1/4."""
    return t * polynomial(_SINE, t * t)


def _turns(x: Number) -> Number:
    """The angle x >= 0 in turns, from -1/2 to 1/2."""
    far, farther = [x >= limit for limit in FAR_ANGLES]
    first, second, third = [
        x * where(farther, last, where(far, x.full(middle), near))
        for near, middle, last in zip(*TURNS, strict=True)
    ]
    rest = (second - nearest(second)) + third
    total = (first - nearest(first)) + rest
    return total - nearest(total)


def erfc(x: Number) -> Number:
    """The error function's complement."""
    size = smaller(abs(x), 30.0)
    scaled = chebyshev(ERFCX_ALL, 1.0 - 6.0 / (size + 3.0)) / (1.0 + 2.0 * size)
    value = exp(-(size * size)) * scaled
    value = where(x < 0.0, 2.0 - value, value)
    return where(x.is_nan(), x, value)


def lgamma(x: Number) -> Number:
    """The logarithm of the gamma function's magnitude, near its zeros to 2^-37: inf at the poles."""
    below = x < 0.5
    y = where(below, 1.0 - x, x)
    above = y + 1.0
    value = (y + 0.5) * log(above) - above + 0.5 * math.log(2 * math.pi) - log(y)
    value = value + chebyshev(STIRLING, 2.0 / above - 1.0) / (12.0 * above)
    rest = abs(x - nearest(x))  # sin(pi x) and sin(pi rest) differ by the sign only
    value = where(below, math.log(math.pi) - log(_sine_of_turns(0.5 * rest)) - value, value)
    return where(abs(x).equals(math.inf), x.full(math.inf), value)


def digamma(x: Number) -> Number:
    """The derivative of `lgamma`, near its zeros to 2^-37; -inf at 0, NaN at the other poles."""
    below = x < 0.5
    y = where(below, 1.0 - x, x)
    # the sum of 1 / (y + k) as the quotient of a product's derivative and the product
    product, slope = y, y * 0.0 + 1.0
    for k in range(1, _SHIFT):
        factor = y + float(k)
        product, slope = product * factor, slope * factor + product
    inverse = 1.0 / (y + float(_SHIFT))
    square = inverse * inverse
    value = log(y + float(_SHIFT)) - 0.5 * inverse - square * polynomial(_DIGAMMA, square)
    value = value - slope / product
    rest = x - nearest(x)
    half = 0.5 * rest
    cotangent = _sine_of_turns(0.25 - abs(half)) / _sine_of_turns(half)
    value = where(below, value - math.pi * cotangent, value)
    value = where((x < 0.0) & x.equals(nearest(x)), math.nan, value)
    value = where(x.equals(0.0), -math.inf, value)
    return where(x.equals(math.inf), x, value)


FUNCTIONS: Final[Mapping[str, Callable[[Number], Number]]] = {
    "cosine": cosine,
    "digamma": digamma,
    "erfc": erfc,
    "lgamma": lgamma,
    "log_plus_one": log_plus_one,
    "sine": sine,
}
