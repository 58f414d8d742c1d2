"""The functions that formulas use and NumPy lacks, on float64 arrays: erf, erfc, erf_inv, lgamma, digamma.

XLA has them as operations; treadle_ir depends on numpy and ml_dtypes only, so they are written out here. Each is a
Chebyshev series where the function is smooth and a classical identity elsewhere; the series are least-degree fits at
50 digits of the function named above them, cut at 1e-17. Errors are a few units in the last place of float64, except
within rounding of the negative zeros of lgamma and digamma, where only the absolute error is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir.formulas.error_series import ERFC_SCALED, GILES_CENTRAL, GILES_TAIL
from treadle_ir.reference.registry import Elements

# erf(x) / x for 0 <= x <= 1, in t = 2 x^2 - 1.
_ERF: Final = (
    0.9754769393826541,
    -0.14226120510371365,
    0.010035582187599796,
    -0.0005768764699767485,
    2.741993125219606e-05,
    -1.1043175507344507e-06,
    3.8488755420345036e-08,
    -1.1808582533875466e-09,
    3.2334215826050907e-11,
    -7.991015947004549e-13,
    1.7990725113961456e-14,
    -3.718635487818693e-16,
    7.103599003714253e-18,
)

# lgamma(1 + z) / z for -1/2 <= z <= 1/2, in t = 2 z.
_LGAMMA_1: Final = (
    -0.633011426275031,
    0.4405675574678963,
    -0.057857409449912446,
    0.010513973690267811,
    -0.002163989092091715,
    0.0004744402338724658,
    -0.00010799644528099427,
    2.5201155299530276e-05,
    -5.986014498026819e-06,
    1.4410616180293054e-06,
    -3.5060690575761177e-07,
    8.603823016763753e-08,
    -2.126510912478688e-08,
    5.287778091463614e-09,
    -1.3217135752166157e-09,
    3.3186698554450495e-10,
    -8.365902567746219e-11,
    2.116338666160694e-11,
    -5.370507653794381e-12,
    1.3666688100545857e-12,
    -3.486660039885161e-13,
    8.915622432767707e-14,
    -2.28454959350908e-14,
    5.86514671522212e-15,
    -1.5084071183968602e-15,
    3.885614648428306e-16,
    -1.0024188186640361e-16,
    2.5896418565384152e-17,
    -6.69867474095857e-18,
)

# lgamma(2 + z) / z for -1/2 <= z <= 1, in t = (4 z - 1) / 3.
_LGAMMA_2: Final = (
    0.48362763659842517,
    0.22408351337696908,
    -0.016061611364725618,
    0.0016796351005504537,
    -0.000206207082576848,
    2.7619482587698902e-05,
    -3.902432064395172e-06,
    5.712600238782988e-07,
    -8.57232441585347e-08,
    1.3098706178370361e-08,
    -2.0291174319191596e-09,
    3.177019404112652e-10,
    -5.0168902255267044e-11,
    7.977607508944761e-12,
    -1.2759320707466868e-12,
    2.0507506001786822e-13,
    -3.309998326505828e-14,
    5.362087191185866e-15,
    -8.714427500704616e-16,
    1.4203170417419452e-16,
    -2.3208252786405174e-17,
    3.801021892031957e-18,
)

# digamma(x) / (x - root) for 1 <= x <= 2, in t = 2 x - 3; the root is HIGH + LOW.
_DIGAMMA: Final = (
    0.983570260441567,
    -0.2270640863346444,
    0.03336889902393011,
    -0.005320077271596548,
    0.0008788656937820505,
    -0.00014773492650606044,
    2.5060543468359146e-05,
    -4.2721034029993324e-06,
    7.302769272465923e-07,
    -1.2502886813559594e-07,
    2.1425009322359472e-08,
    -3.673295918565179e-09,
    6.299717236108931e-10,
    -1.080593028883266e-10,
    1.853735192053638e-11,
    -3.18023536582553e-12,
    5.456147570322795e-13,
    -9.360993131036438e-14,
    1.606064636295075e-14,
    -2.7555431377438815e-15,
    4.727736178601912e-16,
    -8.11148420346509e-17,
    1.391707769474154e-17,
)
_ROOT_HIGH: Final = 1.4616321474313736
_ROOT_LOW: Final = -2.4630112549287467e-09

# B_2k / (2k (2k - 1)) and B_2k / 2k, with the Bernoulli numbers B_2k.
_STIRLING: Final = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
_DIGAMMA_TAIL: Final = (
    1 / 12,
    -1 / 120,
    1 / 252,
    -1 / 240,
    1 / 132,
    -691 / 32760,
    1 / 12,
    -3617 / 8160,
)
_HALF_LOG_TWO_PI: Final = 0.9189385332046728
_ASYMPTOTIC: Final = 10.0  # from here on the asymptotic series are exact to rounding


def chebyshev(coefficients: Sequence[float], t: Elements) -> Elements:
    """Return the sum of c[k] T_k(t), by the recurrence of Clenshaw (1955), for -1 <= t <= 1."""
    last: Elements = np.zeros_like(t)
    before: Elements = np.zeros_like(t)
    twice = 2 * t
    for c in reversed(coefficients[1:]):
        last, before = c + twice * last - before, last
    result: Elements = coefficients[0] + t * last - before
    return result


def horner(coefficients: Sequence[float], x: Elements) -> Elements:
    """Return the polynomial with these coefficients, lowest first."""
    result: Elements = np.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        result = result * x + c
    return result


def erf(x: Elements) -> Elements:
    """Return the error function.

    Source: A. Shepherd and J. Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc(x),
        Math. Comp. 36 (1981), for the form of the outer part.
    """
    magnitude = np.abs(x)
    outer = np.copysign(1 - _erfc_outer(np.clip(magnitude, 1, 30)), x)
    return np.where(magnitude < 1, _erf_inner(np.clip(x, -1, 1)), np.where(np.isnan(x), x, outer))


def erfc(x: Elements) -> Elements:
    """Return `1 - erf(x)`, without the cancellation."""
    outer = _erfc_outer(np.clip(np.abs(x), 1, 30))
    outer = np.where(x < 0, 2 - outer, outer)
    return np.where(np.abs(x) < 1, _erfc_inner(np.clip(x, -1, 1)), np.where(np.isnan(x), x, outer))


def _erf_inner(x: Elements) -> Elements:
    inner: Elements = x * chebyshev(_ERF, 2 * x * x - 1)
    return inner


def _erfc_inner(x: Elements) -> Elements:
    # From 1/2 on, 1 - erf(x) = 1/2 - (erf(x) - 1/2) keeps the rounding of erf below the rounding of the result.
    inner: Elements = np.where(x < 0.5, 1 - _erf_inner(x), 0.5 - (_erf_inner(x) - 0.5))
    return inner


def _erfc_outer(x: Elements) -> Elements:
    # exp(-x^2) in two factors: rounding x^2 would cost x^2 units in the last place.
    high = np.round(x * 64) / 64  # high^2 is exact
    square = np.exp(-high * high) * np.exp((high - x) * (high + x))
    outer: Elements = chebyshev(ERFC_SCALED, 1 - 8 / (x + 3)) * square / x
    return outer


def erf_inv(x: Elements) -> Elements:
    """Return the inverse of erf: a start good to 1e-6, and two steps of Halley's method.

    Source: M. Giles, Approximating the erfinv function, GPU Computing Gems 2 (2010), for the start.
    """
    magnitude = np.abs(x)
    safe = np.where(magnitude < 1, magnitude, 0.0)
    w = -np.log((1 - safe) * (1 + safe))
    central = horner(GILES_CENTRAL, np.minimum(w, 5) - 2.5)
    tail = horner(GILES_TAIL, np.sqrt(np.clip(w, 5, 16)) - 3)
    # Past what that fit covers: erfc(y) = exp(-y^2) / (y sqrt(pi)) to first order, solved once for y.
    far = np.sqrt(w + np.log(2) - 0.5 * np.log(np.pi * np.maximum(w, 16)))
    y = safe * np.where(w < 5, central, np.where(w < 16, tail, far))
    for _ in range(2):
        # (erf(y) - x) / erf'(y), from the complements where these are the small numbers; 1 - x is exact there.
        error = np.where(safe < 0.5, erf(y) - safe, (1 - safe) - erfc(y)) / (
            1.1283791670955126 * np.exp(-y * y)
        )
        y = y - error / (1 + y * error)
    y = np.copysign(np.where(magnitude == 1, np.inf, y), x)
    return np.where(magnitude <= 1, y, np.nan)


def lgamma(x: Elements) -> Elements:
    """Return the logarithm of the gamma function's absolute value; infinite at 0, -1, -2, ... and at -inf.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.1.15 (recurrence),
        6.1.17 (reflection), 6.1.41 (asymptotic series).
    """
    below = x < 0
    positive = np.where(below, 1 - x, x)
    value = _lgamma_positive(positive)
    # lgamma(x) = log(pi / |sin(pi x)|) - lgamma(1 - x); sin(pi x) has its sign and size from x - round(x).
    reflected = np.log(np.pi / np.abs(np.sin(np.pi * (x - np.rint(x))))) - value
    value = np.where(below, reflected, value)
    value = np.where((x <= 0) & (np.floor(x) == x), np.inf, value)
    return np.where(np.isinf(x), np.inf, value)


def _lgamma_positive(x: Elements) -> Elements:
    large = np.maximum(x, _ASYMPTOTIC)
    tail = horner(_STIRLING, 1 / (large * large)) / large
    stirling = (large - 0.5) * (np.log(large) - 1) + (_HALF_LOG_TWO_PI - 0.5 + tail)
    # Down to [1/2, 3] with the product of what the recurrence gamma(x + 1) = x gamma(x) takes out.
    near = np.where(x < _ASYMPTOTIC, np.maximum(x, 1e-320), 1.0)
    product = np.where(near < 0.5, 1 / near, 1.0)
    near = np.where(near < 0.5, near + 1, near)
    for _ in range(7):
        high = near >= 3
        near = np.where(high, near - 1, near)
        product = np.where(high, product * near, product)
    around_1 = (near - 1) * chebyshev(_LGAMMA_1, np.clip(2 * near - 2, -1, 1))
    around_2 = (near - 2) * chebyshev(_LGAMMA_2, np.clip((4 * near - 9) / 3, -1, 1))
    small = np.where(near < 1.5, around_1, around_2) + np.log(product)
    result: Elements = np.where(x < _ASYMPTOTIC, small, np.where(np.isnan(x), x, stirling))
    return result


def digamma(x: Elements) -> Elements:
    """Return the derivative of lgamma; -inf at 0, and NaN at its other poles -1, -2, ... and at -inf, as XLA has it.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.3.5 (recurrence),
        6.3.7 (reflection), 6.3.18 (asymptotic series).
    """
    below = x < 0
    positive = np.where(below, 1 - x, x)
    value = _digamma_positive(positive)
    value = np.where(below, value - np.pi / np.tan(np.pi * (x - np.rint(x))), value)
    value = np.where((x < 0) & ((np.floor(x) == x) | np.isinf(x)), np.nan, value)
    return np.where(x == 0, -np.inf, value)


def _digamma_positive(x: Elements) -> Elements:
    large = np.maximum(x, _ASYMPTOTIC)
    inverse = 1 / (large * large)
    asymptotic = np.log(large) - 0.5 / large - inverse * horner(_DIGAMMA_TAIL, inverse)
    near = np.where(x < _ASYMPTOTIC, x, 1.0)
    shift = np.where(near < 1, -1 / near, 0.0)
    near = np.where(near < 1, near + 1, near)
    for _ in range(8):
        high = near >= 2
        near = np.where(high, near - 1, near)
        shift = np.where(high, shift + 1 / near, shift)
    offset = (near - _ROOT_HIGH) - _ROOT_LOW
    small = offset * chebyshev(_DIGAMMA, np.clip(2 * near - 3, -1, 1)) + shift
    result: Elements = np.where(x < _ASYMPTOTIC, small, np.where(np.isnan(x), x, asymptotic))
    return result
