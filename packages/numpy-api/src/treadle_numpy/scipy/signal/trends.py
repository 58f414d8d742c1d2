"""Trends taken out of signals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from treadle_ir import ArgumentError, Array
from treadle_ir.calling import composed
from treadle_ir.errors import integers, names, shown
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.joining import concatenate
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.statistics.means import mean
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply, subtract
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import Elements, array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, is_array_like, operand_type
from treadle_numpy.operands.promote import as_weak, promote
from treadle_numpy.operands.shapes import ndim_of

__all__ = ["detrend"]


@composed
def detrend(
    data: ArrayLike,
    axis: int = -1,
    type: str = "linear",
    bp: int | Sequence[int] | Elements = 0,
    overwrite_data: None = None,
) -> Array:
    """Return the signal along an axis less the line that is nearest to it by least squares, or less its mean.

    Args:
        data: the signal; integers become floats.
        axis: along which.
        type: "linear", or "constant" for the mean.
        bp: positions from which on there is another line; nothing to the mean.
        overwrite_data: not supported.

    Raises:
        ArgumentError: there is no such type of trend, or a position is outside of the signal.
        AxisError: there is no such axis.

    Example:
        >>> print(detrend(np.array([1.0, 2.0, 4.0]), type="constant").round(2))
        [-1.33 -0.33  1.67]
    """
    named_only("detrend", overwrite_data=overwrite_data)
    names("detrend", type=type)
    if type not in ("linear", "constant"):
        raise ArgumentError(f"detrend: type must be 'linear' or 'constant', got {shown(type)}")
    x = array_of(promote("detrend", data, inexact=True)[0])
    along = as_axis("detrend", axis, x.ndim)
    if type == "constant":
        return subtract(x, mean(x, along, keepdims=True)) if x.size else x
    rows = moveaxis(x, along, 0)
    size = rows.shape[0]
    several = isinstance(bp, (list, tuple)) or (is_array_like(bp) and ndim_of(bp) > 0)
    given = integers("detrend", "bp", bp if several else (bp,))
    if any([not 0 <= each < max(size, 1) for each in given]):
        raise ArgumentError(
            f"detrend: breakpoints must lie within the {size} elements along the axis, got {given}"
        )
    borders = sorted({0, size, *given})
    parts = [_level(slice_along(rows, 0, start, stop)) for start, stop in pairwise(borders)]
    result = moveaxis(concatenate(parts), 0, along) if parts else x
    return as_weak(result) if operand_type(x).weak else result


def _level(rows: Array) -> Array:
    """Return one part less its line: the mean, and the slope by the distances from the middle."""
    size = rows.shape[0]
    centred = subtract(rows, mean(rows, 0, keepdims=True))
    if size < 2:
        return centred
    places = np.arange(size) - (size - 1) / 2
    steps = expand_dims(array_of(places.astype(rows.real.dtype)), tuple(range(1, rows.ndim)))
    slope = divide(sum(multiply(steps, centred), 0, keepdims=True), float(places @ places))
    return subtract(centred, multiply(steps, slope))
