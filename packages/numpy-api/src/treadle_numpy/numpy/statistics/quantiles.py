"""Quantiles: percentile, median and their relatives, of all elements or of those that are not NaN."""

from __future__ import annotations

import math
from typing import Final, Protocol

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ShapeError,
    UnsupportedError,
    composed,
    default_dtype,
    flags,
    names,
    ops,
)
from treadle_ir.dtypes import is_complex
from treadle_numpy.numpy.manipulation.axes import moveaxis, transpose
from treadle_numpy.numpy.manipulation.shapes import reshape
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.reductions.truths import any
from treadle_numpy.numpy.statistics.means import mean_dtypes
from treadle_numpy.numpy.taking import take_along_axis
from treadle_numpy.numpy.ufuncs.arithmetic import divide
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.fill import filled
from treadle_numpy.operands.laid_out import laid_out
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import size_scalar
from treadle_numpy.operands.shapes import kept_shape

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]


def _merged(x: Array, axis: Axis, name: str) -> tuple[Array, tuple[int, ...]]:
    """The array with the axes of a quantile as its last one, and the shape they leave with size 1."""
    axes = sorted_axes(name, axis, x.ndim)
    rest = [i for i in range(x.ndim) if i not in axes]
    moved = transpose(x, [*rest, *axes])
    count = math.prod([x.shape[i] for i in axes])
    flat = reshape(moved, (*[x.shape[i] for i in rest], count))
    return flat, kept_shape(x.shape, axes)


_METHODS: Final = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")


def _beside(name: str, weights: ArrayLike, x: Array, axes: tuple[int, ...], axis: Axis) -> Array:
    """Weights broadcast to the array that they belong to: they have its shape, or that of the axes of a quantile."""
    w = coerce_array(name, 2, weights)
    if w.shape == x.shape:
        return w
    if axis is None or w.shape != tuple([x.shape[i] for i in axes]):
        raise ShapeError(
            f"{name}: weights of shape {w.shape} do not fit axis {axis} of shape {x.shape}",
            fix="give a weight for each element, or one for each position along the axes",
        )
    return ops.broadcast_in_dim(w, shape=x.shape, dimensions=axes)


def _lighter(weights: Array, share: Array, by_vector: tuple[int, ...]) -> Array:
    """How many elements of each sorted vector have less than a share of the weight up to and with themselves.

    Shapes:
        weights: [*outer, n]
        share, result: [*counts, *outer], whose axes `by_vector` are the outer ones
    """
    last = weights.ndim - 1
    below = ops.cumulative_add(weights, axis=last, reverse=False)
    part = divide(below, below[..., -1:])
    shape = (*share.shape, weights.shape[-1])
    less = ops.compare(
        ops.broadcast_in_dim(part, shape=shape, dimensions=(*by_vector, len(shape) - 1)),
        ops.broadcast_in_dim(share, shape=shape, dimensions=tuple(range(share.ndim))),
        direction="lt",
    )
    return ops.reduce_add(ops.convert(less, dtype=weights.dtype), axes=(len(shape) - 1,))


