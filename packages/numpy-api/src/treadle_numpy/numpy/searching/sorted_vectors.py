"""Places in sorted vectors: searchsorted, digitize, interp."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, DType, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, is_inexact
from treadle_ir.errors import flags, names
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.searching.choosing import where
from treadle_numpy.numpy.sorting import argsort
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import remainder
from treadle_numpy.numpy.ufuncs.extremes import clip
from treadle_numpy.numpy.ufuncs.kinds import isnan
from treadle_numpy.numpy.ufuncs.logic import less, less_equal
from treadle_numpy.operands.arrays import array_of, filled
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import number

__all__ = ["digitize", "interp", "searchsorted"]

_FEW: Final = (
    1 << 12
)  # comparisons, up to which making all of them is quicker than the steps of a bisection


@composed
def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: str = "left",
    sorter: ArrayLike | None = None,
    *,
    method: str = "scan",
) -> Array:
    """Find the positions at which values can be inserted into a sorted vector to keep it sorted.

    Differs from NumPy: positions are i32 where that is enough.

    Args:
        a: a sorted vector, or with `sorter` any vector.
        v: the values.
        side: "left": the first such position; "right": the last one.
        sorter: the positions that sort `a`.
        method: has no effect.

    Returns:
        Integers of the shape of `v`.

    Raises:
        ArgumentError: `a` is not a vector, or `side` is neither `left` nor `right`.
        DTypeError: `a` and `v` have no common element type.

    Example:
        >>> print(searchsorted(np.array([1, 3, 5], np.int32), 3))
        1
    """
    names("searchsorted", side=side)
    if side not in ("left", "right"):
        raise ArgumentError(
            f"side={side!r} is an invalid argument for side. Expected one of ('left', 'right')"
        )
    ordered, values = promote("searchsorted", a, v)
    ordered, values = array_of(ordered), array_of(values)
    if ordered.ndim != 1:
        raise ArgumentError("a should be 1-dimensional")
    if sorter is not None:
        ordered = take(ordered, sorter, mode="clip")
    size = ordered.size
    whole = position_dtype(size)
    if size * values.size <= _FEW:
        return _counted(ordered, values, side)
    place = filled(values.shape, whole.type(0))
    # bisection, unrolled: as many elements are before the value as the sum of the steps that are taken
    for step in [1 << k for k in reversed(range(size.bit_length()))]:
        further = ops.add(place, whole.type(step))
        here = take(ordered, ops.subtract(further, whole.type(1)), mode="clip")
        taken = ops.and_(
            ops.compare(further, whole.type(size), direction="le"), _before(here, values, side)
        )
        place = ops.select(taken, further, place)
    return place


def position_dtype(size: int) -> DType:
    """Return the integers that positions in a vector are counted in: of 32 bits while they do."""
    return BY_NAME["i32" if size < 2**31 else "i64"]


def _before(here: Array, values: Array, side: str) -> Array:
    """Return whether the place of a value is after an element; NaN is the greatest."""
    if side == "left":
        result = less(here, values)
        if is_inexact(here.dtype):
            result = ops.or_(result, ops.and_(isnan(values), ops.not_(isnan(here))))
        return result
    result = less_equal(here, values)
    if is_inexact(here.dtype):
        result = ops.or_(result, isnan(values))
    return result


def _counted(ordered: Array, values: Array, side: str) -> Array:
    """Return how many elements are before the place of each value: all of them are compared."""
    whole = position_dtype(ordered.size)
    axis = values.ndim
    shape = (*values.shape, ordered.size)
    here = ops.broadcast_in_dim(ordered, shape=shape, dimensions=(axis,))
    wanted = ops.broadcast_in_dim(values, shape=shape, dimensions=tuple(range(axis)))
    before = (less if side == "left" else less_equal)(here, wanted)
    count = ops.reduce_add(ops.convert(before, dtype=whole), axes=(axis,))
    if not is_inexact(ordered.dtype):
        return count
    # A NaN is after all numbers, and equal to NaN.
    last: Operand = whole.type(ordered.size)
    if side == "left":
        numbers = ops.convert(ops.compare(ordered, ordered, direction="eq"), dtype=whole)
        last = ops.reduce_add(numbers, axes=(0,))
    return array_of(where(isnan(values), last, count))


@composed
def digitize(
    x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str | None = None
) -> Array:
    """Return the bin of each element, for bins that ascend or descend.

    Differs from NumPy: bins in disorder are not noticed. `method` changes nothing.

    Raises:
        ArgumentError: `bins` is not a vector.

    Example:
        >>> print(digitize(np.array([0, 4, 9], np.int32), np.array([1, 5], np.int32)))
        [0 1 2]
    """
    flags("digitize", right=right)
    edges = coerce_array("digitize", 1, bins)
    if edges.ndim != 1:
        raise ArgumentError("digitize: bins must be a 1-dimensional array")
    values = coerce_array("digitize", 0, x)
    if edges.size == 0:
        return filled(values.shape, position_dtype(0).type(0))
    side = "left" if right else "right"
    first, last = slice_along(edges, 0, 0, 1), slice_along(edges, 0, edges.size - 1, edges.size)
    descending = ops.reshape(less(last, first), shape=())
    ordered = where(descending, ops.reverse(edges, dimensions=(0,)), edges)
    place = searchsorted(ordered, values, side)
    size = position_dtype(edges.size).type(edges.size)
    return array_of(where(descending, ops.subtract(size, place), place))


@composed
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | str | None = None,
    right: ArrayLike | str | None = None,
    period: ArrayLike | None = None,
) -> Array:
    """Interpolate linearly between the points (xp, fp); values are constant outside of them.

    Args:
        x: where to evaluate.
        xp: the coordinates of the points, a vector; ascending unless there is a `period`.
        fp: the values at the points, a vector.
        left: the value below the first point; the first value if None; "extrapolate" continues the line.
        right: the value above the last point; the last value if None; "extrapolate" continues the line.
        period: the period of the function.

    Returns:
        An array of the shape of `x`.

    Raises:
        ArgumentError: `xp` and `fp` are not vectors of one size, or `left` or `right` is a string other than
            `extrapolate`.

    Example:
        >>> print(interp(1.5, np.array([1.0, 2.0], np.float32), np.array([10.0, 20.0], np.float32)))
        15.0
    """
    if [side for side in (left, right) if isinstance(side, str) and side != "extrapolate"]:
        raise ArgumentError("interp: the only valid string for left and right is 'extrapolate'")
    places, points = promote("interp", x, xp, inexact=True)
    (values,) = promote("interp", fp, inexact=True)
    values = promote("interp", values, places, points)[0]  # which may be complex: places stay real
    places, points, values = array_of(places), array_of(points), array_of(values)
    if points.ndim != 1 or values.shape != points.shape:
        raise ArgumentError("xp and fp must be one-dimensional arrays of equal size")
    if period is not None:
        length = ops.abs(converted(coerce("interp", 5, period), points.dtype))
        places, points = remainder(places, length), remainder(points, length)
        order = argsort(points)
        points, values = take(points, order, mode="clip"), take(values, order, mode="clip")
        points = concatenate(
            [ops.subtract(points[-1:], length), points, ops.add(points[:1], length)]
        )
        values = concatenate([values[-1:], values, values[:1]])
    size = points.size
    whole = position_dtype(size)
    after = clip(searchsorted(points, places, "right"), 1, size - 1)
    before = ops.subtract(after, whole.type(1))
    x0, x1 = take(points, before, mode="clip"), take(points, after, mode="clip")
    y0, y1 = take(values, before, mode="clip"), take(values, after, mode="clip")
    gap, rise = ops.subtract(x1, x0), ops.subtract(y1, y0)
    # The last point is the end of its line; counted from the beginning, its value would be rounded.
    last = ops.compare(places, x1, direction="eq")
    x0, y0 = ops.select(last, x1, x0), ops.select(last, y1, y0)
    flat = ops.compare(gap, points.dtype.type(0), direction="eq")
    share = ops.divide(ops.subtract(places, x0), ops.select(flat, number(1, gap), gap))
    if rise.dtype != share.dtype:
        share = ops.convert(share, dtype=rise.dtype)
    result = where(flat, y0, ops.add(y0, ops.multiply(share, rise)))
    if not isinstance(left, str):
        edge = take(values, np.int32(0)) if left is None else left
        result = where(ops.compare(places, take(points, np.int32(0)), direction="lt"), edge, result)
    if not isinstance(right, str):
        edge = take(values, np.int32(size - 1)) if right is None else right
        result = where(
            ops.compare(places, take(points, np.int32(size - 1)), direction="gt"), edge, result
        )
    return array_of(result)
