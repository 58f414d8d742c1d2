"""Quantiles: percentile, median and their relatives, of all elements or of those that are not NaN."""

from __future__ import annotations

import math
from typing import Final, Protocol, final

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import flags, names
from treadle_ir.process import frozen
from treadle_numpy.numpy.manipulation.axes import moveaxis, transpose
from treadle_numpy.numpy.manipulation.shapes import reshape
from treadle_numpy.numpy.reductions.logical import any
from treadle_numpy.numpy.reductions.sums import mean_dtypes, sum
from treadle_numpy.numpy.taking import take_along_axis
from treadle_numpy.numpy.ufuncs.arithmetic import divide
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of, filled
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import size_scalar
from treadle_numpy.operands.shapes import kept_shape

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]


def _merged(x: Array, axis: Axis, name: str) -> tuple[Array, tuple[int, ...]]:
    """Return the array with the axes of a quantile as its last one, and the shape they leave with size 1."""
    axes = sorted_axes(name, axis, x.ndim)
    rest = [i for i in range(x.ndim) if i not in axes]
    moved = transpose(x, [*rest, *axes])
    count = math.prod([x.shape[i] for i in axes])
    flat = reshape(moved, (*[x.shape[i] for i in rest], count))
    return flat, kept_shape(x.shape, axes)


_METHODS: Final = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")


@final
@frozen(eq=False)
class _Vectors:
    """The vectors that quantiles are taken of, in order.

    Shapes:
        ordered, weights: [*outer, n]
        last, undefined: [*outer]
    """

    ordered: Array
    weights: Array | None  # in the order of the elements
    last: Array  # the position of the last element that counts, in the type that positions are computed in
    undefined: Array  # whether quantiles are NaN

    def at(self, position: Array) -> Array:
        """Return the elements at positions `[*counts, *outer]`."""
        outer, full = self.last.shape, position.shape
        index = ops.convert(position, dtype=default_dtype(int))
        if not full:  # one element of one vector
            return reshape(ops.dynamic_slice(self.ordered, index, sizes=(1,)), ())
        # [*counts, *outer] -> [*outer, count] for take_along_axis, and back
        lined = reshape(index, (-1, *outer) if len(full) > len(outer) else (1, *outer))
        found = take_along_axis(self.ordered, moveaxis(lined, 0, -1), -1, mode="clip")
        return reshape(moveaxis(found, -1, 0), full)


def _broadcast_weights(name: str, weights: ArrayLike, x: Array, axis: Axis) -> Array:
    """Broadcast weights to the shape of their array; they have its shape, or the shape of the quantile's axes."""
    w = coerce_array(name, 2, weights)
    axes = sorted_axes(name, axis, x.ndim)
    if w.shape == x.shape:
        return w
    if axis is None or w.shape != tuple([x.shape[i] for i in axes]):
        raise ShapeError(
            f"{name}: weights of shape {w.shape} do not fit axis {axis} of shape {x.shape}",
            fix="give a weight for each element, or one for each position along the axes",
        )
    return ops.broadcast_in_dim(w, shape=x.shape, dimensions=axes)


def _checked(
    name: str, a: ArrayLike, q: ArrayLike, method: str, weights: ArrayLike | None
) -> tuple[Array, Array]:
    """Return the array and the shares, in the array's type."""
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
    return x, share


def _in_order(x: Array, weights: Array | None, skip_nan: bool) -> _Vectors:
    """Sort vectors `[*outer, n]`, and their weights with them."""
    working, _ = mean_dtypes(x.dtype)
    zero, one = working.type(0), working.type(1)
    present = ops.compare(x, x, direction="eq")
    missing = ops.not_(present)
    columns = [x]
    if weights is not None:
        heavy = converted(weights, working)
        columns.append(ops.select(missing, zero, heavy) if skip_nan else heavy)
    ordered, *moved = ops.sort(columns, dimension=x.ndim - 1, num_keys=1, stable=bool(columns[1:]))
    if skip_nan:
        number = sum(present, -1, working)
        undefined = ops.compare(number, zero, direction="eq")
    else:
        number = filled(x.shape[:-1], size_scalar(x.shape[-1], working))
        undefined = any(missing, -1)
    for by_rank in moved:
        undefined = ops.or_(undefined, any(ops.compare(by_rank, zero, direction="lt"), -1))
    return _Vectors(
        array_of(ordered),
        array_of(moved[0]) if moved else None,
        ops.subtract(number, one),
        undefined,
    )


