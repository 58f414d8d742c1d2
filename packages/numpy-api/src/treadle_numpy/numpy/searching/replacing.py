"""Numbers in the place of NaN and infinities."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, is_inexact
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.kinds import isnan
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import converted

__all__ = ["nan_to_num"]


@composed
def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Array:
    """Return the numbers with NaN and infinities replaced (by 0 and the greatest and least finite numbers).

    Differs from NumPy: `copy` changes nothing; the result is always an array of its own.

    Example:
        >>> print(nan_to_num(np.array([1.0, np.nan, np.inf], np.float32), posinf=9.0))
        [1. 0. 9.]
    """
    operand = coerce("nan_to_num", 0, x)
    dtype = operand.dtype
    if not is_inexact(dtype):
        return array_of(operand)
    if is_complex(dtype):
        return ops.complex(
            nan_to_num(ops.real(operand), copy, nan, posinf, neginf),
            nan_to_num(ops.imag(operand), copy, nan, posinf, neginf),
        )
    limits = finfo(dtype)
    high = dtype.type(limits.max) if posinf is None else posinf
    low = dtype.type(limits.min) if neginf is None else neginf
    result = where(isnan(operand), converted(coerce("nan_to_num", 2, nan), dtype), operand)
    result = where(
        ops.compare(result, dtype.type(np.inf), direction="eq"),
        converted(coerce("nan_to_num", 3, high), dtype),
        result,
    )
    return array_of(
        where(
            ops.compare(result, dtype.type(-np.inf), direction="eq"),
            converted(coerce("nan_to_num", 4, low), dtype),
            result,
        )
    )
