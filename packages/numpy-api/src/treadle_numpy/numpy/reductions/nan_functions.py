"""NaN-ignoring reductions."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import flags
from treadle_numpy.numpy.reductions.extremes import extreme
from treadle_numpy.numpy.reductions.logical import all
from treadle_numpy.numpy.reductions.positions import position
from treadle_numpy.numpy.reductions.running import cumprod, cumsum
from treadle_numpy.numpy.reductions.sums import prod, sum
from treadle_numpy.numpy.ufuncs.kinds import isnan
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.axes import Axis
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.dtypes import DTypeLike

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmin",
    "nanprod",
    "nansum",
]


def _with_nan_replaced(name: str, a: ArrayLike, value: float) -> tuple[Operand, Array | None]:
    """Return the operand with NaN replaced, and where NaN was (None if there can be none)."""
    operand = coerce(name, 0, a)
    dtype = operand.dtype
    if not is_inexact(dtype):
        return operand, None
    missing = isnan(operand)
    return ops.select(missing, dtype.type(value), operand), missing


def _nan_position(
    name: str, a: ArrayLike, axis: Axis, keepdims: bool | None, largest: bool
) -> Array:
    operand, missing = _with_nan_replaced(name, a, -np.inf if largest else np.inf)
    found = position(name, operand, axis, keepdims, largest)
    if missing is None:
        return found
    nothing = all(missing, axis, keepdims=bool(keepdims))
    return ops.select(nothing, found.dtype.type(-1), found)


@composed
def nanargmax(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """Return the position of the greatest element that is not NaN; -1 where all are.

    Example:
        >>> print(nanargmax(np.array([np.nan, 1.0, 3.0])))
        2
    """
    flags("nanargmax", keepdims=keepdims)
    named_only("nanargmax", out=out)
    return _nan_position("nanargmax", a, axis, keepdims, True)


@composed
def nanargmin(
    a: ArrayLike, axis: int | None = None, out: None = None, keepdims: bool | None = None
) -> Array:
    """Return the position of the least element that is not NaN; -1 where all are.

    Example:
        >>> print(nanargmin(np.array([np.nan, 1.0, 3.0])))
        1
    """
    flags("nanargmin", keepdims=keepdims)
    named_only("nanargmin", out=out)
    return _nan_position("nanargmin", a, axis, keepdims, False)


def _nan_extreme(
    name: str,
    a: ArrayLike,
    axis: Axis,
    keepdims: bool,
    initial: ArrayLike | None,
    where: ArrayLike | None,
    largest: bool,
) -> Array:
    operand, missing = _with_nan_replaced(name, a, -np.inf if largest else np.inf)
    result = extreme(name, operand, axis, keepdims, initial, where, largest)
    if missing is None or initial is not None:
        return result
    nothing = all(missing, axis, keepdims=keepdims)
    return ops.select(nothing, result.dtype.type(np.nan), result)


@composed
def nanmax(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the greatest element that is not NaN; NaN where all are.

    Example:
        >>> print(nanmax(np.array([1.0, np.nan])))
        1.0
    """
    named_only("nanmax", out=out)
    return _nan_extreme("nanmax", a, axis, keepdims, initial, where, True)


@composed
def nanmin(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the least element that is not NaN; NaN where all are.

    Example:
        >>> print(nanmin(np.array([1.0, np.nan])))
        1.0
    """
    named_only("nanmin", out=out)
    return _nan_extreme("nanmin", a, axis, keepdims, initial, where, False)


@composed
def nansum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the sum of the elements that are not NaN.

    Example:
        >>> print(nansum(np.array([1.0, np.nan], np.float32)))
        1.0
    """
    return sum(_with_nan_replaced("nansum", a, 0.0)[0], axis, dtype, out, keepdims, initial, where)


@composed
def nanprod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the product of the elements that are not NaN.

    Example:
        >>> print(nanprod(np.array([2.0, np.nan, 3.0])))
        6.0
    """
    return prod(
        _with_nan_replaced("nanprod", a, 1.0)[0], axis, dtype, out, keepdims, initial, where
    )


@composed
def nancumsum(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """Return the running sum in which NaN counts as 0.

    Example:
        >>> print(nancumsum(np.array([1.0, np.nan, 3.0])))
        [1. 1. 4.]
    """
    return cumsum(_with_nan_replaced("nancumsum", a, 0.0)[0], axis, dtype, out)


@composed
def nancumprod(
    a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
) -> Array:
    """Return the running product in which NaN counts as 1.

    Example:
        >>> print(nancumprod(np.array([1.0, np.nan, 3.0])))
        [1. 1. 3.]
    """
    return cumprod(_with_nan_replaced("nancumprod", a, 1.0)[0], axis, dtype, out)
