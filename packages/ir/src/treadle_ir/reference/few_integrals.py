"""Exponential integrals, zeta and polygamma, and fractions of incomplete gamma and beta functions, of one element.

On Python's floats, for types of 32 bits and less; None where only the formula is exact enough.

Source: DLMF 6.6.2, 8.17.22, 8.19.8, 8.19.17, 8.9.2, 25.11.5, 5.15.2; W. Lentz, Applied Optics 15 (1976).
"""

from __future__ import annotations

import math
from typing import Final

from treadle_ir.reference.few import digamma

_EULER: Final = 0.5772156649015329
_TINY: Final = 1e-300
_LEFT: Final = 1e-11  # where series and fractions are cut: far below the rounding of float32
_SHIFT: Final = 8  # terms of zeta that are summed one by one
# B_2j / (2j)! with the Bernoulli numbers B_2j.
_BERNOULLI: Final = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160),
    *(-691 / 1307674368000, 1 / 74724249600, -3617 / 10670622842880000),
)


def expn(n: float, x: float) -> float | None:
    """The integral of exp(-x t) / t^n for t from 1."""
    if not 1e-30 <= x <= 80.0 or not 0.0 <= n <= 50.0 or n != math.floor(n):
        return None
    if n == 0.0:
        return math.exp(-x) / x
    if x > 2.0:
        return _far(n, x) * math.exp(-x)
    whole = int(n) - 1
    total, term, m = 0.0, 1.0, 0
    while m <= whole or abs(term) > 1e-17:
        if m == whole:
            total += term * (digamma(n) - math.log(x))
        else:
            total -= term / (m - whole)
        m += 1
        term *= -x / m
    return total


def _far(n: float, x: float) -> float:
    """The continued fraction of exp(x) E_n(x)."""
    b = x + n
    c = 1.0 / _TINY
    d = h = 1.0 / b
    k = 1.0
    while True:
        numerator = -k * (k + n - 1.0)
        b += 2.0
        d = 1.0 / (numerator * d + b)
        c = b + numerator / c
        change = c * d
        h *= change
        if abs(change - 1.0) <= _LEFT:
            return h
        k += 1.0


def expi(x: float) -> float | None:
    """The principal value of the integral of exp(t) / t up to x."""
    if x < 0.0:
        value = expn(1.0, -x)
        return None if value is None else -value
    if not 1e-30 <= x <= 40.0:
        return None
    if abs(x - 0.37250741078136663) < 1e-3:  # the zero, around which everything cancels
        return None
    start = _EULER + math.log(x)
    total, power, k = 0.0, 1.0, 1
    while True:
        power *= x / k
        term = power / k
        total += term
        if term <= 1e-14 * total:
            return start + total
        k += 1


def zeta(s: float, q: float) -> float | None:
    """The sum of (q + k)^-s over k >= 0, by Euler and Maclaurin."""
    if not 1.0 < s <= 40.0 or not 1e-6 <= q <= 1e6:
        return None
    total = 0.0
    for _ in range(_SHIFT):
        total += math.pow(q, -s)
        q += 1.0
    last = math.pow(q, -s)
    total += last * (q / (s - 1.0) + 0.5)
    factor = s / q * last
    for coefficient in _BERNOULLI:
        total += factor * coefficient
        factor *= (s + 1.0) * (s + 2.0) / (q * q)
        s += 2.0
    return total


def polygamma(n: float, x: float) -> float | None:
    """The derivative of order n of digamma."""
    if n == 0.0:
        return digamma(x)
    if not math.isfinite(n) or n != math.floor(n):
        return math.nan
    if not 1.0 <= n <= 30.0:
        return None
    sum_of_powers = zeta(n + 1.0, x)
    if sum_of_powers is None:
        return None
    value = math.factorial(int(n)) * sum_of_powers
    return value if n % 2.0 else -value


def betainc(a: float, b: float, x: float) -> float | None:
    """The regularised incomplete beta function."""
    if not (1e-3 <= a <= 1e3 and 1e-3 <= b <= 1e3 and 1e-30 <= x < 1.0):
        return None
    y = 1.0 - x
    swapped = x * (a + b + 2.0) > a + 1.0
    if swapped:
        a, b, x, y = b, a, y, x
    logarithm = math.lgamma(a + b) - math.lgamma(a + 1.0) - math.lgamma(b)
    logarithm += a * math.log(x) + b * math.log(y)
    if logarithm < -690.0:
        return None
    part = math.exp(logarithm) * _beta_fraction(a, b, x)
    if not swapped:
        return part
    return None if part > 0.9999 else 1.0 - part


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction for x < (a + 1) / (a + b + 2)."""
    c = 1.0
    d = 1.0 / ((1.0 - (a + b) * x / (a + 1.0)) or _TINY)
    h = d
    m = 1.0
    while True:
        even = a + 2.0 * m
        numerator = m * (b - m) * x / ((even - 1.0) * even)
        d = 1.0 / ((1.0 + numerator * d) or _TINY)
        c = (1.0 + numerator / c) or _TINY
        h *= c * d
        numerator = -(a + m) * (a + b + m) * x / (even * (even + 1.0))
        d = 1.0 / ((1.0 + numerator * d) or _TINY)
        c = (1.0 + numerator / c) or _TINY
        change = c * d
        h *= change
        if abs(change - 1.0) <= _LEFT:
            return h
        m += 1.0


def igamma_grad_a(a: float, x: float) -> float | None:
    """The derivative of the lower incomplete gamma function over Gamma(a): a series, or the upper one's fraction."""
    if not (1e-4 <= a <= 1e3 and 1e-30 <= x <= 1e4):
        return None
    logarithm = a * math.log(x) - x - math.lgamma(a + 1.0)
    if logarithm < -690.0:
        return None
    density = math.exp(logarithm)
    if x < 4.0 or x < a:
        term = total = 1.0
        inverses = slope = 0.0
        n = a
        while term > _LEFT * total:
            n += 1.0
            term *= x / n
            total += term
            inverses += 1.0 / n
            slope += term * inverses
        return density * ((math.log(x) - digamma(a + 1.0)) * total - slope)
    value, slope = _fraction_and_slope(a, x)
    return -density * a * ((math.log(x) - digamma(a)) * value + slope)


def _fraction_and_slope(a: float, x: float) -> tuple[float, float]:
    """The continued fraction of e^x x^-a Gamma(a, x), and its derivative by a.

    Numerators A and denominators B of its approximations have recurrences of their own, and so have their derivatives.
    All are divided by B at each step, which keeps them from overflowing.
    """
    b = x + 1.0 - a
    inverse = 1.0 / b
    numerator, numerator_slope, last, last_slope = inverse, 0.0, 0.0, 0.0
    below_slope, under, under_slope = -inverse, inverse, 0.0  # B is 1; `under` was the one before
    change = inverse * inverse
    k = 1.0
    while True:
        factor = k * (a - k)
        b += 2.0
        new = b * numerator + factor * last
        new_slope = b * numerator_slope - numerator + factor * last_slope + k * last
        below = b + factor * under
        new_below_slope = b * below_slope - 1.0 + factor * under_slope + k * under
        inverse = 1.0 / below
        last, last_slope = numerator * inverse, numerator_slope * inverse
        under, under_slope = inverse, below_slope * inverse
        before, change_before = numerator, change
        numerator, numerator_slope = new * inverse, new_slope * inverse
        below_slope = new_below_slope * inverse
        change = numerator_slope - numerator * below_slope
        near = abs(numerator - before) <= _LEFT * abs(numerator)
        if near and abs(change - change_before) <= _LEFT * abs(change):
            return numerator, change
        k += 1.0