def _quantile(
    name: str,
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis,
    method: str,
    keepdims: bool,
    skip_nan: bool,
    weights: ArrayLike | None = None,
) -> Array:
    names(name, method=method)
    flags(name, keepdims=keepdims)
    if method not in _METHODS:
        raise ArgumentError(
            f"{name}: there is no method {method!r}", fix=f"choose one of {', '.join(_METHODS)}"
        )
    if weights is not None and method != "inverted_cdf":
        raise UnsupportedError(
            f"{name}: the method {method!r} takes no weights", fix='say method="inverted_cdf"'
        )
    (x,), (share,) = promote(name, a, inexact=True), promote(name, q, inexact=True)
    x, share = array_of(x), array_of(converted(share, x.dtype))
    if is_complex(x.dtype):
        raise ArgumentError(
            f"{name}: {operand_type(x)} is complex, and complex numbers have no order",
            fix="take the quantiles of real and imaginary parts, or of magnitudes",
        )
    if share.ndim > 1:
        raise ArgumentError(
            f"{name}: q must be a scalar or a vector, got {operand_type(share)}",
            fix="flatten q, and reshape the results",
        )
    flat, kept = _merged(x, axis, name)
    dtype, outer, counts = x.dtype, flat.shape[:-1], share.shape
    # Results are [*counts, *outer]: a value for each q and each vector.
    full = (*counts, *outer)
    if 0 in outer:
        return filled((*counts, *kept) if keepdims else full, dtype.type(0))
    if not flat.shape[-1]:
        raise ShapeError(
            f"{name}: there is nothing along axis {axis} of {operand_type(x)}, whose quantiles are wanted",
            fix="give at least one element along the axis",
        )
    by_vector = tuple(range(len(counts), len(full)))
    working, _ = mean_dtypes(dtype)
    one = working.type(1)
    present = ops.compare(flat, flat, direction="eq")
    missing, columns = ops.not_(present), [flat]
    if weights is not None:
        axes = sorted_axes(name, axis, x.ndim)
        heavy = converted(_merged(_beside(name, weights, x, axes, axis), axis, name)[0], working)
        if skip_nan:
            heavy = ops.select(missing, working.type(0), heavy)
        columns.append(heavy)
    last = flat.ndim - 1
    ordered, *moved = ops.sort(columns, dimension=last, num_keys=1, stable=bool(columns[1:]))
    share = converted(share, working)
    length = size_scalar(flat.shape[-1], working)
    number = sum(present, -1, working) if skip_nan else filled(outer, length)
    share = ops.broadcast_in_dim(share, shape=full, dimensions=tuple(range(len(counts))))
    top = ops.broadcast_in_dim(ops.subtract(number, one), shape=full, dimensions=by_vector)

    whole = default_dtype(int)
    final = ops.convert(top, dtype=whole)

    def at(position: Array) -> Array:
        index = ops.minimum(ops.convert(position, dtype=whole), final)
        index = ops.maximum(index, whole.type(0))
        if not full:  # one element of one vector
            return reshape(ops.dynamic_slice(ordered, index, sizes=(1,)), ())
        # [*counts, *outer] -> [*outer, count] for take_along_axis, and back
        lined = reshape(index, (-1, *outer) if counts else (1, *outer))
        found = take_along_axis(ordered, moveaxis(lined, 0, -1), -1, mode="clip")
        return reshape(moveaxis(found, -1, 0), full)

    bad = ops.compare(number, working.type(0), direction="eq") if skip_nan else any(missing, -1)
    if moved:
        by_rank = array_of(moved[0])
        result = at(_lighter(by_rank, share, by_vector))
        bad = ops.or_(bad, any(ops.compare(by_rank, working.type(0), direction="lt"), -1))
    elif method == "inverted_cdf":
        result = at(ops.subtract(ops.ceil(ops.multiply(share, ops.add(top, one))), one))
    else:
        place = ops.multiply(share, top)
        low = ops.floor(place)
        weight = ops.subtract(place, low)
        lower, upper = at(low), at(ops.ceil(place))
        if method == "linear":
            weight = converted(weight, dtype)
            below = ops.multiply(lower, ops.subtract(dtype.type(1), weight))
            result = ops.add(below, ops.multiply(upper, weight))
        elif method == "nearest":
            half = working.type(0.5)
            result = ops.select(ops.compare(weight, half, direction="le"), lower, upper)
        elif method == "midpoint":
            result = ops.multiply(ops.add(lower, upper), dtype.type(0.5))
        else:
            result = lower if method == "lower" else upper
    bad = ops.broadcast_in_dim(bad, shape=full, dimensions=by_vector)
    result = ops.select(bad, dtype.type(np.nan), result)
    return reshape(result, (*counts, *kept)) if keepdims else result


