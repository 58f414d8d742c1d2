"""How far a result is from the truth, in units in the last place, counted in the wide type."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.truth import COMPLEX, FIELDS, REAL, Wide, widened
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.testing.compare import epsilon


def rounded(truth: Wide, dtype: DType) -> Wide:
    """The truth as the element type has it, wide again."""
    with np.errstate(all="ignore"):
        if dtypes.is_complex(dtype):
            return truth.astype(dtype).astype(COMPLEX)
        return truth.astype(np.float64).astype(dtype).astype(np.float64).astype(REAL)


def unit(size: Wide, dtype: DType) -> Wide:
    """The distance between neighbours of the element type at numbers of a size."""
    exponent_bits, mantissa_bits = FIELDS[dtypes.dtype_name(dtypes.real_part(dtype))]
    _, exponent = np.frexp(np.where(np.isfinite(size), size, 1.0))
    least = 2 - (1 << (exponent_bits - 1))
    return np.asarray(np.ldexp(REAL.type(1), np.maximum(exponent - 1, least) - mantissa_bits), REAL)


def distance(actual: Any, truth: Wide, dtype: DType, scale: Wide | float = 0.0) -> Wide:
    """Return for each element the distance to the truth, in units in the last place of the truth.

    0 where both round to the same, NaN included; infinite where one is NaN or infinite and the other is not, except
    that an overflow counts as the next power of 2. With `scale`, the unit is the unit of numbers of at least that
    magnitude. Of a complex number that is not finite, only that it is not finite counts.
    """
    a, b = widened(actual, dtype), rounded(truth, dtype)
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if dtypes.is_complex(dtype):
            same |= ~np.isfinite(a) & ~np.isfinite(b)
        else:
            exponent_bits, _ = FIELDS[dtypes.dtype_name(dtype)]
            beyond = np.ldexp(REAL.type(1), 1 << (exponent_bits - 1))
            a = np.where(np.isinf(a), np.copysign(beyond, a), a)
        size = np.maximum(np.abs(truth), scale)
        apart = np.abs(a - truth) / unit(size, dtype)
        return np.where(same, 0.0, np.where(np.isfinite(apart), apart, np.inf)).astype(np.float64)


def relative_epsilon(dtype: DType, accumulator: DType) -> float:
    """The rounding of an accumulator in units in the last place of a result."""
    return epsilon(accumulator) / epsilon(dtype)
