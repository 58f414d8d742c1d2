"""The incomplete gamma functions and what is around them.

With L = x / a and phi(u) = u - log(1 + u), x^a e^-x / Gamma(a + 1) is exp(-a phi(L - 1) - delta(a)) / sqrt(2 pi a),
where delta(a), the logarithm of Gamma(a) over its approximation by Stirling, is small and smooth. So nothing large
cancels in the exponent: its rounding is relative to the logarithm of the result.

Source: C. Loader, Fast and accurate computation of binomial probabilities (2000), for that factor; N. Temme, The
    asymptotic expansion of the incomplete gamma functions, SIAM J. Math. Anal. 10 (1979), and DLMF 8.12, for the
    transition; DLMF 8.11.4, 8.7.1, 8.9.2 for series and continued fraction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from treadle_ir.formulas.arithmetic import (
    Condition,
    Number,
    between,
    chebyshev,
    exp,
    expm1,
    log,
    log1p,
    polynomial,
    smaller,
    sqrt,
    where,
)
from treadle_ir.formulas.continued_fractions import continued_fraction
from treadle_ir.formulas.dual import slope_by, value_at, varied
from treadle_ir.formulas.errors import erfcx
from treadle_ir.formulas.gamma_series import LGAMMA_PLUS_ONE, STIRLING, TEMME
from treadle_ir.formulas.loops import descent, enough, loop, size, where_rare

_MOST: Final = 1000  # iterations; the slowest region takes 150
_LARGE: Final = 100.0  # from here on Temme's series holds near x = a
_NEAR: Final = 0.3  # of |x - a| / a


def stirling_error(a: Number) -> Number:
    """Return `lgamma(a) - (a - 1/2) log(a) + a - log(2 pi) / 2` for a > 0."""
    below = a < 1.0
    shifted = where(below, a + 1.0, a)
    value = chebyshev(STIRLING, 2.0 / shifted - 1.0) / (12.0 * shifted)
    small = where(below, a, 1.0)
    logarithm = log(small + 1.0) - log(small) if a.engine.rounded else log1p(1.0 / small)
    return where(below, value + ((small + 0.5) * logarithm - 1.0), value)


def deviance_ratio(u: Number) -> Number:
    """Return `(u - log(1 + u)) / u^2` for -1/2 <= u <= 1, from the series of the logarithm in u / (2 + u)."""
    inverse = 1.0 / (2.0 + u)
    s = u * inverse
    terms = 18 if u.fine else 10
    series = polynomial([1 / (2 * k + 3) for k in range(terms)], s * s)
    return inverse - 2.0 * s * inverse * inverse * series


def deviance(u: Number, ratio: Number) -> Number:
    """Return `u - log(1 + u)`, where 1 + u is the ratio."""
    near = (u > -0.5) & (u < 1.0)
    close = where(near, u, 0.25)
    return where(near, close * close * deviance_ratio(close), u - log(ratio))


def lgamma_plus_one(a: Number) -> Number:
    """Return `lgamma(1 + a)` for 0 <= a <= 1.2, to full relative precision."""
    return a * chebyshev(LGAMMA_PLUS_ONE, a / 0.6 - 1.0)


def log_density(a: Number, x: Number) -> Number:
    """Return `log(x^a e^-x / Gamma(a + 1))`."""
    ratio = x / a
    large = -a * deviance((x - a) / a, ratio) - stirling_error(a) - 0.5 * log(2 * math.pi * a)
    little = smaller(a, 1.0)
    small = a * log(x) - x - lgamma_plus_one(little)
    return where(a < 1.0, small, large)


class Incomplete(NamedTuple):
    """The smaller of both incomplete gamma functions, regularised."""

    value: Number
    lower: Condition  # whether it is the lower one
    log_density: Number
    factor: Number  # value = factor * exp(log_density)


def incomplete(a: Number, x: Number) -> Incomplete:
    """For a > 0 and x > 0, both finite."""
    density = log_density(a, x)
    inner = x < 0.5
    # where the lower function is about 1/2, for x < 1/2
    balance = -0.4 / log(where(inner, x, 0.25))
    lower = (inner & (a > balance)) | (~inner & (a > x))
    u = (x - a) / a
    transition = (a >= _LARGE) & (abs(u) < _NEAR)
    by_series = lower & ~transition
    by_small = ~lower & ~transition & (x <= 1.1)
    by_fraction = ~lower & ~transition & (x > 1.1)
    factor = _series(a, where(by_series, x, 0.0))
    factor = where_rare(
        [a, x],
        by_fraction,
        lambda: a * _fraction(where(by_fraction, a, 1.0), where(by_fraction, x, 1.0)),
        factor,
    )
    factor = where_rare(
        [a, x],
        transition,
        lambda: _transition(where(transition, a, _LARGE), where(transition, u, 0.0), lower),
        factor,
    )
    small = _small(where(by_small, a, 0.5), where(by_small, x, 0.5))
    factor = where(by_small, small * exp(-density), factor)
    value = where(by_small, small, factor * exp(density))
    return Incomplete(value, lower, density, factor)


def _series(a: Number, x: Number) -> Number:
    """Return the sum of x^n / ((a + 1) ... (a + n))."""
    one = x.full(1.0)
    if x.engine.rounded:
        scale = 1.0 / (1.0 + a.plain)
        scaled_a, scaled_x = a * scale, x * scale

        def inner(k: Number, top: Number, bottom: Number) -> tuple[Number, Number]:
            bottom = bottom * (scaled_a + k * scale)
            return bottom + scaled_x * top, bottom

        steps = enough(11.0 + 6.5 * sqrt(smaller(x.plain, 100.0)), a.level)
        return descent([a, x], where(x > 0.0, steps, 0.0), lambda _: one, inner)

    def step(k: Number, state: Sequence[Number]) -> list[Number]:
        term, total = state
        term = term * (x / (a + k))
        return [term, total + term]

    def unfinished(state: Sequence[Number]) -> Condition:
        term, total = state
        return size(term) > 0.1 * x.epsilon * size(total)

    return loop([a, x], [one, one], step, unfinished, _MOST)[1]


def _fraction(a: Number, x: Number) -> Number:
    """Return the continued fraction of e^x x^-a Gamma(a, x), by Lentz's method unless the steps are counted before."""
    b = x + 1.0 - a
    if x.engine.rounded:
        scale = 1.0 / (x.plain + a.plain)  # of the denominators, lest products of them overflow
        scaled_a, scaled_b = a * scale, b * scale

        def outer(k: Number, top: Number, bottom: Number) -> tuple[Number, Number]:
            numerator = (k * scale) * (k * scale - scaled_a)
            return (scaled_b + (2.0 * k - 2.0) * scale) * top - numerator * bottom, top

        steps = enough(3.0 + 46.0 / x.plain + 3.0 * sqrt(smaller(x.plain, 143.0)), a.level)
        steps = where(x > 1.0, steps, 0.0)
        return scale / descent([a, x], steps, lambda k: scaled_b + 2.0 * k * scale, outer)
    return continued_fraction([a, x], b, lambda k: (-k * (k - a), b + 2.0 * k), _MOST)


