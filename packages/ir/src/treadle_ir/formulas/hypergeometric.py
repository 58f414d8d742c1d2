"""Hypergeometric functions by their series, after the transformations that make these converge.

Source: DLMF 13.2.2, 13.2.39, 13.7.2, 15.2.1, 15.4.20, 15.8.1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from treadle_ir.formulas.arithmetic import Condition, Number, exp, floor, log, where
from treadle_ir.formulas.loops import loop, size, where_rare

_MOST: Final = 20_000
_FAR: Final = 600.0  # of -x, from where on the asymptotic series is taken


def hyp1f1(a: Number, b: Number, x: Number) -> Number:
    """Kummer's function M(a, b, x)."""
    finite = abs(x) < math.inf
    far = finite & (x < -_FAR)
    inside = finite & ~far
    turned = inside & (x < 0.0)
    # M(a, b, x) = e^x M(b - a, b, -x)
    top = where(turned, b - a, a)
    z = where(inside, abs(x), 0.0)
    series = _series([top], [b], z, where(turned, exp(x), 1.0))
    value = where_rare([a, b, x], far, lambda: _far(a, b, where(far, -x, _FAR)), series)
    value = where(a.equals(b), exp(x), value)
    return where(_undefined(a, b, x), math.nan, value)


def _far(a: Number, b: Number, z: Number) -> Number:
    """M(a, b, -z) for a great z: Gamma(b) / Gamma(b - a) z^-a (1 + a (a - b + 1) / z + ...)."""
    term: Number = z.full(1.0)
    total = term
    for k in range(12):
        term = term * ((a + float(k)) * (a - b + float(k + 1)) / (z * float(k + 1)))
        total = total + term
    return _gamma_ratio(b, b - a) * exp(-a * log(z)) * total


def hyp2f1(a: Number, b: Number, c: Number, x: Number) -> Number:
    """Gauss' function F(a, b; c; x), for x <= 1."""
    inside = x < 1.0
    negative = x < 0.0
    below = where(inside, x, 0.0)
    # F(a, b; c; x) = (1 - x)^-a F(a, c - b; c; x / (x - 1))
    z = where(negative, below / (below - 1.0), below)
    second = where(negative, c - b, b)
    series = _series([a, second], [c], where(z < 1.0, z, 0.0), x.full(1.0))
    value = where(negative, exp(-a * log(1.0 - where(negative, below, 0.0))) * series, series)
    rest = c - a - b
    at_one = where(
        rest > 0.0,
        _gamma_ratio(c, c - a) * _gamma_ratio(where(rest > 0.0, rest, 1.0), c - b),
        math.inf,
    )
    value = where(inside, value, where(x.equals(1.0), at_one, math.nan))
    return where(_undefined(a, c, x) | b.is_nan(), math.nan, value)


def _series(tops: Sequence[Number], bottoms: Sequence[Number], x: Number, first: Number) -> Number:
    """Return `first` times the sum of (a)_n (b)_n / (c)_n x^n / n!."""

    def step(k: Number, state: Sequence[Number]) -> list[Number]:
        term, total, left = state
        for top in tops:
            term = term * (top + (k - 1.0))
        for bottom in bottoms:
            term = term / (bottom + (k - 1.0))
        term = term * (x / k)
        return [term, total + term, left - 1.0]

    def unfinished(state: Sequence[Number]) -> Condition:
        term, total, left = state
        # terms may grow until k is beyond x and the parameters
        return ~size(term).equals(0.0) & (
            (left > 0.0) | (size(term) > 0.1 * x.epsilon * size(total))
        )

    least = abs(x.plain)
    for parameter in bottoms:
        least = least + where(parameter.plain < 0.0, -parameter.plain, 0.0)
    operands = [*tops, *bottoms, x, first]
    return loop(operands, [first, first, least], step, unfinished, _MOST)[1]


def _gamma_ratio(x: Number, y: Number) -> Number:
    """Return `Gamma(x) / Gamma(y)`; 0 where y is a pole."""
    pole = (y <= 0.0) & floor(y).equals(y)
    below = where(pole, 1.0, y)
    magnitude = exp(x.apply("lgamma") - below.apply("lgamma"))
    value = where(_is_negative(x), -magnitude, magnitude)
    return where(pole, 0.0, where(_is_negative(below), -value, value))


def _is_negative(x: Number) -> Condition:
    """Return the condition that the gamma function is negative at x."""
    down = floor(x)
    half = 0.5 * down
    return (x < 0.0) & ~floor(half).equals(half)


def _undefined(a: Number, b: Number, x: Number) -> Condition:
    pole = (b <= 0.0) & floor(b).equals(b)
    return pole | a.is_nan() | b.is_nan() | x.is_nan()
