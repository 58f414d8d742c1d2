"""Angles without jumps."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, DType, DTypeError, Operand, ShapeError, ops, type_of
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex, is_inexact, is_integer
from treadle_ir.errors import integer, refused
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.differences import diff
from treadle_numpy.numpy.reductions.running import cumsum
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.ufuncs.arithmetic import add, divide, floor_divide, remainder, subtract
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import truth

__all__ = ["unwrap"]


@composed
def unwrap(
    p: ArrayLike, discont: ArrayLike | None = None, axis: int = -1, period: ArrayLike = 2 * np.pi
) -> Array:
    """Angles with jumps of more than half a period taken out.

    Raises:
        DTypeError: the angles are complex.
        ArgumentError: `period` is not a number, or `discont` is complex.
        ShapeError: `discont` is an array that does not broadcast to the jumps.

    Example:
        >>> print(unwrap(np.array([0.0, 3.0, 6.5])).round(4))
        [0.     3.     0.2168]
    """
    (operand,) = promote("unwrap", p)
    x = array_of(operand)
    if is_complex(x.dtype):
        raise DTypeError(
            f"unwrap: angles are real numbers, got {type_of(x)}", fix="unwrap `angle(z)`"
        )
    whole_numbers = isinstance(period, int) or is_integer(coerce("unwrap", 3, period).dtype)
    if not is_inexact(x.dtype) and not whole_numbers:
        x = array_of(converted(x, default_dtype(float)))
    along = as_axis("unwrap", axis, x.ndim)
    if not x.shape[along]:
        return x
    whole, half, low = _turn(period, x.dtype)
    jump = diff(x, axis=along)
    moved = subtract(remainder(add(jump, half), whole), half)
    highest: Operand = half
    if not is_inexact(x.dtype):  # an odd period has no middle, which jumps up and down could share
        even = ops.compare(add(half, half), whole, direction="eq")
        highest = where(truth("unwrap", 3, even), half, low)
    moved = where(truth("unwrap", 0, _both(moved, low, jump)), highest, moved)
    change = subtract(moved, jump)
    limit = coerce("unwrap", 1, half if discont is None else discont)
    if is_complex(limit.dtype):
        raise refused("unwrap", "discont", "a real number", discont)
    limit = converted(limit, x.dtype)
    if limit.shape:
        shape = common_shape("unwrap", [jump.shape, limit.shape])
        if shape != jump.shape:
            raise ShapeError(f"unwrap: discont has shape {limit.shape}, and the jumps {jump.shape}")
        limit = broadcast_to_shape(limit, shape)
    small = ops.compare(ops.abs(jump), limit, direction="lt")
    change = where(small, x.dtype.type(0), change)
    first = slice_along(x, along, 0, 1)
    rest = add(slice_along(x, along, 1, x.shape[along]), cumsum(change, axis=along))
    return ops.concatenate([first, rest], dimension=along)


def _turn(period: ArrayLike, dtype: DType) -> tuple[Operand, Operand, Operand]:
    """Return the period, half of it - of integers, rounded down - and the negative of that."""
    if isinstance(period, int):
        period = integer("unwrap", "period", period)
    if isinstance(period, (int, float, np.number)):
        half = dtype.type(period / 2 if is_inexact(dtype) else int(period) // 2)
        return dtype.type(period), half, -half
    turn = coerce("unwrap", 3, period)
    if turn.shape or is_complex(turn.dtype):
        raise refused("unwrap", "period", "a number", period)
    turn = converted(turn, dtype)
    middle = (divide if is_inexact(dtype) else floor_divide)(turn, dtype.type(2))
    return turn, middle, ops.negate(middle)


def _both(moved: Operand, low: Operand, jump: Operand) -> Array:
    return ops.and_(
        ops.compare(moved, low, direction="eq"),
        ops.compare(jump, jump.dtype.type(0), direction="gt"),
    )
