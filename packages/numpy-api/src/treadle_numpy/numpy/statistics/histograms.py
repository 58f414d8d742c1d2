"""Histograms: the number of elements in each bin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from treadle_ir import Array, DType, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype, inexact_dtype
from treadle_ir.errors import flags, refused, sequence
from treadle_numpy.numpy.creation.ranges import linspace
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.reductions.extremes import max, min
from treadle_numpy.numpy.reductions.sums import mean_dtypes, sum
from treadle_numpy.numpy.searching.sorted_vectors import searchsorted
from treadle_numpy.numpy.taking import take
from treadle_numpy.numpy.ufuncs.arithmetic import divide, subtract
from treadle_numpy.operands.arrays import array_of, filled
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import as_index

__all__ = ["histogram", "histogram_bin_edges"]

Bins: TypeAlias = ArrayLike | Sequence[float]  # their number, or their edges
Range: TypeAlias = Sequence[ArrayLike] | None


def histogram_bin_edges(
    a: ArrayLike, bins: Bins = 10, range: Range = None, weights: ArrayLike | None = None
) -> Array:
    """Return the edges of bins of equal width; or those given as `bins`, in the element type that equal ones would
    have.

    Differs from NumPy: `weights` change nothing.

    Raises:
        ArgumentError, ConcretizationError: the number of bins is not an integer, or a traced one.
        UnsupportedError: `bins` names a rule.

    Example:
        >>> print(histogram_bin_edges(np.array([0.0, 4.0], np.float32), 4))
        [0. 1. 2. 3. 4.]
    """
    if isinstance(bins, str):
        raise UnsupportedError(
            "histogram_bin_edges: rules for the number of bins are not supported"
        )
    if isinstance(bins, (list, tuple)):
        bins = array_from("histogram_bin_edges", bins, None)
    given = coerce("histogram_bin_edges", 1, bins)
    x = coerce_array("histogram_bin_edges", 0, a)
    dtype = inexact_dtype(x.dtype)
    if operand_type(given).ndim:
        return array_of(converted(given, dtype))
    count = as_index("histogram_bin_edges", "bins", bins)
    if range is not None:
        ends: Sequence[ArrayLike] = sequence("histogram_bin_edges", "range", range)
        if len(ends) != 2:
            raise refused("histogram_bin_edges", "range", "a pair", range)
    else:
        ends = (min(x), max(x)) if x.size else (0.0, 1.0)
    low, high = [converted(v, dtype) for v in promote("histogram_bin_edges", *ends)]
    same = ops.compare(low, high, direction="eq")
    half = dtype.type(0.5)
    low, high = (
        ops.select(same, ops.subtract(low, half), low),
        ops.select(same, ops.add(high, half), high),
    )
    return linspace(low, high, count + 1, dtype=dtype)


_FEW_EDGES: Final = 16  # XLA writes a sum of so few terms out; of 33 it takes 40 times as long


def _edges_reached(edges: Array, values: Array, whole: DType) -> Array:
    """Return how many of the ascending edges each value has reached."""
    if edges.size > _FEW_EDGES:
        return ops.convert(searchsorted(edges, values, "right"), dtype=whole)
    shape = (values.size, edges.size)
    reached = ops.compare(
        ops.broadcast_in_dim(values, shape=shape, dimensions=(0,)),
        ops.broadcast_in_dim(edges, shape=shape, dimensions=(1,)),
        direction="ge",
    )
    return ops.reduce_add(ops.convert(reached, dtype=whole), axes=(1,))


def bin_of(edges: Array, values: Array) -> Array:
    """Return the index of the bin of each value of a vector; the number of bins for values outside."""
    count, whole = edges.size - 1, default_dtype(int)
    place = ops.subtract(_edges_reached(edges, values, whole), whole.type(1))
    # the last bin holds its right edge
    last = take(edges, np.int32(count), mode="clip")
    place = ops.select(ops.compare(values, last, direction="eq"), whole.type(count - 1), place)
    return ops.select(ops.compare(place, whole.type(0), direction="lt"), whole.type(count), place)


@composed
def histogram(
    a: ArrayLike,
    bins: Bins = 10,
    range: Range = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
    out_sharding: Device = None,
) -> tuple[Array, Array]:
    """Count the elements in each bin; return the counts and the edges of the bins.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Differs from NumPy: counts are floats.

    Raises:
        UnsupportedError: `bins` names a rule.

    Example:
        >>> counts, edges = histogram(np.array([0.0, 1.0, 4.0], np.float32), 2)
        >>> print(counts, edges)
        [2. 1.] [0. 2. 4.]
    """
    if out_sharding is not None:
        return with_out_sharding(histogram, out_sharding, a, bins, range, weights, density)
    flags("histogram", density=density)
    x = ravel(coerce_array("histogram", 0, a))
    edges = histogram_bin_edges(x, bins, range)
    values, borders = [array_of(v) for v in promote("histogram", x, edges, inexact=True)]
    count = borders.size - 1
    place = bin_of(borders, values)
    # counted in whole numbers, and weighed in 32 bits or more: sums of floats end where one more is lost in rounding
    if weights is None:
        result = values.dtype
        amounts = filled(values.shape, default_dtype(int).type(1))
    else:
        given = array_of(promote("histogram", ravel(weights), inexact=True)[0])
        result = given.dtype
        amounts = converted(given, mean_dtypes(result)[0])
    start = filled((count,), amounts.dtype.type(0))
    counts = ops.scatter_add(
        start,
        ops.reshape(place, shape=(values.size, 1)),
        amounts,
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        mode="fill",
    )
    if density:
        widths = subtract(borders[1:], borders[:-1])
        counts = converted(counts, mean_dtypes(result)[0])
        counts = divide(divide(counts, sum(counts)), widths)
    return converted(counts, result), edges
