"""Special functions of a few elements that Python has itself: erf, erfc, erf_inv, lgamma.

The reference kernels take a hundred or more calls of NumPy, SciPy's functions take as long as these, but an import that
is slower than NumPy's: these functions are in every other program, in `gelu` and `random.normal`. Errors are an ulp of
float64 for erf and erfc; the others are for dtypes of at most 32 bits, whose rounding hides larger errors near zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, cast

import numpy as np

from treadle_ir import ArrayType, Primitive
from treadle_ir.primitives import elementwise as e
from treadle_runtime.evaluation.host.by_rule import Kernel

try:  # `NormalDist.inv_cdf` without the module around it, whose import would be a part of ours
    from _statistics import _normal_dist_inv_cdf as _quantile  # type: ignore[import-not-found]  # in C
except ImportError:
    from statistics import _normal_dist_inv_cdf as _quantile  # type: ignore[attr-defined]  # in Python

MOST: Final = 64  # elements up to which these are faster than NumPy
_F64: Final = np.dtype(np.float64)
_TINY: Final = 1e-6  # below, the sum with 1 loses digits, and the series needs two terms
_HALF_ROOT_OF_PI: Final = math.sqrt(math.pi) / 2
_ROOT_OF_HALF: Final = math.sqrt(0.5)


def lgamma(x: float) -> float:
    """Return the logarithm of the absolute value of the gamma function; infinite at its poles, and beyond float64."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def erf_inv(x: float) -> float:
    """Return the inverse of erf, by the quantile of the normal distribution with variance 1/2."""
    if _TINY < x < 1.0 or -1.0 < x < -_TINY:
        return cast("float", _quantile(0.5 + 0.5 * x, 0.0, _ROOT_OF_HALF))
    if -1.0 < x < 1.0:
        return _HALF_ROOT_OF_PI * x * (1.0 + math.pi / 12 * x * x)
    return math.copysign(math.inf, x) if abs(x) == 1 else math.nan


_ANY_WIDTH: Final[dict[type[Primitive], Callable[[float], float]]] = {
    e.Erf: math.erf,
    e.Erfc: math.erfc,
}
_NARROW: Final[dict[type[Primitive], Callable[[float], float]]] = {
    e.ErfInv: erf_inv,
    e.Lgamma: lgamma,
}


def kernel_of(primitive: Primitive, result: ArrayType) -> Kernel | None:
    """Return the kernel of one of these functions for a result of this type; None for other functions and types."""
    kind, dtype, shape = type(primitive), result.dtype, result.shape
    scalar = _ANY_WIDTH.get(kind)
    if scalar is None and dtype != _F64:
        scalar = _NARROW.get(kind)
    if scalar is None or not 0 < result.size <= MOST:
        return None
    array = np.array
    if dtype.char not in "fd":  # NumPy would round Python's numbers twice
        return lambda x: (
            array([scalar(each) for each in x.ravel().tolist()], _F64).astype(dtype).reshape(shape)
        )
    if len(shape) == 1:
        return lambda x: array([scalar(each) for each in x.tolist()], dtype)
    return lambda x: array([scalar(each) for each in x.ravel().tolist()], dtype).reshape(shape)
