"""Whether all or any elements are true."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array
from treadle_ir.calling import composed
from treadle_ir.primitives import reduce as primitives
from treadle_numpy.numpy.reductions.making import kept, selected
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import bind
from treadle_numpy.operands.axes import Axis, sorted_axes
from treadle_numpy.operands.coerce import ArrayLike, operand_type
from treadle_numpy.operands.scalars import truth

__all__ = ["all", "any"]


def truth_reduction(
    name: str, a: ArrayLike, axis: Axis, keepdims: bool, where: ArrayLike | None, every: bool
) -> Array:
    """`all` or `any`, under some name."""
    operand = truth(name, 0, a)
    if where is not None:
        operand = selected(name, operand, where, np.bool_(every))
    type = operand_type(operand)
    axes = sorted_axes(name, axis, type.ndim)
    result = bind(primitives.ReduceAnd(axes) if every else primitives.ReduceOr(axes), operand)
    return kept(result, type, axes, keepdims)


@composed
def all(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Return whether all elements along axes are true (not zero).

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.

    Returns:
        An array of booleans, without the reduced axes, or with size 1 along them.

    Example:
        >>> print(all(np.array([True, False])))
        False
    """
    named_only("all", out=out)
    return truth_reduction("all", a, axis, keepdims, where, True)


@composed
def any(
    a: ArrayLike,
    axis: Axis = None,
    out: None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Return whether any element along axes is true (not zero).

    Args:
        a: an array.
        axis: an axis, a tuple of axes, or None for all.
        out: must be None: arrays are immutable.
        keepdims: whether reduced axes stay, with size 1.
        where: a boolean array that broadcasts to `a`; only elements where it is true count.

    Returns:
        An array of booleans, without the reduced axes, or with size 1 along them.

    Example:
        >>> print(any(np.array([True, False])))
        True
    """
    named_only("any", out=out)
    return truth_reduction("any", a, axis, keepdims, where, False)
