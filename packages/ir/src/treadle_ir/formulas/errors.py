"""Relatives of the error function."""

from __future__ import annotations

import math

from treadle_ir.formulas.arithmetic import (
    Number,
    between,
    chebyshev,
    erf,
    erfc,
    exp,
    greater,
    log,
    polynomial,
    smaller,
    sqrt,
    where,
)
from treadle_ir.formulas.error_series import (
    DAWSON_FAR,
    DAWSON_MIDDLE,
    DAWSON_NEAR,
    ERFC_INV_CENTRAL,
    ERFC_INV_TAIL,
    ERFC_SCALED,
    ERFCX_ALL,
    GILES_CENTRAL,
    GILES_TAIL,
    LEGENDRE,
)


def erfcx(x: Number) -> Number:
    """Return `exp(x^2) erfc(x)`, without overflow and underflow for positive x."""
    if x.engine.rounded and not x.level:
        size = abs(x)
        value = chebyshev(ERFCX_ALL, 1.0 - 6.0 / (size + 3.0)) / (1.0 + 2.0 * size)
        value = where(x < 0.0, 2.0 * exp(x * x) - value, value)
        return where(x.is_nan(), x, value)
    inner = between(x, -30.0, 1.0)
    outer = where(x > 1.0, x, 1.0)
    # exp(x^2) in two factors: rounding x^2 would cost x^2 units in the last place
    high = (inner * 64.0).apply("round_nearest_even") * (1 / 64)
    near = exp(high * high) * exp((inner - high) * (inner + high)) * erfc(inner)
    far = chebyshev(ERFC_SCALED, 1.0 - 8.0 / (outer + 3.0)) / outer
    value = where(x > 1.0, far, near)
    return where(x.is_nan(), x, value)


def erfc_inv(y: Number) -> Number:
    """Return the inverse of erfc: a start good to 1e-6, and steps of Halley's method; for float32, fits of it.

    Source: M. Giles, Approximating the erfinv function, GPU Computing Gems 2 (2010), for the start.
    """
    inside = (y > 0.0) & (y < 2.0)
    folded = where(y > 1.0, 2.0 - y, y)
    p = where(inside, folded, 0.5)  # erfc of the magnitude of the result
    u = 1.0 - p  # erf of it
    x = _erfc_inv_rounded(p, u) if y.engine.rounded and not y.level else _erfc_inv(p, u)
    x = where(y > 1.0, -x, x)
    ends = where(y.equals(0.0), y.full(math.inf), where(y.equals(2.0), y.full(-math.inf), math.nan))
    return where(inside, x, ends)


def _erfc_inv_rounded(p: Number, u: Number) -> Number:
    near = p > 0.2
    inner, outer = where(near, u, 0.5), where(near, 0.1, p)
    central = inner * chebyshev(ERFC_INV_CENTRAL, inner * inner / 0.32 - 1.0)
    r = sqrt(-log(outer))
    return where(near, central, r * chebyshev(ERFC_INV_TAIL, (1.0 / (1.0 + r) - 0.265) / 0.176))


def _erfc_inv(p: Number, u: Number) -> Number:
    w = -log(p * (2.0 - p))
    central = u * polynomial(GILES_CENTRAL, smaller(w, 5.0) - 2.5)
    tail = u * polynomial(GILES_TAIL, sqrt(between(w, 5.0, 16.0)) - 3.0)
    far_w = greater(w, 16.0)
    far = sqrt(far_w + (math.log(2) - 0.5 * log(math.pi * far_w)))
    x = where(w < 5.0, central, where(w < 16.0, tail, far))
    for _ in range(3):
        residual = where(u < 0.5, erf(x) - u, p - erfc(x))
        step = residual / (2 / math.sqrt(math.pi) * exp(-(x * x)))
        x = x - step / (1.0 + x * step)
    return x


def dawson(x: Number) -> Number:
    """Return `exp(-x^2)` times the integral of `exp(t^2)` from 0 to x."""
    size = abs(x)
    near, middle = smaller(size, 2.5), between(size, 2.5, 5.0)
    inverse = 1.0 / greater(size, 2.5)
    by_near = near * chebyshev(DAWSON_NEAR, 0.32 * near * near - 1.0)
    by_middle = chebyshev(DAWSON_MIDDLE, 0.8 * middle - 3.0)
    ratio = 5.0 * smaller(inverse, 0.2)
    by_far = chebyshev(DAWSON_FAR, 2.0 * ratio * ratio - 1.0)
    value = where(size < 2.5, by_near, where(size < 5.0, by_middle, by_far) * inverse)
    value = where(x < 0.0, -value, value)
    return where(x.equals(0.0) | x.is_nan(), x, value)


def owens_t(h: Number, a: Number) -> Number:
    """Return the probability that X > h and 0 < Y < a X, for independent normal X and Y.

    The integral of exp(-h^2 (1 + t^2) / 2) / (1 + t^2) / (2 pi) for t from 0 to a <= 1, by Gauss and Legendre, as
    far as it is above rounding; for a > 1 that with h a and 1 / a for them.

    Source: M. Patefield and D. Tandy, Fast and accurate calculation of Owen's T function, J. Stat. Software 5 (2000).
    """
    size, slope = abs(h), abs(a)
    steep = slope > 1.0
    product = where(slope.equals(0.0), 0.0, size * slope)
    height = where(steep, product, size)
    top = where(steep, 1.0 / slope, slope)
    end = smaller(top, 9.0 / greater(height, 1e-3))
    square = 0.5 * height * height
    half = 0.5 * end
    total: Number = end * 0.0
    for node, weight in LEGENDRE:
        for t in (half * (1.0 + node), half * (1.0 - node)):
            total = total + weight * exp(-square * t * t) / (1.0 + t * t)
    value = half * total * exp(-square) * (0.5 / math.pi)
    below, left = 0.5 * erfc(size * math.sqrt(0.5)), 0.5 * erfc(product * math.sqrt(0.5))
    value = where(steep, 0.5 * (below + left) - below * left - value, value)
    value = where(slope.equals(math.inf), 0.5 * below, value)
    value = where(size.equals(math.inf), size.full(0.0), value)
    value = where(a < 0.0, -value, value)
    return where(h.is_nan() | a.is_nan(), math.nan, value)
