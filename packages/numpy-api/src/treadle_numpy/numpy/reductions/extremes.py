"""The greatest and least elements."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_complex, real_part
from treadle_ir.errors import alias, refused
from treadle_ir.primitives import reduce as primitives
from treadle_numpy.numpy.reductions.making import ORDERED, kept, planned, selected
from treadle_numpy.numpy.ufuncs.extremes import maximum, minimum
from treadle_numpy.numpy.ufuncs.kinds import isnan
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import bind
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import kept_shape

__all__ = ["amax", "amin", "max", "min", "minmax", "ptp"]

_plain_max: Final = planned("max", primitives.ReduceMaximum, ORDERED)
_plain_min: Final = planned("min", primitives.ReduceMinimum, ORDERED)


def extreme(
    name: str,
    a: ArrayLike,
    axis: Axis,
    keepdims: bool,
    initial: ArrayLike | None,
    where: ArrayLike | None,
    largest: bool,
) -> Array:
    """`max` or `min`, under some name."""
    if initial is where is None:
        found = _plain_max(a, axis, keepdims) if largest else _plain_min(a, axis, keepdims)
        if found is not None:
            return found
    operand = coerce(name, 0, a)
    type = operand_type(operand)
    if type.weak:
        operand = converted(operand, type.dtype)
    if where is not None:
        if initial is None:
            raise ArgumentError(
                f"{name}: `where` needs `initial`, the value where no element is selected",
                fix="pass `initial` (-inf for max, inf for min)",
            )
        operand = selected(name, operand, where, converted(coerce(name, 3, initial), type.dtype))
        type = operand_type(operand)
    axes = sorted_axes(name, axis, type.ndim)
    if initial is None and 0 in [type.shape[i] for i in axes]:
        raise ArgumentError(
            f"zero-size array to reduction operation {name} which has no identity",
            fix="pass `initial`, or check the size before",
        )
    result = bind(
        primitives.ReduceMaximum(axes) if largest else primitives.ReduceMinimum(axes), operand
    )
    if initial is not None:
        start = converted(coerce(name, 3, initial), type.dtype)
        result = (maximum if largest else minimum)(result, start)
    return kept(result, type, axes, keepdims)


def leaders(operand: Operand, axes: tuple[int, ...], largest: bool) -> tuple[Array, Array, Array]:
    """Return the extreme real parts of complex numbers; the imaginary parts, with the worst value where the
    real part is not extreme; and where either is NaN.
    """
    type = operand_type(operand)
    real = ops.real(operand)
    best = bind((primitives.ReduceMaximum if largest else primitives.ReduceMinimum)(axes), real)
    wide = broadcast_to_shape(ops.reshape(best, shape=kept_shape(type.shape, axes)), type.shape)
    hopeless = real_part(type.dtype).type(-np.inf if largest else np.inf)
    first = ops.compare(real, wide, direction="eq")
    return best, ops.select(first, ops.imag(operand), hopeless), isnan(operand)


def peak(name: str, operand: Array, axes: tuple[int, ...], where: ArrayLike | None = None) -> Array:
    """Return the greatest element along axes, kept with size 1; -inf where there is none; anything where there is NaN.

    It is for sums of exponentials, which are NaN then whatever is subtracted from the exponents.

    Example:
        >>> print(peak("softmax", np.array([[1.0, 3.0], [2.0, 0.0]], np.float32), (1,)))
        [[3.]
         [2.]]
    """
    if is_complex(operand.dtype):
        least = -np.inf if where is not None or 0 in operand.shape else None
        return max(operand, axes, keepdims=True, initial=least, where=where)
    chosen: Operand = operand
    if operand_type(chosen).weak:
        chosen = converted(chosen, operand.dtype)
    if where is not None:
        chosen = selected(name, chosen, where, operand.dtype.type(-np.inf))
    result = bind(primitives.ReduceMaximum(axes, keeps_nan=False), chosen)
    return kept(result, operand_type(chosen), axes, True)


@composed
def max(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the greatest element along axes; NaN if there is one.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.
        initial: a number to include; required for arrays without elements.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.

    Returns:
        An array of the dtype of `a`, without the reduced axes, or with size 1 along them.

    Example:
        >>> print(max(np.array([1, 3, 2], np.int32)))
        3
    """
    named_only("max", out=out)
    return extreme("max", a, axis, keepdims, initial, where, True)


@composed
def min(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the least element along axes; NaN if there is one.

    Complex numbers are ordered by their real part, then by their imaginary part.

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.
        initial: a number to include; required for arrays without elements.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.

    Returns:
        An array of the dtype of `a`, without the reduced axes, or with size 1 along them.

    Raises:
        ArgumentError: there are no elements, or `where` is given, and no `initial` says what stands for nothing.
        UnsupportedError: `out` is given.

    Example:
        >>> print(min(np.array([[1, 3], [4, 2]], np.int32), axis=1))
        [1 2]
    """
    named_only("min", out=out)
    return extreme("min", a, axis, keepdims, initial, where, False)


amax = alias(max, "amax")
amin = alias(min, "amin")


@composed
def ptp(a: ArrayLike, axis: Axis = None, out: None = None, keepdims: bool = False) -> Array:
    """Return the greatest element less the least.

    Example:
        >>> print(ptp(np.array([1, 5, 3])))
        4
    """
    named_only("ptp", out=out)
    return ops.subtract(max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims))


def minmax(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    initial: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
    where: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """Return the least and the greatest element along some axes (all, by default); `initial` is for both, or a pair.

    Example:
        >>> print(*minmax(np.array([3, 1, 2], np.int32)))
        1 3
    """
    named_only("minmax", out=out)
    low: ArrayLike | None
    high: ArrayLike | None
    if isinstance(initial, (tuple, list)):
        if len(initial) != 2:
            raise refused("minmax", "initial", "a number or a pair of numbers", initial)
        low, high = initial
    else:
        low = high = initial
    return (
        extreme("minmax", a, axis, keepdims, low, where, False),
        extreme("minmax", a, axis, keepdims, high, where, True),
    )
