"""Arguments of distributions, and what several of them compute."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from treadle_ir import Array
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.exponentials import exp, expm1, log, log1p
from treadle_numpy.numpy.ufuncs.extremes import minimum
from treadle_numpy.numpy.ufuncs.rounding import floor
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import promote_shapes
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import without_weak_arrays
from treadle_numpy.scipy.special.normals import log_ndtr

# Distributions, or functions of one, whose results are not weak for weak arrays, but weak for numbers.
_SETTLED: Final = """
bernoulli beta betabinom cauchy chi2 gamma.cdf gamma.logpdf geom gumbel_r.sf laplace logistic.logpdf logistic.ppf
nbinom norm pareto.cdf pareto.logpdf pareto.logsf pareto.ppf pareto.sf poisson.cdf t
"""


def parameters(function: str, *values: ArrayLike) -> list[Array]:
    """Return values as arrays of one floating type, and of shapes that broadcast; `function` begins with its module."""
    operands = promote_shapes(function, *values, inexact=True)
    if not {function, function.partition(".")[0]}.isdisjoint(_SETTLED.split()):
        operands = [without_weak_arrays(x) for x in operands]
    return [array_of(x) for x in operands]


def located(
    function: str, x: ArrayLike, loc: ArrayLike, scale: ArrayLike, *shapes: ArrayLike
) -> list[Array]:
    """Compute `(x - loc) / scale`, the scale, and parameters of shape."""
    x, loc, scale, *shapes_ = parameters(function, x, loc, scale, *shapes)
    return [(x - loc) / scale, scale, *shapes_]


def counts(function: str, k: ArrayLike, loc: ArrayLike, *shapes: ArrayLike) -> list[Array]:
    """Compute `k - loc`, and parameters of shape."""
    k, loc, *shapes_ = parameters(function, k, loc, *shapes)
    return [k - loc, *shapes_]


def placed(
    function: str,
    q: ArrayLike,
    loc: ArrayLike,
    scale: ArrayLike,
    quantile: Callable[..., Array],
    *shapes: ArrayLike,
) -> Array:
    """Compute `loc + scale * quantile(q, *shapes)`; NaN for a `q` that is not a probability."""
    q, loc, scale, *shapes_ = parameters(function, q, loc, scale, *shapes)
    inside = (q >= 0) & (q <= 1)
    value = loc + scale * quantile(where(inside, q, 0.5), *shapes_)
    return where(inside, value, np.nan)


def within(inside: Array, value: ArrayLike, outside: ArrayLike, x: Array) -> Array:
    """Return the value inside of the support, the other one outside; NaN for an x that is NaN."""
    return where(inside, value, where(x == x, outside, x))


def ending(outside: Array, end: ArrayLike, value: Array) -> Array:
    """Return the value; at and beyond the ends of the support the other one, which has no slope.

    The value is of any place within the support there: NaN if the parameters are none.
    """
    return where(outside & (value == value), end, value)


def whole(x: Array) -> Array:
    """Return whether a number is an integer."""
    return floor(x) == x


def log_of(probability: Array, complement: Array) -> Array:
    """Return the logarithm of a probability, from its complement where that is the smaller one.

    Where it is -inf it has no slope: beyond a support none is wanted, and the quotient of zeros would be NaN.
    """
    small, nothing = probability < 0.5, probability == 0
    near = where(nothing, -np.inf, log(where(small & ~nothing, probability, 0.5)))
    return where(small, near, log1p(-where(small, 0.5, complement)))


_LOG_TWO: Final = 0.6931471805599453


def log1mexp(x: Array) -> Array:
    """Compute `log(1 - exp(-x))` for `x >= 0`, by whichever of two formulas rounds less."""
    small = x < _LOG_TWO
    near = log(-expm1(-where(small, x, 1)))
    return where(small, near, log1p(-exp(-where(small, 1, x))))


def log1mexp_of_exp(x: Array) -> Array:
    """Compute `log(1 - exp(-exp(x)))`; x itself, where the inner exponential is below its precision or underflows."""
    far = x < math.log(float(finfo(x.dtype).eps))
    return where(far, x, log1mexp(exp(where(far, 0, x))))


def less_exponential(x: Array) -> Array:
    """Compute `x - exp(x)`; at infinity its limit, -inf, and not the difference of infinities."""
    return minimum(x, float(finfo(x.dtype).max)) - exp(x)


def log1p_of_square(x: Array) -> Array:
    """Compute `log(1 + x ** 2)`, also where the square overflows."""
    large = abs(x) > 2 * float(finfo(x.dtype).eps) ** -0.5  # 1 adds nothing to such a square
    near = where(large, 0, x)
    return where(large, 2 * log(where(large, abs(x), 1)), log1p(near * near))


def log_interval(a: Array, b: Array) -> Array:
    """Return the logarithm of the normal probability from `a` to `b`, in the tail that is nearer."""
    right = a > 0
    low, high = where(right, -b, a), where(right, -a, b)
    top = log_ndtr(high)
    some = top > -np.inf
    return top + log1mexp(where(some, top - where(some, log_ndtr(low), 0), np.inf))
