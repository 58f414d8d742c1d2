"""The Hurwitz zeta function, and the derivatives of digamma.

Source: DLMF 25.11.1 and 25.11.5 (Euler-Maclaurin summation), 5.15.2 (polygamma).
"""

from __future__ import annotations

import math
from typing import Final

from treadle_ir.formulas.arithmetic import (
    Condition,
    Number,
    exp,
    floor,
    log,
    nearest,
    power_of_positive,
    sqrt,
    where,
)
from treadle_ir.formulas.gammas import stirling_error
from treadle_ir.formulas.loops import where_rare

# B_2j / (2j)! with the Bernoulli numbers B_2j.
_BERNOULLI: Final = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
    43867 / 5109094217170944000,
    -174611 / 802857662698291200000,
    77683 / 14101100039391805440000,
    -236364091 / 1693824136731743669452800000,
)
_SHIFT: Final = 10  # terms that are summed one by one
_FEW: Final = 6, 8  # terms one by one, and of the series, for results in float32


def _power(x: Number, y: Number, s: Number) -> Number:
    """Return `(x / y)^-s`, by logarithms where the result is rounded to float32."""
    if x.engine.rounded:
        return exp((log(y) - log(x)) * s)
    return power_of_positive(x / y, -s)


def _scaled(s: Number, q: Number) -> Number:
    """Return `q^s` times the sum of (q + k)^-s over k >= 0, for s > 1 and q > 0."""
    count, terms = (_SHIFT, len(_BERNOULLI)) if q.fine else _FEW
    total: Number = q * 0.0 + 1.0
    for k in range(1, count):
        total = total + _power(q + float(k), q, s)
    end = q + float(count)
    last = _power(end, q, s)
    inverse = 1.0 / end
    total = total + last * (end / (s - 1.0) + 0.5)
    factor = s * inverse * last
    for j, coefficient in enumerate(_BERNOULLI[:terms]):
        total = total + factor * coefficient
        first = s + float(2 * j + 1)
        factor = factor * (first * inverse) * ((first + 1.0) * inverse)
    return total


def _hurwitz(s: Number, q: Number) -> Number:
    return power_of_positive(q, -s) * _scaled(s, q)


def zeta(s: Number, q: Number) -> Number:
    """Return the sum of (q + k)^-s over k >= 0."""
    s_ = where((s > 1.0) & (s < math.inf), s, 2.0)
    positive = q > 0.0
    value = _hurwitz(s_, where(positive, q, 1.0))
    below = ~positive & ~q.is_nan()
    value = where_rare([s, q], below, lambda: _reflected(s_, where(below, q, -0.5)), value)
    even, whole = _parity(s)
    pole = (q <= 0.0) & floor(q).equals(q)
    value = where(pole, where(even, q.full(math.inf), math.nan), value)
    value = where(s.equals(math.inf), _at_infinity(q), value)
    value = where(s.equals(1.0), 1.0 / (s - 1.0), value)  # infinite; its slope by s is, too
    undefined = ~(s >= 1.0) | q.is_nan() | (~positive & ~whole)
    return where(undefined, math.nan, where((q.equals(math.inf)) & (s > 1.0), q.full(0.0), value))


def _at_infinity(q: Number) -> Number:
    # of q^-s alone
    return where(q > 1.0, q.full(0.0), where(q.equals(1.0), q.full(1.0), math.inf))


def _parity(s: Number) -> tuple[Condition, Condition]:
    """Return the conditions that s is even, and that s is an integer."""
    half = 0.5 * s
    return floor(half).equals(half), floor(s).equals(s)


def _reflected(s: Number, q: Number) -> Number:
    """Return the sum for q <= 0 and an integer s.

    Over all integers it is the sum for r = q - round(q), r^-s + zeta(s, 1 + r) + (-1)^s zeta(s, 1 - r); the terms
    before q are (-1)^s zeta(s, 1 - q).
    """
    even, _ = _parity(s)
    sign = where(even, s.full(1.0), -1.0)
    rest = q - nearest(q)
    magnitude = power_of_positive(abs(rest), -s)
    total = where(rest < 0.0, sign * magnitude, magnitude)
    total = total + _hurwitz(s, 1.0 + rest) + sign * _hurwitz(s, 1.0 - rest)
    return total - sign * _hurwitz(s, 1.0 - q)


def polygamma(n: Number, x: Number) -> Number:
    """Return the derivative of order n of digamma, for whole n >= 0."""
    s = n + 1.0
    valid = (n > 0.5) & floor(n).equals(n) & (n < 1e6)
    s_ = where(valid, s, 2.0)
    positive = (x > 0.0) & (x < math.inf)
    y = where(positive, x, 1.0)
    # Gamma(s) y^-s by Stirling, as one power: neither overflows alone
    factor = (
        sqrt(2 * math.pi / s_) * exp(stirling_error(s_)) * power_of_positive(s_ / (math.e * y), s_)
    )
    value = factor * _scaled(s_, y)
    below = ~(x > 0.0) & ~x.is_nan()
    value = where_rare(
        [n, x], below, lambda: _gamma(s_) * _reflected(s_, where(below, x, -0.5)), value
    )
    value = where(x.equals(math.inf), x.full(0.0), value)
    even, _ = _parity(s_)
    value = where(even, value, -value)
    pole = (x <= 0.0) & floor(x).equals(x)
    value = where(pole, where(even, x.full(math.inf), math.nan), value)
    value = where(valid & ~x.is_nan(), value, math.nan)
    return where_rare([n, x], n.equals(0.0), lambda: x.apply("digamma"), value)


def _gamma(s: Number) -> Number:
    """Gamma(s) for s >= 1, by Stirling."""
    return sqrt(2 * math.pi / s) * exp(stirling_error(s)) * power_of_positive(s / math.e, s)
