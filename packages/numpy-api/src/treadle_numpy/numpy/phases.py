"""Angles without jumps."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, Operand, composed_in_numpy, default_dtype, integer, ops, refused
from treadle_ir.dtypes import is_inexact
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy import in_numpy
from treadle_numpy.numpy.differences import diff
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, remainder, subtract
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.truth import truth

__all__ = ["unwrap"]


@composed_in_numpy(in_numpy.unwrap)
def unwrap(
    p: ArrayLike, discont: ArrayLike | None = None, axis: int = -1, period: float = 2 * np.pi
) -> Array:
    """Angles with jumps of more than half a period taken out.

    Example:
        >>> print(unwrap(np.array([0.0, 3.0, 6.5])).round(4))
        [0.     3.     0.2168]
    """
    (operand,) = promote("unwrap", p)
    x = array_of(operand)
    if not is_inexact(x.dtype) and not isinstance(period, int):
        x = array_of(converted(x, default_dtype(float)))
    along = as_axis("unwrap", axis, x.ndim)
    if not x.shape[along]:
        return x
    if not isinstance(period, (int, float, np.number)):
        raise refused("unwrap", "period", "a number", period)
    if isinstance(period, int):
        period = integer("unwrap", "period", period)
    whole = x.dtype.type(period)
    half = x.dtype.type(period / 2) if is_inexact(x.dtype) else x.dtype.type(int(period) // 2)
    jump = diff(x, axis=along)
    moved = subtract(remainder(add(jump, half), whole), half)
    if (
        is_inexact(x.dtype) or period % 2 == 0
    ):  # half an odd period is no integer, and no step is both
        moved = where(truth("unwrap", 0, _both(moved, -half, jump)), half, moved)
    change = subtract(moved, jump)
    limit = half if discont is None else discont
    small = ops.compare(
        ops.abs(jump), converted(coerce("unwrap", 1, limit), x.dtype), direction="lt"
    )
    change = where(small, x.dtype.type(0), change)
    first = slice_along(x, along, 0, 1)
    rest = add(slice_along(x, along, 1, x.shape[along]), cumsum(change, axis=along))
    return ops.concatenate([first, rest], dimension=along)


def _both(moved: Operand, low: Operand, jump: Operand) -> Array:
    return ops.and_(
        ops.compare(moved, low, direction="eq"),
        ops.compare(jump, jump.dtype.type(0), direction="gt"),
    )
