"""Means."""

from __future__ import annotations

import math
from typing import Final, Literal, overload

import numpy as np

from treadle_ir import Array, DType, DTypeError, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_inexact
from treadle_ir.errors import flags
from treadle_ir.primitives.elementwise import Divide
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_numpy.numpy.manipulation.broadcasting import broadcast_to
from treadle_numpy.numpy.reductions.making import planned
from treadle_numpy.numpy.reductions.sums import mean_dtypes, sum
from treadle_numpy.numpy.ufuncs.arithmetic import divide, multiply
from treadle_numpy.numpy.ufuncs.logic import logical_and
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of, bind, filled
from treadle_numpy.operands.axes import Axis, as_axes, sorted_axes
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import size_scalar

__all__ = ["average", "mean", "nanmean"]

_plain_total: Final = planned("mean", ReduceAdd, frozenset([BY_NAME["f32"], BY_NAME["f64"]]))
_DIVIDE: Final = Divide()


@composed
def mean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Compute the arithmetic mean along axes.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        dtype: the dtype in which to compute, and of the result; for None the dtype of `a`, and the default float for
            integers.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.

    Returns:
        An array of that dtype, without the reduced axes, or with size 1 along them.

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
            return bind(_DIVIDE, total, size_scalar(count, total.type.dtype))
    named_only("mean", out=out)
    return mean_of("mean", coerce("mean", 0, a), axis, as_dtype("mean", dtype), keepdims, where)


def mean_of(
    name: str,
    operand: Operand,
    axis: Axis,
    dtype: DType | None,
    keepdims: bool,
    where: ArrayLike | None,
) -> Array:
    """Apply `mean` to an operand, under some name."""
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
        average = ops.divide(converted(total, working), size_scalar(count, working))
    else:
        total = sum(operand, axes, keepdims=keepdims, where=where)
        mask = broadcast_to(where, type.shape)
        average = ops.divide(converted(total, working), sum(mask, axes, working, keepdims=keepdims))
    return average if working == result else ops.convert(average, dtype=result)


def valid(a: ArrayLike, where: ArrayLike | None) -> Array:
    """Return where elements are not NaN, and `where` is true."""
    operand = coerce("isnan", 0, a)
    if is_inexact(operand.dtype):
        present = ops.compare(operand, operand, direction="eq")
    else:
        present = filled(operand.shape, np.bool_(True))
    return present if where is None else logical_and(present, where)


@composed
def nanmean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> Array:
    """Return the mean of the elements that are not NaN.

    Raises:
        AxisError, DTypeError, UnsupportedError: as `mean`.

    Example:
        >>> print(nanmean(np.array([1.0, np.nan], np.float32)))
        1.0
    """
    named_only("nanmean", out=out)
    operand, wanted = coerce("nanmean", 0, a), as_dtype("nanmean", dtype)
    return mean_of("nanmean", operand, axis, wanted, keepdims, valid(a, where))


@overload
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: Literal[False] = False,
    keepdims: bool = False,
) -> Array: ...
@overload
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: bool = False,
) -> tuple[Array, Array]: ...
@composed
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Array | tuple[Array, Array]:
    """Return the mean, weighted if weights are given; with `returned`, also the sum of the weights.

    Raises:
        ShapeError: weights of another shape do not match the axes, in their order.

    Example:
        >>> print(average(np.array([1.0, 3.0], np.float32), weights=np.array([3.0, 1.0], np.float32)))
        1.5
    """
    flags("average", returned=returned)
    x = coerce_array("average", 0, a)
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        count = x.size // (result.size or 1)
        return (result, filled(result.shape, result.dtype.type(count))) if returned else result
    x, w = [array_of(v) for v in promote("average", x, weights, inexact=True)]
    if w.shape != x.shape:
        axes = as_axes("average", axis, x.ndim)
        if axis is None or w.shape != tuple([x.shape[each] for each in axes]):
            raise ShapeError(
                f"average: weights of shape {w.shape} do not fit axis {axis} of shape {x.shape}",
                fix="give one weight for each element, or for each position along the axes, in their order",
            )
        order = tuple(sorted(range(len(axes)), key=axes.__getitem__))
        w = ops.broadcast_in_dim(
            ops.transpose(w, permutation=order), shape=x.shape, dimensions=tuple(sorted(axes))
        )
    total = sum(w, axis, keepdims=keepdims)
    result = divide(sum(multiply(x, w), axis, keepdims=keepdims), total)
    return (result, total) if returned else result
