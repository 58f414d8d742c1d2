"""Special functions of a few elements, on Python's floats: erf, erfc, erf_inv, lgamma, digamma.

The formulas of `special` are some hundred calls of NumPy, however few the elements are: 100 to 400 us, for what
Python's own `math` computes in less than one. It is exact enough for all types (erf, erfc: an ulp of float64), or for
those of 32 bits and less, whose rounding hides its errors near zeros.

The rules know nothing of this: what an element gives by them must not depend on how many others there are. An
evaluator that wants to be quick asks `bare_kernel`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, cast

import numpy as np

from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.few_vectors import VECTORS, of_vector, vector_kernel, without_last_digits
from treadle_ir.reference.registry import Elements
from treadle_ir.reference.special.functions import _DIGAMMA_TAIL as DIGAMMA_TAIL
from treadle_ir.types import ArrayType

try:  # `NormalDist.inv_cdf` without the module around it, whose import would be a part of ours
    from _statistics import _normal_dist_inv_cdf as _quantile  # type: ignore[import-not-found]  # in C
except ImportError:
    from statistics import _normal_dist_inv_cdf as _quantile  # type: ignore[attr-defined]  # in Python

F64: Final = np.dtype(np.float64)
MOST: Final = 64  # elements: from here on NumPy is the quicker one
Scalar = Callable[[float], float]


def polynomial(coefficients: Sequence[float]) -> Scalar:
    """The polynomial with these coefficients, lowest first, by Horner's rule.

    Written out, since a loop over the coefficients takes three times as long.
    """
    first, *rest = map(repr, reversed(coefficients))
    text = "(" * len(rest) + first + "".join([f" * x + {c})" for c in rest])
    return cast("Scalar", eval(f"lambda x: {text}"))  # of nothing but numbers


def chebyshev(series: Sequence[float]) -> Scalar:
    """A Chebyshev series without its last digits, as a polynomial."""
    return polynomial(without_last_digits(series))


_DIGAMMA: Final = polynomial(DIGAMMA_TAIL)
_TINY: Final = 1e-6  # below, the sum with 1 loses digits, and the series needs two terms
_HALF_ROOT_OF_PI: Final = math.sqrt(math.pi) / 2
_ROOT_OF_HALF: Final = math.sqrt(0.5)


def lgamma(x: float) -> float:
    """The logarithm of the gamma function's absolute value; infinite at its poles, and where it is too great."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def digamma(x: float) -> float:
    """The derivative of lgamma; -inf at 0, and NaN at its other poles and at -inf.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.3.5 (recurrence),
        6.3.7 (reflection), 6.3.18 (asymptotic series).
    """
    if not -math.inf < x < math.inf:
        return math.nan if x < 0 else x
    value = 0.0
    if x <= 0:
        if math.floor(x) == x:
            return math.nan if x else -math.inf
        value = -math.pi / math.tan(math.pi * (x - round(x)))
        x = 1 - x
    while x < 8:  # 1 / x + 1 / (x + 1); from 8 on the series is exact to float64's rounding
        value -= (2 * x + 1) / (x * (x + 1))
        x += 2
    inverse = 1 / (x * x)
    return value + (math.log(x) - 0.5 / x - inverse * _DIGAMMA(inverse))


def erf_inv(x: float) -> float:
    """The inverse of erf: a quantile of the normal distribution with variance 1/2, which Python has."""
    if _TINY < x < 1.0 or -1.0 < x < -_TINY:
        return cast("float", _quantile(0.5 + 0.5 * x, 0.0, _ROOT_OF_HALF))
    if -1.0 < x < 1.0:
        return _HALF_ROOT_OF_PI * x * (1.0 + math.pi / 12 * x * x)
    return math.copysign(math.inf, x) if abs(x) == 1 else math.nan


def kernel_of(primitive: Primitive, result: ArrayType) -> Callable[[Elements], Elements] | None:
    """One of these functions for few elements of this type, and nothing around it; None if the rule has to see them."""
    kind, dtype, shape = type(primitive), result.dtype, result.shape
    scalar = ANY_WIDTH.get(kind)
    if scalar is None and dtype != F64:
        scalar = NARROW.get(kind)
    if scalar is None or not 0 < result.size <= MOST:
        return None
    if dtype.char not in "fd":  # those that NumPy does not make of numbers without rounding twice
        return lambda x: _computed(kind, scalar, x)
    array = np.array
    if len(shape) == 1:

        def one_by_one(x: Elements) -> Elements:
            return array([scalar(each) for each in x.tolist()], dtype)

        return vector_kernel(kind, result, one_by_one)
    if kind in VECTORS:
        return lambda x: _computed(kind, scalar, x)
    return lambda x: array([scalar(each) for each in x.ravel().tolist()], dtype).reshape(shape)


def _computed(primitive: type[Primitive], scalar: Scalar, x: Elements) -> Elements:
    flat = x.astype(F64).ravel()
    found = of_vector(primitive, flat) if x.dtype != F64 else None
    if found is None:
        found = np.array([scalar(each) for each in flat.tolist()], F64)
    return found.astype(x.dtype, copy=False).reshape(x.shape)


ANY_WIDTH: Final[dict[type[Primitive], Scalar]] = {e.Erf: math.erf, e.Erfc: math.erfc}
NARROW: Final[dict[type[Primitive], Scalar]] = {
    e.Digamma: digamma,
    e.ErfInv: erf_inv,
    e.Lgamma: lgamma,
}