def _lighter(weights: Array, share: Array) -> Array:
    """Return how many elements of each vector have less than a share of the weight up to and with themselves.

    Shapes:
        weights: [*outer, n]
        share, result: [*counts, *outer]
    """
    below = ops.cumulative_add(weights, axis=weights.ndim - 1, reverse=False)
    shape = (*share.shape, weights.shape[-1])
    less = ops.compare(
        _for_each(divide(below, below[..., -1:]), shape),
        ops.broadcast_in_dim(share, shape=shape, dimensions=tuple(range(share.ndim))),
        direction="lt",
    )
    return ops.reduce_add(ops.convert(less, dtype=weights.dtype), axes=(len(shape) - 1,))


def _for_each(x: Array, shape: tuple[int, ...]) -> Array:
    """Repeat an array with entries for vectors, once for each count: `[*outer, ...]` to `[*counts, *outer, ...]`."""
    axes = tuple(range(len(shape) - x.ndim, len(shape)))
    return ops.broadcast_in_dim(x, shape=shape, dimensions=axes)


def _values(vectors: _Vectors, share: Array, method: str) -> Array:
    """Return the quantiles `[*counts, *outer]`, where they are defined."""
    last = _for_each(vectors.last, share.shape)
    zero, one = share.dtype.type(0), share.dtype.type(1)

    def within(position: Array) -> Array:
        return ops.maximum(ops.minimum(position, last), zero)

    if vectors.weights is not None:
        return vectors.at(within(_lighter(vectors.weights, share)))
    if method == "inverted_cdf":
        number = ops.add(last, one)
        return vectors.at(within(ops.subtract(ops.ceil(ops.multiply(share, number)), one)))
    place = within(ops.multiply(share, last))
    low = ops.floor(place)
    lower, upper = vectors.at(low), vectors.at(ops.ceil(place))
    beyond = ops.subtract(place, low)  # from the lower towards the upper element, 0 to 1
    dtype = lower.dtype
    match method:
        case "lower":
            return lower
        case "higher":
            return upper
        case "nearest":
            half = share.dtype.type(0.5)
            return ops.select(ops.compare(beyond, half, direction="le"), lower, upper)
        case "midpoint":
            # the halves of each, in the wider type: the sum of two may be too great for theirs
            wide, _ = mean_dtypes(dtype)
            halves = [ops.multiply(converted(x, wide), wide.type(0.5)) for x in (lower, upper)]
            return array_of(converted(ops.add(*halves), dtype))
        case _:  # linear
            weight = converted(beyond, dtype)
            below = ops.multiply(lower, ops.subtract(dtype.type(1), weight))
            between = ops.add(below, ops.multiply(upper, weight))
            # At an element the other one has no part: 0 times infinity would be NaN.
            exact = ops.compare(weight, dtype.type(0), direction="eq")
            return ops.select(exact, lower, between)


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
    x, share = _checked(name, a, q, method, weights)
    flat, kept = _merged(x, axis, name)
    outer, counts = flat.shape[:-1], share.shape
    full = (*counts, *outer)
    if 0 in outer:
        return filled((*counts, *kept) if keepdims else full, x.dtype.type(0))
    if not flat.shape[-1]:
        raise ShapeError(
            f"{name}: there is nothing along axis {axis} of {operand_type(x)}, whose quantiles are wanted",
            fix="give at least one element along the axis",
        )
    heavy = (
        None
        if weights is None
        else _merged(_broadcast_weights(name, weights, x, axis), axis, name)[0]
    )
    vectors = _in_order(flat, heavy, skip_nan)
    share = array_of(converted(share, vectors.last.dtype))
    share = ops.broadcast_in_dim(share, shape=full, dimensions=tuple(range(len(counts))))
    undefined = _for_each(vectors.undefined, full)
    result = ops.select(undefined, x.dtype.type(np.nan), _values(vectors, share, method))
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
        """Return the quantiles: `[*q, *a without the axes]`."""
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
            found: Array = with_out_sharding(function, out_sharding, *given, weights=weights)
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
        out_sharding: the sharding of the result over a mesh: see `reshard`.

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
    """Compute the median along axes: the middle element, or the mean of the two in the middle.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        out: must be None: arrays are immutable.
        overwrite_input: has no effect: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.

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
    """Return the median of the elements that are not NaN.

    Raises:
        AxisError, ShapeError, UnsupportedError, ArgumentError: as `quantile`.

    Example:
        >>> print(nanmedian(np.array([1.0, np.nan, 3.0], np.float32)))
        2.0
    """
    flags("nanmedian", keepdims=keepdims)
    named_only("nanmedian", out=out)
    return _quantile("nanmedian", a, 0.5, axis, "midpoint", keepdims, True)
