"""NumPy kernels of cumulative operations: ufuncs' `accumulate`, over a view that runs backwards when reversed."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitives.cumulative import (
    Cumulative,
    CumulativeAdd,
    CumulativeLogsumexp,
    CumulativeMaximum,
    CumulativeMinimum,
    CumulativeMultiply,
)
from treadle_ir.reference.reduce import accumulator
from treadle_ir.reference.registry import Elements, eval_rule


def _accumulated(ufunc: np.ufunc, primitive: Cumulative, x: Elements) -> list[Elements]:
    wide = accumulator(x.dtype)
    axis = primitive.axis
    backwards = (slice(None),) * axis + (slice(None, None, -1),)
    seen = x[backwards] if primitive.reverse else x
    # `dtype` keeps NumPy from widening small integers
    result = ufunc.accumulate(seen.astype(wide, copy=False), axis=axis, dtype=wide)
    if primitive.reverse:
        result = result[backwards]
    return [result.astype(x.dtype, copy=False)]


@eval_rule(CumulativeAdd)
def cumulative_add_eval(primitive: CumulativeAdd, x: Elements) -> list[Elements]:
    """Compute NumPy's cumulative sum."""
    return _accumulated(np.add, primitive, x)


@eval_rule(CumulativeMultiply)
def cumulative_multiply_eval(primitive: CumulativeMultiply, x: Elements) -> list[Elements]:
    """Compute NumPy's cumulative product."""
    return _accumulated(np.multiply, primitive, x)


@eval_rule(CumulativeMaximum)
def cumulative_maximum_eval(primitive: CumulativeMaximum, x: Elements) -> list[Elements]:
    """Compute NumPy's running maximum, which propagates NaN."""
    return _accumulated(np.maximum, primitive, x)


@eval_rule(CumulativeMinimum)
def cumulative_minimum_eval(primitive: CumulativeMinimum, x: Elements) -> list[Elements]:
    """Compute NumPy's running minimum, which propagates NaN."""
    return _accumulated(np.minimum, primitive, x)


@eval_rule(CumulativeLogsumexp)
def cumulative_logsumexp_eval(primitive: CumulativeLogsumexp, x: Elements) -> list[Elements]:
    """Compute NumPy's running logaddexp."""
    return _accumulated(np.logaddexp, primitive, x)