def _small(a: Number, x: Number) -> Number:
    """The upper function for x <= 1.1 and a <= x or so: 1 - x^a / Gamma(a + 1) (1 + a sum (-x)^n / (n! (a + n)))."""
    total: Number = x * 0.0
    power: Number = x.full(1.0)
    common: Number = x.full(1.0)  # where the result is rounded, the terms' denominator
    for n in range(1, 21 if x.fine else 14):
        power = power * x * (-1 / n)
        if x.engine.rounded:
            total = total * (a + float(n)) + power * common
            common = common * (a + float(n))
        else:
            total = total + power / (a + float(n))
    if x.engine.rounded:
        total = total / common
    exponent = a * log(x) - lgamma_plus_one(a)
    return -expm1(exponent) - exp(exponent) * a * total


def _transition(a: Number, u: Number, lower: Condition) -> Number:
    """Temme's expansion, without the density: for a >= 100 and |u| < 0.3."""
    eta = u * sqrt(2.0 * deviance_ratio(u))
    inverse = 1.0 / a
    total: Number | float = 0.0
    for row in reversed(TEMME):
        total = total * inverse + polynomial(row, eta) if len(row) > 1 else row[0] + inverse * 0.0
    assert not isinstance(total, float)
    magnitude = where(u < 0.0, -eta, eta) * sqrt(0.5 * a)
    tail = 0.5 * sqrt(2 * math.pi * a) * erfcx(magnitude)
    return exp(stirling_error(a)) * (tail + where(lower, -total, total))


def _inside(a: Number, x: Number) -> Condition:
    return (a > 0.0) & (x > 0.0) & (a < math.inf) & (x < math.inf)


def igamma(a: Number, x: Number) -> Number:
    """Return the lower incomplete gamma function over Gamma(a)."""
    return _completed(a, x, lower=True)


def igammac(a: Number, x: Number) -> Number:
    """Return the upper incomplete gamma function over Gamma(a)."""
    return _completed(a, x, lower=False)


def _completed(a: Number, x: Number, *, lower: bool) -> Number:
    inside = _inside(a, x)
    part = incomplete(where(inside, a, 1.0), where(inside, x, 1.0))
    value = between(part.value, 0.0, 1.0)
    is_wanted = part.lower if lower else ~part.lower
    value = where(is_wanted, value, 1.0 - value)
    at_end, at_start = (1.0, 0.0) if lower else (0.0, 1.0)
    # for a = 0 all of the mass is at 0; for an infinite a at infinity
    outside = where((a.equals(0.0) & (x > 0.0)) | x.equals(math.inf), x.full(at_end), at_start)
    return where(_undefined(a, x), math.nan, where(inside, value, outside))


def _undefined(a: Number, x: Number) -> Condition:
    return (
        ~(a >= 0.0)
        | ~(x >= 0.0)
        | (a.equals(0.0) & x.equals(0.0))
        | (a.equals(math.inf) & x.equals(math.inf))
    )


def igamma_grad_a(a: Number, x: Number) -> Number:
    """Return the derivative of `igamma` by a; NaN where `igamma` is NaN, and at a = 0, the end of its domain."""
    by = varied(a, x)
    undefined = _undefined(a, x) | a.equals(0.0)
    return where(undefined, math.nan, slope_by(by, igamma(by, x)))


def random_gamma_grad(a: Number, x: Number) -> Number:
    """Return the derivative of a sample x of the gamma distribution with respect to a: -(d igamma / da) / (d igamma /
    dx).

    Source: M. Figurnov, S. Mohamed and A. Mnih, Implicit reparameterization gradients, NeurIPS 2018.
    """
    subnormal = x < x.smallest  # its logarithm may be -inf
    inside = _inside(a, x) & ~subnormal
    safe_a, safe_x = where(inside, a, 1.0), where(inside, x, 1.0)
    by = varied(safe_a, safe_x)
    part = incomplete(by, safe_x)
    # d igamma / dx is exp(log_density) a / x: the density itself, which may be too small, divides out
    factor = value_at(by, part.factor)
    slope = slope_by(by, part.log_density) * factor + slope_by(by, part.factor)
    value = where(part.lower, -slope, slope) * (safe_x / safe_a)
    at_zero = (a > 0.0) & (x >= 0.0) & subnormal
    return where(inside | at_zero, where(at_zero, x.full(0.0), value), math.nan)
