"""Histograms of points: the number of points in each cell of a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype, inexact_dtype
from treadle_ir.errors import flags, sequence
from treadle_numpy.lax.joining import unstack
from treadle_numpy.numpy.manipulation.joining import stack
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.statistics.histograms import Range, bin_of, histogram_bin_edges
from treadle_numpy.numpy.ufuncs.arithmetic import divide, subtract
from treadle_numpy.operands.arrays import array_of, filled
from treadle_numpy.operands.broadcast import check_settings
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, is_array_like
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import ndim_of

__all__ = ["histogram2d", "histogramdd"]

Grid: TypeAlias = ArrayLike | Sequence[ArrayLike | Sequence[float]]
"""The number of bins, or their edges, for all axes or for each."""
Ranges: TypeAlias = Sequence[Range] | None


@composed
def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Grid = 10,
    range: Ranges = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array, Array]:
    """Count the points (x, y) in each cell of a grid; return the counts and the edges of its columns and rows.

    Shapes:
        x, y: [n]
        result: [nx, ny], [nx + 1], [ny + 1]

    `bins` is a number of bins or a vector of edges for both axes, or a pair of these. Counts are integers, or sums of
    the weights; with `density`, shares by area.

    Raises:
        ShapeError: x and y are not vectors of one size.
        ArgumentError: `bins` or `range` do not fit.

    Example:
        >>> import numpy as np
        >>> counts, columns, rows = histogram2d(np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0, 2.0]), 2)
        >>> print(counts, columns, rows)
        [[1 1]
         [0 1]] [0. 2. 4.] [0. 1. 2.]
    """
    first, second = coerce_array("histogram2d", 0, x), coerce_array("histogram2d", 1, y)
    check_settings("histogram2d", first, second)
    if first.ndim != 1 or first.shape != second.shape:
        raise ShapeError(
            f"histogram2d: x and y must be vectors of one size, got {first.shape} and {second.shape}"
        )
    if isinstance(bins, (list, tuple)):
        grid: Grid = bins if len(bins) == 2 else [array_from("histogram2d", bins, None)] * 2
    elif is_array_like(bins) and ndim_of(bins) == 1:
        edges = coerce_array("histogram2d", 2, bins)
        grid = edges if edges.size == 2 else [edges, edges]
    else:
        grid = bins
    counts, (columns, rows) = _counted(
        "histogram2d", stack([first, second], axis=1), grid, range, weights, density
    )
    return counts, columns, rows


def histogramdd(
    sample: ArrayLike,
    bins: Grid = 10,
    range: Ranges = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, list[Array]]:
    """Count the points in each cell of a grid of any number of axes; return the counts and the edges along each.

    Shapes:
        sample: [n, d]
        result: [n1, ..., nd], and d vectors [ni + 1]

    Raises:
        ShapeError: the sample does not have two axes.
        ArgumentError: `bins` or `range` do not have one item for each of the d axes.

    Example:
        >>> import numpy as np
        >>> counts, edges = histogramdd(np.array([[0.0, 0.0], [1.0, 2.0], [4.0, 2.0]]), (2, 1))
        >>> print(counts, *edges)
        [[2]
         [1]] [0. 2. 4.] [0. 2.]
    """
    points = coerce_array("histogramdd", 0, sample)
    if points.ndim != 2:
        raise ShapeError(
            f"histogramdd: the sample must have shape (points, coordinates), got {points.shape}"
        )
    return _counted("histogramdd", points, bins, range, weights, density)


def _counted(
    function: str,
    points: Array,
    bins: Grid,
    range: Ranges,
    weights: ArrayLike | None,
    density: bool | None,
) -> tuple[Array, list[Array]]:
    flags(function, density=density)
    amounts: Array | None = None
    if weights is not None:
        points, amounts = [array_of(v) for v in promote(function, points, weights, inexact=True)]
    number, d = points.shape
    along = _for_each(function, "bins", bins, d)
    ranges = [None] * d if range is None else _for_each(function, "range", range, d)
    columns = unstack(points, axis=1)
    edges = [
        histogram_bin_edges(column, each, within)
        for column, each, within in zip(columns, along, ranges, strict=True)
    ]
    edges = [array_of(promote(function, each, inexact=True)[0]) for each in edges]
    sizes = tuple([each.size - 1 for each in edges])
    if min(sizes, default=1) < 1:
        raise ArgumentError(f"{function}: there must be one bin or more along each axis")
    whole = default_dtype(int)
    total = math.prod(sizes)
    if total >= np.iinfo(whole).max:
        raise ArgumentError(
            f"{function}: a grid of {sizes} has more cells than {whole} can count",
            fix="use fewer bins",
        )
    place = filled((number,), whole.type(0))
    outside = filled((number,), np.bool_(False))
    for column, borders, size in zip(columns, edges, sizes, strict=True):
        values, limits = [array_of(v) for v in promote(function, column, borders, inexact=True)]
        own = bin_of(limits, values)
        outside = ops.or_(outside, ops.compare(own, whole.type(size), direction="eq"))
        place = ops.add(ops.multiply(place, whole.type(size)), own)
    place = ops.select(outside, whole.type(total), place)
    if amounts is None:
        amounts = filled((number,), whole.type(1))
    elif amounts.shape != (number,):
        raise ShapeError(
            f"{function}: there must be one weight for each point, got {amounts.shape} for {number} points"
        )
    flat = ops.scatter_add(
        filled((total,), amounts.dtype.type(0)),
        ops.reshape(place, shape=(number, 1)),
        amounts,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        mode="fill",
    )
    counts = ops.reshape(flat, shape=sizes)
    if density:
        counts = converted(counts, inexact_dtype(points.dtype))
        counts = divide(counts, sum(counts))
        for i, borders in enumerate(edges):
            widths = subtract(borders[1:], borders[:-1])
            counts = divide(
                counts, expand_dims(widths, tuple([j + 1 for j, _ in enumerate(edges[i + 1 :])]))
            )
    return counts, edges


def _for_each(function: str, name: str, given: object, count: int) -> tuple[Any, ...]:
    """Return one item for each axis: a sequence of so many, or one number for all."""
    if name == "bins" and getattr(given, "ndim", 0) == 0 and not isinstance(given, (tuple, list)):
        return (given,) * count
    items = sequence(function, name, given)
    if len(items) != count:
        raise ArgumentError(
            f"{function}: {name} must have one item for each of {count} axes, got {len(items)}"
        )
    return items
