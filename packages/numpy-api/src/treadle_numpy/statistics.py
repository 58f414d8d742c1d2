"""Means and spreads: mean, var, std, median, quantile, histogram, covariance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np

from treadle_ir import Array, DType, DTypeError, default_dtype, inexact_dtype, ops as raw_ops
from treadle_ir.dtypes import BY_NAME, is_bool, is_complex, is_inexact, real_part
from treadle_ir.primitives.elementwise import Divide
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_numpy.coercion import (
    ArrayLike,
    Axis,
    UnsupportedError,
    ValueArgumentError,
    array_of,
    as_index,
    bind,
    coerce,
    converted,
    filled,
    named_only,
    operand_type,
    ops,
    promote,
)
from treadle_numpy.contraction import matmul
from treadle_numpy.creation import linspace
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.elementwise import conjugate, divide, multiply, sqrt, subtract
from treadle_numpy.indexing import take, take_along_axis
from treadle_numpy.logic import isnan, logical_and, logical_not
from treadle_numpy.manipulation import (
    ShapeValueError,
    broadcast_to,
    concatenate,
    diagonal,
    expand_dims,
    moveaxis,
    ravel,
    reshape,
    transpose,
)
from treadle_numpy.reductions import any, kept_shape, max, min, planned, sorted_axes, sum
from treadle_numpy.searching import searchsorted

_plain_total: Final = planned("mean", ReduceAdd, frozenset([BY_NAME["f32"], BY_NAME["f64"]]))
_DIVIDE: Final = Divide()
_NARROW = frozenset([BY_NAME[name] for name in ("bf16", "f16", "f8e4m3fn", "f8e5m2")])


def _mean_dtypes(dtype: DType) -> tuple[DType, DType]:
    """The element types that a mean is computed in and returned in: 16-bit floats are computed in 32 bits."""
    result = inexact_dtype(dtype)
    return (np.dtype(np.float32) if result in _NARROW else result), result


def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """The arithmetic mean along some axes (all, by default).

    Raises:
        AxisError: the array has no such axis.
        DTypeError: `dtype` is boolean.
        UnsupportedError: `out` is given.

    Example:
        >>> print(mean(np.array([1, 2], np.int32)))
        1.5
    """
    if dtype is out is where is None:
        total = _plain_total(a, axis, keepdims)
        if total is not None:
            count = a.type.size // total.type.size  # type: ignore[union-attr]  # it is an array
            return bind(_DIVIDE, total, total.type.dtype.type(count))
    named_only("mean", out=out)
    return _mean("mean", coerce("mean", 0, a), axis, as_dtype("mean", dtype), keepdims, where)


def _mean(
    name: str, operand: Any, axis: Any, dtype: DType | None, keepdims: bool, where: Any
) -> Array:
    type = operand_type(operand)
    axes = sorted_axes(name, axis, type.ndim)
    if dtype is not None and is_bool(dtype):
        raise DTypeError(f"{name}: booleans have no mean", fix="leave `dtype` out")
    working, result = _mean_dtypes(type.dtype if dtype is None else dtype)
    if dtype is not None and not is_inexact(dtype):
        working = result = dtype  # as asked for: the sum and the quotient are rounded toward zero
    if working != type.dtype:
        operand = ops.convert(operand, dtype=working, weak=type.weak and dtype is None)
    if where is None:
        total = sum(operand, axes, keepdims=keepdims)
        count = math.prod([type.shape[i] for i in axes])
        average = ops.divide(converted(total, working), working.type(count))
    else:
        total = sum(operand, axes, keepdims=keepdims, where=where)
        mask = broadcast_to(where, type.shape)
        average = ops.divide(converted(total, working), sum(mask, axes, working, keepdims=keepdims))
    return average if working == result else ops.convert(average, dtype=result)


def _variance(
    name: str,
    a: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    ddof: Any,
    keepdims: bool,
    where: Any,
    known_mean: Any,
    correction: Any = None,
) -> Array:
    named_only(name, out=out)
    if correction is not None:  # the array API's name of ddof
        ddof = correction
    operand = coerce(name, 0, a)
    type = operand_type(operand)
    wanted = as_dtype(name, dtype)
    base = wanted or type.dtype
    if wanted is not None and is_bool(wanted):
        raise DTypeError(f"{name}: booleans have no mean", fix="leave `dtype` out")
    if wanted is not None and is_complex(type.dtype) and not is_complex(wanted):
        raise DTypeError(
            f"{name}: {type} is complex, but `dtype` is {wanted}",
            fix="leave `dtype` out: the variance of complex numbers is real",
        )
    working, result = _mean_dtypes(base)
    if wanted is None or not is_complex(wanted):
        result = real_part(result)
    axes = sorted_axes(name, axis, type.ndim)
    if working != type.dtype:
        operand = ops.convert(operand, dtype=working, weak=type.weak and wanted is None)
    center = _mean(name, operand, axes, None, True, where) if known_mean is None else known_mean
    centered = subtract(operand, center)
    squares = (
        ops.real(ops.multiply(centered, ops.conjugate(centered)))
        if is_complex(operand_type(centered).dtype)
        else ops.square(centered)
    )
    total = sum(squares, axes, keepdims=keepdims, where=where)
    degrees: Any
    if where is None:
        freedom = math.prod([type.shape[i] for i in axes]) - ddof
        degrees = total.dtype.type(freedom if freedom > 0 else np.nan)
    else:
        count = sum(broadcast_to(where, type.shape), axes, total.dtype, keepdims=keepdims)
        degrees = subtract(count, ddof)
        enough = ops.compare(degrees, total.dtype.type(0), direction="gt")
        degrees = ops.select(enough, degrees, total.dtype.type(np.nan))
    spread = divide(total, degrees)
    return spread if spread.dtype == result else ops.convert(spread, dtype=result)


def var(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: int | float | None = None,
) -> Array:
    """The mean squared distance from the mean, with `n - ddof` for the count.

    Raises:
        AxisError: the array has no such axis.
        DTypeError: `dtype` is boolean, or real for complex numbers.
        UnsupportedError: `out` is given.

    Example:
        >>> print(var(np.array([1.0, 3.0], np.float32)))
        1.0
    """
    return _variance("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def std(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: int | float | None = None,
) -> Array:
    """The square root of the variance.

    Raises:
        AxisError, DTypeError, UnsupportedError: as `var`.

    Example:
        >>> print(std(np.array([1.0, 3.0], np.float32)))
        1.0
    """
    return sqrt(_variance("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction))


def _valid(a: Any, where: Any) -> Any:
    present = logical_not(isnan(a))
    return present if where is None else logical_and(present, where)


def nanmean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> Array:
    """The mean of the elements that are not NaN.

    Raises:
        AxisError, DTypeError, UnsupportedError: as `mean`.

    Example:
        >>> print(nanmean(np.array([1.0, np.nan], np.float32)))
        1.0
    """
    named_only("nanmean", out=out)
    operand, wanted = coerce("nanmean", 0, a), as_dtype("nanmean", dtype)
    return _mean("nanmean", operand, axis, wanted, keepdims, _valid(a, where))


def nanvar(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The variance of the elements that are not NaN.

    Raises:
        AxisError, DTypeError, UnsupportedError: as `var`.

    Example:
        >>> print(nanvar(np.array([1.0, np.nan, 3.0], np.float32)))
        1.0
    """
    return _variance("nanvar", a, axis, dtype, out, ddof, keepdims, _valid(a, where), mean)


