"""Variances and standard deviations."""

from __future__ import annotations

import math

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_bool, is_complex, real_part
from treadle_ir.errors import refused
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.reductions.making import selected
from treadle_numpy.numpy.reductions.sums import mean_dtypes, sum
from treadle_numpy.numpy.statistics.means import mean_of, valid
from treadle_numpy.numpy.ufuncs.arithmetic import divide, subtract
from treadle_numpy.numpy.ufuncs.powers import sqrt
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce, is_array_like, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import size_scalar

__all__ = ["nanstd", "nanvar", "std", "var"]


def _variance(
    name: str,
    a: ArrayLike,
    axis: Axis,
    dtype: DTypeLike | None,
    out: None,
    ddof: int | float,
    keepdims: bool,
    where: ArrayLike | None,
    known_mean: ArrayLike | None,
    correction: int | float | None = None,
    *,
    root: bool = False,
) -> Array:
    """Return the variance, or its square root, which is taken before the type becomes narrow."""
    named_only(name, out=out)
    operand = coerce(name, 0, a)
    type = operand_type(operand)
    if correction is not None:  # the array API's name of ddof
        if ddof != 0:
            raise ArgumentError(
                f"{name}: ddof and correction can't be provided simultaneously.",
                fix="give one of them: they are two names of the same number",
            )
        ddof = correction
    known = isinstance(ddof, (int, float, np.number))
    if not known and not (is_array_like(ddof) and np.shape(ddof) == ()):
        raise refused(name, "ddof" if correction is None else "correction", "a number", ddof)
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
    center = mean_of(name, operand, axes, None, True, where) if known_mean is None else known_mean
    centered = subtract(operand, center)
    if (
        where is not None
    ):  # before the square, whose derivative at what is left out may be NaN times 0
        centered = selected(name, centered, where, centered.dtype.type(0))
    squares = (
        ops.real(ops.multiply(centered, ops.conjugate(centered)))
        if is_complex(centered.dtype)
        else ops.square(centered)
    )
    total = sum(squares, axes, keepdims=keepdims)
    degrees: ArrayLike
    size = math.prod([type.shape[i] for i in axes])
    if where is None and known:
        freedom = size - ddof
        degrees = size_scalar(freedom, total.dtype) if freedom > 0 else total.dtype.type(np.nan)
    else:
        count = (
            size_scalar(size, total.dtype)
            if where is None
            else sum(broadcast_to(where, type.shape), axes, total.dtype, keepdims=keepdims)
        )
        degrees = subtract(count, ddof if known else converted(coerce(name, 4, ddof), total.dtype))
        enough = ops.compare(degrees, total.dtype.type(0), direction="gt")
        degrees = ops.select(enough, degrees, total.dtype.type(np.nan))
    spread = divide(total, degrees)
    if root:
        spread = sqrt(spread)
    return spread if spread.dtype == result else ops.convert(spread, dtype=result)


@composed
def var(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int | float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: int | float | None = None,
) -> Array:
    """Compute the variance along axes: the mean squared distance from the mean.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        dtype: the dtype in which to compute, and of the result; for None the dtype of `a`, real, and the default
            float for integers.
        out: must be None: arrays are immutable.
        ddof: the divisor is the number of elements minus `ddof`.
        keepdims: whether reduced axes stay, with size 1.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.
        mean: the mean along the axes, with size 1, if it is known.
        correction: another name of `ddof`.

    Returns:
        An array of a real dtype, without the reduced axes, or with size 1 along them.

    Raises:
        AxisError: the array has no such axis.
        ArgumentError: `correction`, which is another name of `ddof`, is given in addition to it.
        DTypeError: `dtype` is boolean, or real for complex numbers.
        UnsupportedError: `out` is given.

    Example:
        >>> print(var(np.array([1.0, 3.0], np.float32)))
        1.0
    """
    return _variance("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


@composed
def std(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int | float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: int | float | None = None,
) -> Array:
    """Compute the standard deviation along axes: the square root of the variance.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        dtype: the dtype in which to compute, and of the result; for None the dtype of `a`, real, and the default
            float for integers.
        out: must be None: arrays are immutable.
        ddof: the divisor is the number of elements minus `ddof`.
        keepdims: whether reduced axes stay, with size 1.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.
        mean: the mean along the axes, with size 1, if it is known.
        correction: another name of `ddof`.

    Returns:
        An array of a real dtype, without the reduced axes, or with size 1 along them.

    Raises:
        ArgumentError, AxisError, DTypeError, UnsupportedError: as `var`.

    Example:
        >>> print(std(np.array([1.0, 3.0], np.float32)))
        1.0
    """
    return _variance("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction, root=True)


@composed
def nanvar(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int | float = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """Return the variance of the elements that are not NaN.

    Raises:
        AxisError, DTypeError, UnsupportedError: as `var`.

    Example:
        >>> print(nanvar(np.array([1.0, np.nan, 3.0], np.float32)))
        1.0
    """
    return _variance("nanvar", a, axis, dtype, out, ddof, keepdims, valid(a, where), mean)


@composed
def nanstd(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    ddof: int | float = 0,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
) -> Array:
    """Return the standard deviation of the elements that are not NaN.

    Raises:
        AxisError, DTypeError, UnsupportedError: as `var`.

    Example:
        >>> print(nanstd(np.array([1.0, np.nan, 3.0], np.float32)))
        1.0
    """
    present = valid(a, where)
    return _variance("nanstd", a, axis, dtype, out, ddof, keepdims, present, mean, root=True)
