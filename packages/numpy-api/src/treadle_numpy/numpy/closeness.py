"""Comparison of arrays: element by element up to rounding, and as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir import Array, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import is_bool, is_inexact, is_key, is_unsigned
from treadle_ir.errors import flags
from treadle_numpy.numpy.reductions.logical import all
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply, subtract
from treadle_numpy.numpy.ufuncs.extremes import maximum, minimum
from treadle_numpy.numpy.ufuncs.kinds import isfinite, isnan
from treadle_numpy.numpy.ufuncs.logic import equal, less_equal, logical_and, logical_or
from treadle_numpy.numpy.ufuncs.signs import abs
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.broadcast import check_settings, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce
from treadle_numpy.operands.promote import converted, promote_operands
from treadle_numpy.operands.sequences import operand_from

__all__ = ["allclose", "array_equal", "array_equiv", "isclose"]

_WHOLE: Final = np.dtype(np.int32)


@composed
def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Return whether `|a - b| <= atol + rtol * |b|`; infinities are close to themselves, random keys to equal ones.

    Example:
        >>> print(isclose(1.0, 1.0000001))
        True
    """
    flags("isclose", equal_nan=equal_nan)

    x, y = coerce("isclose", 0, a), coerce("isclose", 1, b)
    check_settings("isclose", x, y, ranks=True)
    if not [z for z in (x, y) if not (is_bool(z.dtype) or is_key(z.dtype))]:
        return equal(x, y)
    x, y = promote_operands([x, y])
    if not is_inexact(y.dtype):
        wide = default_dtype(float)
        size = abs(converted(y, wide))
        near = less_equal(converted(_distance(x, y), wide), add(atol, multiply(rtol, size)))
        return logical_or(equal(x, y), near)
    near = less_equal(abs(subtract(x, y)), add(atol, multiply(rtol, abs(y))))
    result = logical_or(equal(x, y), logical_and(near, isfinite(y)))
    if equal_nan:
        result = logical_or(result, logical_and(isnan(x), isnan(y)))
    return result


def _distance(x: Operand, y: Operand) -> Array:
    """Return how far integers are apart, in a type that holds it."""
    high, low = maximum(x, y), minimum(x, y)
    dtype = high.dtype
    if is_unsigned(dtype):
        return subtract(high, low)
    if dtype.itemsize < _WHOLE.itemsize:
        return subtract(converted(high, _WHOLE), converted(low, _WHOLE))
    return ops.bitcast_convert(subtract(high, low), dtype=np.dtype(f"u{dtype.itemsize}"))


@composed
def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Return whether all elements are close: `abs(a - b) <= atol + rtol * abs(b)`.

    Args:
        a: an array.
        b: an array that broadcasts with `a`.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: whether NaNs are equal.

    Returns:
        A boolean of shape `()`.

    Example:
        >>> print(allclose(1.0, 1.0 + 1e-9))
        True
    """
    flags("allclose", equal_nan=equal_nan)

    return all(isclose(a, b, rtol, atol, equal_nan))


@composed
def array_equal(
    a1: ArrayLike | Sequence[ArrayLike],
    a2: ArrayLike | Sequence[ArrayLike],
    equal_nan: bool = False,
) -> Array:
    """Return whether shapes and all elements are equal, as a boolean array without axes.

    Lists are arrays here.

    Example:
        >>> print(array_equal(np.array([1, 2, 3]), np.array([1, 2, 3])))
        True
    """
    flags("array_equal", equal_nan=equal_nan)

    x, y = operand_from("array_equal", 0, a1), operand_from("array_equal", 1, a2)
    check_settings("array_equal", x, y)
    if x.shape != y.shape:
        return filled((), np.bool_(False))
    same = equal(x, y)
    if equal_nan:
        same = logical_or(same, logical_and(isnan(x), isnan(y)))
    return all(same)


@composed
def array_equiv(a1: ArrayLike | Sequence[ArrayLike], a2: ArrayLike | Sequence[ArrayLike]) -> Array:
    """Return whether all elements are equal after broadcasting; False if the shapes do not broadcast.

    Lists are arrays here.

    Example:
        >>> print(array_equiv(np.array([1, 2, 3]), np.array([[1, 2, 3]] * 2)))
        True
    """
    x, y = operand_from("array_equiv", 0, a1), operand_from("array_equiv", 1, a2)
    try:
        common_shape("array_equiv", [x.shape, y.shape])
    except ShapeError:
        return filled((), np.bool_(False))
    return all(equal(x, y))
