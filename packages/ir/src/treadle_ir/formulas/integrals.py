"""Exponential, trigonometric and Fresnel integrals, and the dilogarithm.

Source: DLMF 6.2, 6.6, 6.9.1, 6.12.1, 6.4.1, 7.5, 8.19.8, 8.19.17, 25.12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from treadle_ir.formulas.arithmetic import (
    Condition,
    Number,
    between,
    chebyshev,
    cos,
    exp,
    floor,
    greater,
    log,
    log1p,
    odd,
    polynomial,
    sin,
    smaller,
    where,
)
from treadle_ir.formulas.continued_fractions import continued_fraction
from treadle_ir.formulas.integral_series import (
    COSINE_FAR,
    COSINE_NEAR,
    DILOGARITHM,
    EXPI_FAR,
    EXPI_MIDDLE,
    EXPI_NEGATIVE,
    FRESNEL_COSINE_NEAR,
    FRESNEL_F,
    FRESNEL_G,
    FRESNEL_SINE_NEAR,
    SINE_FAR,
    SINE_NEAR,
)
from treadle_ir.formulas.loops import loop, size

_EULER: Final = 0.5772156649015329
_MOST: Final = 1000
_FAR: Final = 40.0  # from here on the asymptotic series of expi is exact to rounding


def expn(n: Number, x: Number) -> Number:
    """Return the integral of exp(-x t) / t^n for t from 1, for whole n >= 0 and x >= 0."""
    valid = (n >= 0.0) & floor(n).equals(n) & (x >= 0.0)
    order = where(valid & (n > 0.5), n, 1.0)
    inner = (x > 0.0) & (x <= 1.0)
    outer = x > 1.0
    near = _near(order, where(inner, x, 0.5))
    far_x = where(outer & (x < math.inf), x, 2.0)
    far = _fraction(order, far_x) * exp(-far_x)
    value = where(inner, near, far)
    at_zero = where(order > 1.5, 1.0 / (order - 1.0), math.inf)
    value = where(x.equals(0.0), at_zero, where(x.equals(math.inf), 0.0, value))
    value = where(n.equals(0.0), exp(-x) / x, value)
    return where(valid & ~x.is_nan() & ~n.is_nan(), value, math.nan)


def _near(n: Number, x: Number) -> Number:
    """Return the series for 0 < x <= 1."""
    total: Number = x * 0.0
    term: Number = x.full(1.0)
    for m in range(21 if x.fine else 14):
        if m:
            term = term * x * (-1 / m)
        place = float(m) - n + 1.0
        singular = place.equals(0.0)
        total = total + where(singular, 0.0, term / where(singular, 1.0, place))
    # (-x)^(n - 1) / (n - 1)! (digamma(n) - log(x)); the factorial in a float64's or float32's range
    kept = smaller(n, 150.0 if x.double else 30.0)
    odd = ~floor(0.5 * kept).equals(0.5 * kept)
    magnitude = exp((kept - 1.0) * log(x) - kept.apply("lgamma"))
    factor = where(odd, magnitude, -magnitude)
    return factor * (kept.apply("digamma") - log(x)) - total


def _fraction(n: Number, x: Number) -> Number:
    """Return the continued fraction of exp(x) E_n(x), by the method of Lentz."""
    b = x + n
    return continued_fraction(
        [n, x], b, lambda k: (-k * (k + (n - 1.0)), b + 2.0 * k), _MOST, positive=True
    )


def expi(x: Number) -> Number:
    """Return the principal value of the integral of exp(t) / t up to x."""
    if x.engine.rounded and not x.level:
        return _expi_rounded(x)
    below = x < 0.0
    negative = -expn(x.full(1.0), where(below, -x, 1.0))
    inside = (x > 0.0) & (x < _FAR)
    near_x = where(inside, x, 1.0)
    outer = where(x >= _FAR, x, _FAR)

    def step(k: Number, state: Sequence[Number]) -> list[Number]:
        power, total, _ = state
        power = power * (near_x / k)
        term = power / k
        return [power, total + term, term]

    def unfinished(state: Sequence[Number]) -> Condition:
        return size(state[2]) > 0.1 * x.epsilon * size(state[1])

    one = x.full(1.0)
    series = loop([near_x], [one, x.full(0.0), one], step, unfinished, _MOST)[1]
    near = (_EULER + log(near_x)) + series
    terms = [float(math.factorial(k)) for k in range(41 if x.fine else 14)]
    # the exponential in two factors, which overflow later
    half = exp(0.5 * outer)
    far = half * (polynomial(terms, 1.0 / outer) / outer) * half
    value = where(below, negative, where(x < _FAR, near, far))
    value = where(x.equals(0.0), x.full(-math.inf), value)
    return where(x.equals(math.inf) | x.is_nan(), x, value)


def _expi_rounded(x: Number) -> Number:
    """By the power series from -1 to 6, which keeps the digits of its zero, and by fits."""
    inner, size = between(x, -1.0, 6.0), abs(x)
    terms = [1.0 / (k * math.factorial(k)) for k in range(1, 38)]
    near = (_EULER + log(abs(inner))) + inner * polynomial(terms, inner)
    inverse = 1.0 / greater(size, 1.0)
    middle = chebyshev(EXPI_MIDDLE, between(inverse, 1 / 20, 1 / 6) * (120 / 7) - 13 / 7)
    far = chebyshev(EXPI_FAR, 40.0 * smaller(inverse, 1 / 20) - 1.0)
    negative = -chebyshev(EXPI_NEGATIVE, 2.0 * inverse - 1.0)
    beyond = where(x < 0.0, negative, where(x < 20.0, middle, far)) * inverse * exp(x)
    value = where((x > -1.0) & (x < 6.0), near, beyond)
    return where(x.equals(math.inf) | x.is_nan(), x, value)


def spence(x: Number) -> Number:
    """Return the dilogarithm of 1 - x, for x >= 0."""
    high = x > 1.5
    safe = where((x > 0.0) & (x < math.inf), x, 1.0)
    # spence(x) = -log(x)^2 / 2 - spence(1 / x) = pi^2 / 6 - log(x) log(1 - x) - spence(1 - x)
    y = where(high, 1.0 / safe, safe)
    low = y < 0.5
    u = where(low, y, 1.0 - y)
    li2 = u * chebyshev(DILOGARITHM, 2.0 * u)
    small = where(low, y, 0.25)
    value = where(low, (math.pi**2 / 6) - log(small) * log1p(-small) - li2, li2)
    logarithm = log(safe)
    value = where(high, -0.5 * logarithm * logarithm - value, value)
    value = where(x.equals(0.0), x.full(math.pi**2 / 6), value)
    value = where(x.equals(math.inf), x.full(-math.inf), value)
    return where(x >= 0.0, value, math.nan)


def sine_integral(x: Number) -> Number:
    """Return the integral of sin(t) / t from 0 to x."""
    magnitude = abs(x)
    near, far = smaller(magnitude, 4.0), greater(magnitude, 4.0)
    close = near * chebyshev(SINE_NEAR, near * near * 0.125 - 1.0)
    f, g = _trigonometric(far)
    beyond = (math.pi / 2) - (f * cos(far) + g * sin(far))
    value = where(magnitude < 4.0, close, where(magnitude.equals(math.inf), math.pi / 2, beyond))
    return odd(x, value)


def cosine_integral(x: Number) -> Number:
    """Return `gamma + log(x)` and the integral of (cos(t) - 1) / t from 0 to x, for x >= 0."""
    near, far = smaller(x, 4.0), greater(x, 4.0)
    inner = where(near > 0.0, near, 1.0)
    square = inner * inner
    close = (_EULER + log(inner)) - square * chebyshev(COSINE_NEAR, square * 0.125 - 1.0)
    f, g = _trigonometric(far)
    beyond = f * sin(far) - g * cos(far)
    value = where(x < 4.0, close, where(x.equals(math.inf), 0.0, beyond))
    value = where(x.equals(0.0), x.full(-math.inf), value)
    return where(x >= 0.0, value, math.nan)


def _trigonometric(x: Number) -> tuple[Number, Number]:
    t = 8.0 / x - 1.0
    return chebyshev(SINE_FAR, t) / x, chebyshev(COSINE_FAR, t) / (x * x)


def fresnel_sine(x: Number) -> Number:
    """Return the integral of sin(pi t^2 / 2) from 0 to x."""
    magnitude, near, far, f, g, angle = _fresnel(x)
    quartic = near * near * near * near
    close = near * near * near * chebyshev(FRESNEL_SINE_NEAR, quartic * (2 / 1.6**4) - 1.0)
    beyond = 0.5 - (f * cos(angle) + g * sin(angle))
    return odd(x, where(magnitude < 1.6, close, where(far < 1e8, beyond, 0.5)))


def fresnel_cosine(x: Number) -> Number:
    """Return the integral of cos(pi t^2 / 2) from 0 to x."""
    magnitude, near, far, f, g, angle = _fresnel(x)
    quartic = near * near * near * near
    close = near * chebyshev(FRESNEL_COSINE_NEAR, quartic * (2 / 1.6**4) - 1.0)
    beyond = 0.5 + (f * sin(angle) - g * cos(angle))
    return odd(x, where(magnitude < 1.6, close, where(far < 1e8, beyond, 0.5)))


def _fresnel(x: Number) -> tuple[Number, Number, Number, Number, Number, Number]:
    magnitude = abs(x)
    near, far = smaller(magnitude, 1.6), greater(magnitude, 1.6)
    ratio = 1.6 / far
    t = 2.0 * ratio * ratio - 1.0
    f = chebyshev(FRESNEL_F, t) / (math.pi * far)
    g = chebyshev(FRESNEL_G, t) / (math.pi**2 * far * far * far)
    # x^2 modulo 4, of which pi / 2 is the angle
    angle = far * far
    angle = angle - 4.0 * floor(0.25 * angle)
    return magnitude, near, far, f, g, (math.pi / 2) * angle
