"""Means and spreads: mean, var, std, average, covariance, correlation."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from treadle_ir import Array, DType, DTypeError, inexact_dtype
from treadle_ir.dtypes import BY_NAME, is_bool, is_complex, is_inexact, real_part
from treadle_ir.primitives.elementwise import Divide
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_numpy.coercion import (
    ArrayLike,
    Axis,
    array_of,
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
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.elementwise import conjugate, divide, multiply, sqrt, subtract
from treadle_numpy.logic import isnan, logical_and, logical_not
from treadle_numpy.manipulation import (
    ShapeValueError,
    broadcast_to,
    concatenate,
    diagonal,
    expand_dims,
    reshape,
    transpose,
)
from treadle_numpy.reductions import planned, sorted_axes, sum

_plain_total: Final = planned("mean", ReduceAdd, frozenset([BY_NAME["f32"], BY_NAME["f64"]]))
_DIVIDE: Final = Divide()
_NARROW = frozenset([BY_NAME[name] for name in ("bf16", "f16", "f8e4m3fn", "f8e5m2")])


def mean_dtypes(dtype: DType) -> tuple[DType, DType]:
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
    working, result = mean_dtypes(type.dtype if dtype is None else dtype)
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
    working, result = mean_dtypes(base)
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
    if any(x.ndim > 2 for x in operands):
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
