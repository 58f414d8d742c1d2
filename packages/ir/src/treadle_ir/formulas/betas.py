"""The incomplete beta function.

Source: A. DiDonato and A. Morris, Significant digit computation of the incomplete beta function ratios, ACM TOMS 18
    (1992), section 3 for the continued fraction; C. Loader, Fast and accurate computation of binomial probabilities
    (2000), for the factor before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from treadle_ir.formulas.arithmetic import (
    Condition,
    Number,
    between,
    exp,
    expm1,
    log,
    log1p,
    smaller,
    sqrt,
    where,
)
from treadle_ir.formulas.continued_fractions import continued_fraction
from treadle_ir.formulas.gammas import deviance, lgamma_plus_one, stirling_error
from treadle_ir.formulas.loops import descent, enough, loop, size, where_rare

_MOST: Final = 20_000  # iterations; they grow with the root of the greater parameter


def regularized_incomplete_beta(a: Number, b: Number, x: Number) -> Number:
    """I_x(a, b)."""
    inside = (a > 0.0) & (b > 0.0) & (x > 0.0) & (x < 1.0) & (a < math.inf) & (b < math.inf)
    a_, b_, x_ = where(inside, a, 1.0), where(inside, b, 1.0), where(inside, x, 0.5)
    swapped = x_ > a_ / (a_ + b_)
    p, q = where(swapped, b_, a_), where(swapped, a_, b_)
    y, z = where(swapped, 1.0 - x_, x_), where(swapped, x_, 1.0 - x_)
    part = between(_density(p, q, y, z) * _fraction(p, q, y, z), 0.0, 1.0)
    value = where(swapped, 1.0 - part, part)
    # For b < 1 the part may be close to 1; where it is not, the series of what is left of 1 may be slow.
    little = swapped & (p < 1.0) & (part > 0.5)
    value = where_rare(
        [a, b, x],
        little,
        lambda: _rest(where(little, p, 0.5), where(little, q, 1.0), where(little, y, 0.5)),
        value,
    )
    # all of the mass is at 0 for a = 0 and infinite b, at 1 for b = 0 and infinite a
    at_zero = a.equals(0.0) | b.equals(math.inf)
    at_one = b.equals(0.0) | a.equals(math.inf)
    outside = where(x.equals(1.0) | (at_zero & (x > 0.0)), x.full(1.0), 0.0)
    undefined = ~((a >= 0.0) & (b >= 0.0) & (x >= 0.0) & (x <= 1.0)) | (at_zero & at_one)
    return where(undefined, math.nan, where(inside, value, outside))


def _density(a: Number, b: Number, x: Number, y: Number) -> Number:
    """Return `x^a y^b / B(a, b)` for y = 1 - x."""
    total = a + b
    excess = x * b - y * a
    deviances = a * deviance(excess / a, x * total / a) + b * deviance(-excess / b, y * total / b)
    remainder = stirling_error(total) - stirling_error(a) - stirling_error(b)
    return sqrt(a / total * b * (0.5 / math.pi)) * exp(remainder - deviances)


def _counted_fraction(a: Number, b: Number, x: Number, y: Number) -> Number:
    """The same from its last step, of which the number is an upper bound found by trials for a and b to 3e5.

    Its k-th denominator is multiplied by (a + 2 k - 1) (a + 2 k + 1), so that no step divides, and what is great by two
    scales, so that no product of eight steps overflows.
    """
    by_y, least = 6.5 / sqrt(y.plain), smaller(a.plain, b.plain)
    steps = 4.0 + 7.5 * exp(log(least) * (1 / 3)) + smaller(by_y, 50.0 / b.plain)
    level = max(a.level, b.level, x.level)
    steps = smaller(enough(steps, level), float(_MOST)).plain
    total = a + b
    excess = a * y - b * x + 1.0
    by_a = 1.0 / (a.plain + 2.0 * steps + 1.0)
    mass = total * x
    by_excess = 1.0 / (excess.plain + 2.0 * steps + 1.0 + sqrt(2.0 * steps * mass.plain))
    scaled_a, scaled_x, scaled_bx = a * by_a, x * by_a, b * x * by_a
    scaled_excess, excess_step = excess * by_excess, (1.0 + y) * by_excess
    scaled_mass, mass_step = mass * by_excess, x * by_excess

    def odd(k: Number) -> Number:
        return scaled_a + (2.0 * k - 1.0) * by_a

    def denominator(k: Number) -> Number:
        first = (k * by_excess) * (odd(k) + scaled_bx - k * scaled_x) * odd(k + 1.0)
        return first + (scaled_a + k * by_a) * (scaled_excess + k * excess_step) * odd(k)

    def numerator(k: Number) -> Number:
        product = (scaled_a + (k - 1.0) * by_a) * (scaled_bx - k * scaled_x) * (k * by_excess)
        return product * (scaled_mass + (k - 1.0) * mass_step) * odd(k - 1.0) * odd(k + 1.0)

    def step(j: Number, top: Number, bottom: Number) -> tuple[Number, Number]:
        return denominator(j) * top + numerator(j + 1.0) * bottom, top

    first = descent([a, b, x, y], steps, lambda j: denominator(j + 1.0), step)
    outer = scaled_mass * (scaled_bx - scaled_x) * (scaled_a + 3.0 * by_a) / first
    return (a + 1.0) / (a * (excess + outer))


def _fraction(a: Number, b: Number, x: Number, y: Number) -> Number:
    """Return the continued fraction for x <= a / (a + b), whose leading terms are all positive, by Lentz's method."""
    if x.engine.rounded:
        return _counted_fraction(a, b, x, y)
    total = a + b
    excess = a * y - b * x + 1.0

    def term(k: Number) -> tuple[Number, Number]:
        odd = a + (2.0 * k - 1.0)
        middle = k * (b - k) * x / odd
        numerator = (a + (k - 1.0)) * ((total + (k - 1.0)) / odd) * x * middle
        denominator = k + middle + (a + k) / (odd + 2.0) * (excess + k * (1.0 + y))
        return numerator, denominator

    return continued_fraction([a, b, x, y], a / (a + 1.0) * excess, term, _MOST)


def _rest(a: Number, b: Number, x: Number) -> Number:
    """Return `1 - I_x(a, b)` for a < 1 and x < a / (a + b).

    I is x^a / (a B(a, b)) (1 + a sum (1 - b)_n x^n / (n! (a + n))), DLMF 8.17.7, with a power that is close to 1.
    """

    def step(k: Number, state: Sequence[Number]) -> list[Number]:
        power, total, _ = state
        power = power * ((k - b) / k * x)
        term = power / (a + k)
        return [power, total + term, term]

    def unfinished(state: Sequence[Number]) -> Condition:
        return size(state[2]) > 0.1 * x.epsilon * (1.0 + size(state[1]))

    zero, one = x.full(0.0), x.full(1.0)
    total = loop([a, b, x], [one, zero, one], step, unfinished, _MOST)[1]
    # lgamma(b) - lgamma(a + b), of which the great terms are taken out
    gammas = (
        a * (1.0 - log(a + b))
        - (b - 0.5) * log1p(a / b)
        + stirling_error(b)
        - stirling_error(a + b)
    )
    exponent = a * log(x) - lgamma_plus_one(a) - gammas
    return -expm1(exponent) - exp(exponent) * a * total