class QuantileFunction(Protocol):
    """`quantile` and its relatives, as an instance of it shows to type checkers."""

    __name__: str

    def __call__(
        self,
        a: ArrayLike,
        q: ArrayLike,
        axis: Axis = None,
        out: None = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: ArrayLike | None = None,
        out_sharding: Device = None,
    ) -> Array:
        """The quantiles: `[*q, *a without the axes]`."""
        ...


def _quantile_function(
    name: str, doc: str, example: str, *, hundredths: bool = False, skip_nan: bool = False
) -> QuantileFunction:
    def function(
        a: ArrayLike,
        q: ArrayLike,
        axis: Axis = None,
        out: None = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: ArrayLike | None = None,
        out_sharding: Device = None,
    ) -> Array:
        if out_sharding is not None:
            given = (a, q, axis, out, overwrite_input, method, keepdims)
            found: Array = laid_out(function, out_sharding, *given, weights=weights)
            return found
        named_only(name, out=out)
        share = divide(promote(name, q, inexact=True)[0], 100) if hundredths else q
        return _quantile(name, a, share, axis, method, keepdims, skip_nan, weights)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    Args:
        a: the elements, which are sorted along the axes.
        q: which quantiles, a scalar or a vector.
        axis: one axis, several, or all of them (None).
        out: not supported.
        overwrite_input: taken for NumPy's sake; arrays are never written to.
        method: between two elements: `linear` between them, the `lower`, the `higher`, the `nearest`, or the
            `midpoint`; `inverted_cdf`: the least element that as large a share of the elements does not exceed.
        keepdims: keep the axes, with size 1.
        weights: how often each element counts, for the method `inverted_cdf`: as many as elements, or as many
            as places along the axes. Where one is negative, the quantile is NaN.
        out_sharding: how the result lies over a mesh: see `reshard`.

    Shapes:
        result: [*q, *axes of a that are left]

    Raises:
        AxisError: the array has no such axis.
        ShapeError: there is nothing along the axes, or the weights have another shape.
        UnsupportedError: `out` is given, or weights for another method.
        ArgumentError: there is no such method, `a` is complex, or `q` has more than one axis.

    Example:
        >>> {example}
        2.0
    """
    return composed(function)


quantile = _quantile_function(
    "quantile",
    "The values below which a share `q` (0 to 1) of the elements lies.",
    "print(quantile(np.array([1.0, 2.0, 3.0], np.float32), 0.5))",
)
nanquantile = _quantile_function(
    "nanquantile",
    "`quantile` of the elements that are not NaN.",
    "print(nanquantile(np.array([1.0, np.nan, 3.0], np.float32), 0.5))",
    skip_nan=True,
)
percentile = _quantile_function(
    "percentile",
    "`quantile` with shares of a hundred.",
    "print(percentile(np.array([1.0, 2.0, 3.0], np.float32), 50))",
    hundredths=True,
)
nanpercentile = _quantile_function(
    "nanpercentile",
    "`percentile` of the elements that are not NaN.",
    "print(nanpercentile(np.array([1.0, np.nan, 3.0], np.float32), 50))",
    hundredths=True,
    skip_nan=True,
)


@composed
def median(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle element, or the mean of the two in the middle.

    Raises:
        AxisError, ShapeError, UnsupportedError, ArgumentError: as `quantile`.

    Example:
        >>> print(median(np.array([3, 1, 2], np.int32)))
        2.0
    """
    flags("median", keepdims=keepdims)
    named_only("median", out=out)
    return _quantile("median", a, 0.5, axis, "midpoint", keepdims, False)


@composed
def nanmedian(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The median of the elements that are not NaN.

    Raises:
        AxisError, ShapeError, UnsupportedError, ArgumentError: as `quantile`.

    Example:
        >>> print(nanmedian(np.array([1.0, np.nan, 3.0], np.float32)))
        2.0
    """
    flags("nanmedian", keepdims=keepdims)
    named_only("nanmedian", out=out)
    return _quantile("nanmedian", a, 0.5, axis, "midpoint", keepdims, True)