def nanstd(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """The standard deviation of the elements that are not NaN.

    Raises:
        AxisError, DTypeError, UnsupportedError: as `var`.

    Example:
        >>> print(nanstd(np.array([1.0, np.nan, 3.0], np.float32)))
        1.0
    """
    return sqrt(_variance("nanstd", a, axis, dtype, out, ddof, keepdims, _valid(a, where), mean))


def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Any:
    """The mean, weighted if weights are given; with `returned`, also the sum of the weights.

    Raises:
        ShapeError: weights of another shape are no vector along the one axis.

    Example:
        >>> print(average(np.array([1.0, 3.0], np.float32), weights=np.array([3.0, 1.0], np.float32)))
        1.5
    """
    x = array_of(coerce("average", 0, a))
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        count = x.size // (result.size or 1)
        return (result, filled(result.shape, result.dtype.type(count))) if returned else result
    x, w = [array_of(v) for v in promote("average", x, weights, inexact=True)]
    if w.shape != x.shape:
        axes = sorted_axes("average", axis, x.ndim)
        if axis is None or len(axes) != 1 or w.shape != (x.shape[axes[0]],):
            raise ShapeValueError(
                f"average: weights of shape {w.shape} do not go with axis {axis} of shape {x.shape}"
            )
        w = ops.broadcast_in_dim(w, shape=x.shape, dimensions=axes)
    total = sum(w, axis, keepdims=keepdims)
    result = divide(sum(multiply(x, w), axis, keepdims=keepdims), total)
    return (result, total) if returned else result


def _merged(x: Array, axis: Any, name: str) -> tuple[Array, tuple[int, ...]]:
    """The array with the axes of a quantile as its last one, and the shape they leave with size 1."""
    axes = sorted_axes(name, axis, x.ndim)
    rest = [i for i in range(x.ndim) if i not in axes]
    moved = transpose(x, [*rest, *axes])
    count = math.prod([x.shape[i] for i in axes])
    flat = reshape(moved, (*[x.shape[i] for i in rest], count))
    return flat, kept_shape(x.shape, axes)


_METHODS: Final = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")


def _beside(name: str, weights: Any, x: Array, axes: tuple[int, ...], axis: Any) -> Array:
    """Weights spread over the array that they belong to: they have its shape, or that of the axes of a quantile."""
    w = array_of(coerce(name, 2, weights))
    if w.shape == x.shape:
        return w
    if axis is None or w.shape != tuple([x.shape[i] for i in axes]):
        raise ShapeValueError(
            f"{name}: weights of shape {w.shape} do not go with axis {axis} of shape {x.shape}",
            fix="give a weight for each element, or one for each place along the axes",
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
    a: Any,
    q: Any,
    axis: Any,
    method: str,
    keepdims: bool,
    skip_nan: bool,
    weights: Any = None,
) -> Array:
    if method not in _METHODS:
        raise ValueArgumentError(
            f"{name}: there is no method {method!r}", fix=f"choose one of {', '.join(_METHODS)}"
        )
    if weights is not None and method != "inverted_cdf":
        raise UnsupportedError(
            f"{name}: the method {method!r} takes no weights", fix='say method="inverted_cdf"'
        )
    (x,), (share,) = promote(name, a, inexact=True), promote(name, q, inexact=True)
    x, share = array_of(x), array_of(converted(share, operand_type(x).dtype))
    if is_complex(x.dtype):
        raise ValueArgumentError(
            f"{name}: {operand_type(x)} is complex, and complex numbers have no order",
            fix="take the quantiles of real and imaginary parts, or of magnitudes",
        )
    if share.ndim > 1:
        raise ValueArgumentError(
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
        raise ShapeValueError(
            f"{name}: there is nothing along axis {axis} of {operand_type(x)}, whose quantiles are wanted",
            fix="give at least one element along the axis",
        )
    by_vector = tuple(range(len(counts), len(full)))
    working = np.dtype(np.float32) if dtype in _NARROW else dtype
    one = working.type(1)
    missing, columns = isnan(flat), [flat]
    if weights is not None:
        axes = sorted_axes(name, axis, x.ndim)
        heavy = converted(_merged(_beside(name, weights, x, axes, axis), axis, name)[0], working)
        if skip_nan:
            heavy = ops.select(missing, working.type(0), heavy)
        columns.append(heavy)
    last = flat.ndim - 1
    ordered, *moved = raw_ops.sort(columns, dimension=last, num_keys=1, stable=bool(columns[1:]))
    share = converted(share, working)
    number = (
        sum(logical_not(missing), -1, working)
        if skip_nan
        else filled(outer, working.type(flat.shape[-1]))
    )
    share = ops.broadcast_in_dim(share, shape=full, dimensions=tuple(range(len(counts))))
    top = ops.broadcast_in_dim(ops.subtract(number, one), shape=full, dimensions=by_vector)

    def at(position: Array) -> Array:
        limited = ops.maximum(ops.minimum(position, top), working.type(0))
        index = ops.convert(limited, dtype=default_dtype(int))
        # [*counts, *outer] -> [*outer, count] for take_along_axis, and back
        lined = reshape(index, (-1, *outer) if counts else (1, *outer))
        found = take_along_axis(ordered, moveaxis(lined, 0, -1), -1, mode="clip")
        return reshape(moveaxis(found, -1, 0), full)

    bad = logical_not(any(logical_not(missing), -1)) if skip_nan else any(missing, -1)
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
        axis: Any = None,
        out: None = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: ArrayLike | None = None,
    ) -> Array:
        """The quantiles: `[*q, *a without the axes]`."""
        ...


def _quantile_function(
    name: str, doc: str, example: str, *, hundredths: bool = False, skip_nan: bool = False
) -> QuantileFunction:
    def function(
        a: ArrayLike,
        q: ArrayLike,
        axis: Any = None,
        out: None = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: ArrayLike | None = None,
    ) -> Array:
        named_only(name, out=out)
        share: Any = divide(promote(name, q, inexact=True)[0], 100) if hundredths else q
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

    Shapes:
        result: [*q, *axes of a that are left]

    Raises:
        AxisError: the array has no such axis.
        ShapeError: there is nothing along the axes, or the weights have another shape.
        UnsupportedError: `out` is given, or weights for another method.
        ValueArgumentError: there is no such method, `a` is complex, or `q` has more than one axis.

    Example:
        >>> {example}
        2.0
    """
    return function


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


def median(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The middle element, or the mean of the two in the middle.

    Raises:
        AxisError, ShapeError, UnsupportedError, ValueArgumentError: as `quantile`.

    Example:
        >>> print(median(np.array([3, 1, 2], np.int32)))
        2.0
    """
    named_only("median", out=out)
    return _quantile("median", a, 0.5, axis, "midpoint", keepdims, False)


def nanmedian(
    a: ArrayLike,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """The median of the elements that are not NaN.

    Raises:
        AxisError, ShapeError, UnsupportedError, ValueArgumentError: as `quantile`.

    Example:
        >>> print(nanmedian(np.array([1.0, np.nan, 3.0], np.float32)))
        2.0
    """
    named_only("nanmedian", out=out)
    return _quantile("nanmedian", a, 0.5, axis, "midpoint", keepdims, True)


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """The covariance matrix of variables in rows (or columns, if not `rowvar`).

    Raises:
        ShapeError: `m` or `y` has more than two axes, or they are of different lengths.

    Example:
        >>> print(cov(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], np.float32)))
        [[ 1. -1.]
         [-1.  1.]]
    """
    parts = [m] if y is None else [m, y]
    operands = [array_of(x) for x in promote("cov", *parts, inexact=True)]
    if _any_above(operands, 2):
        raise ShapeValueError("cov: m and y must have at most two axes")
    rows = []
    for i, x in enumerate(operands):
        if x.ndim < 2:
            x = reshape(x, (1, -1))
        elif not rowvar and (x.shape[0] != 1 or i == 1):
            x = transpose(x)
        rows.append(x)
    x = concatenate(rows, 0) if len(rows) > 1 else rows[0]
    wanted = as_dtype("cov", dtype)
    if wanted is not None:
        x = converted(x, wanted)
    if ddof is None:
        ddof = 0 if bias else 1
    weights: Any = None
    if fweights is not None:
        weights = converted(coerce("cov", 5, fweights), real_part(x.dtype))
    if aweights is not None:
        reliability = converted(coerce("cov", 6, aweights), real_part(x.dtype))
        weights = reliability if weights is None else multiply(weights, reliability)
    if weights is None:
        center = mean(x, 1, keepdims=True)
        count: Any = x.shape[1] - ddof
        centered = subtract(x, center)
        left = centered
    else:
        total = sum(weights)
        center = divide(sum(multiply(x, weights), 1, keepdims=True), total)
        if ddof == 0:
            count = total
        elif aweights is None:
            count = subtract(total, ddof)
        else:
            count = subtract(total, divide(multiply(ddof, sum(multiply(weights, aweights))), total))
        centered = subtract(x, center)
        left = multiply(centered, weights)
    product = divide(matmul(left, transpose(conjugate(centered))), count)
    return reshape(product, tuple([n for n in product.shape if n != 1]))


def _any_above(operands: Sequence[Array], rank: int) -> bool:
    """Whether some array has more axes than that."""
    return [x for x in operands if x.ndim > rank] != []


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: DTypeLike | None = None
) -> Array:
    """The correlation matrix: covariances over the product of standard deviations.

    Raises:
        ShapeError: as `cov`.

    Example:
        >>> print(corrcoef(np.array([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]], np.float32)))
        [[ 1. -1.]
         [-1.  1.]]
    """
    spread = cov(x, y, rowvar, dtype=dtype)
    if spread.ndim == 0:
        return divide(spread, spread)
    deviation = sqrt(ops.real(diagonal(spread)) if is_complex(spread.dtype) else diagonal(spread))
    return divide(divide(spread, expand_dims(deviation, 1)), expand_dims(deviation, 0))


def histogram_bin_edges(
    a: ArrayLike, bins: Any = 10, range: Any = None, weights: Any = None
) -> Array:
    """The edges of bins of equal width; or those given as `bins`.

    Differs from NumPy: `weights` change nothing.

    Raises:
        ArgumentError, ConcretizationError: the number of bins is no integer, or a traced one.
        UnsupportedError: `bins` names a rule.

    Example:
        >>> print(histogram_bin_edges(np.array([0.0, 4.0], np.float32), 4))
        [0. 1. 2. 3. 4.]
    """
    if isinstance(bins, str):
        raise UnsupportedError(
            "histogram_bin_edges: rules for the number of bins are not supported"
        )
    given = coerce(
        "histogram_bin_edges", 1, np.asarray(bins) if isinstance(bins, (list, tuple)) else bins
    )
    if operand_type(given).ndim:
        return array_of(given)
    count = as_index("histogram_bin_edges", "bins", bins)
    x = ravel(a)
    dtype = inexact_dtype(x.dtype)
    if range is None:
        low, high = (min(x), max(x)) if x.size else (0.0, 1.0)
    else:
        low, high = range
    low, high = [converted(v, dtype) for v in promote("histogram_bin_edges", low, high)]
    same = ops.compare(low, high, direction="eq")
    half = dtype.type(0.5)
    low, high = (
        ops.select(same, ops.subtract(low, half), low),
        ops.select(same, ops.add(high, half), high),
    )
    edges: Array = linspace(low, high, count + 1, dtype=dtype)
    return edges


_FEW_EDGES: Final = 16  # XLA writes a sum of so few terms out; of 33 it takes 40 times as long


def _edges_reached(edges: Array, values: Array, whole: DType) -> Array:
    """How many of the ascending edges each value has reached."""
    if edges.size > _FEW_EDGES:
        return ops.convert(searchsorted(edges, values, "right"), dtype=whole)
    shape = (values.size, edges.size)
    reached = ops.compare(
        ops.broadcast_in_dim(values, shape=shape, dimensions=(0,)),
        ops.broadcast_in_dim(edges, shape=shape, dimensions=(1,)),
        direction="ge",
    )
    return ops.reduce_add(ops.convert(reached, dtype=whole), axes=(1,))


def histogram(
    a: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    weights: ArrayLike | None = None,
    density: bool | None = None,
) -> tuple[Array, Array]:
    """How many elements lie in each bin, and the edges of the bins.

    Differs from NumPy: counts are floats.

    Raises:
        UnsupportedError: `bins` names a rule.

    Example:
        >>> counts, edges = histogram(np.array([0.0, 1.0, 4.0], np.float32), 2)
        >>> print(counts, edges)
        [2. 1.] [0. 2. 4.]
    """
    x = ravel(a)
    edges = histogram_bin_edges(x, bins, range)
    values, borders = [array_of(v) for v in promote("histogram", x, edges, inexact=True)]
    count = borders.size - 1
    whole = default_dtype(int)
    place = ops.subtract(_edges_reached(borders, values, whole), whole.type(1))
    # the last bin holds its right edge
    last = take(borders, np.int32(count), mode="clip")
    place = ops.select(ops.compare(values, last, direction="eq"), whole.type(count - 1), place)
    place = ops.select(ops.compare(place, whole.type(0), direction="lt"), whole.type(count), place)
    if weights is None:
        amounts: Any = filled(values.shape, values.dtype.type(1))
    else:
        (amounts,) = promote("histogram", ravel(weights), inexact=True)
    start = filled((count,), operand_type(amounts).dtype.type(0))
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
        counts = divide(divide(counts, sum(counts)), widths)
    return counts, edges
