"""Elements in another order: flip, rot90, roll."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.calling import composed
from treadle_ir.core import default_dtype, is_symbolic_dim
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import integer, refused, sequence
from treadle_ir.tracing import Tracer
from treadle_numpy.indexing.positions import around
from treadle_numpy.lax.joining import unstack
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.axes import swapaxes
from treadle_numpy.numpy.manipulation.shapes import ravel, reshape
from treadle_numpy.operands.axes import as_axes, as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, host_elements

__all__ = ["flip", "fliplr", "flipud", "roll", "rot90"]


@composed
def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> Array:
    """Return the elements in the opposite order along some axes (all, by default).

    Example:
        >>> import numpy as np
        >>> print(flip(np.array([1, 2, 3])))
        [3 2 1]
    """
    x = coerce_array("flip", 0, m)
    axes = as_axes("flip", axis, x.ndim)
    return ops.reverse(x, dimensions=axes) if axes else x


@composed
def fliplr(m: ArrayLike) -> Array:
    """Return the columns in the opposite order.

    Example:
        >>> import numpy as np
        >>> print(fliplr(np.array([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]
    """
    return flip(m, 1)


@composed
def flipud(m: ArrayLike) -> Array:
    """Return the rows in the opposite order.

    Example:
        >>> import numpy as np
        >>> print(flipud(np.array([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]
    """
    return flip(m, 0)


@composed
def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Turned by `k` quarters, from the first axis towards the second.

    Example:
        >>> import numpy as np
        >>> print(rot90(np.array([[1, 2], [3, 4]])))
        [[2 4]
         [1 3]]
    """
    k = integer("rot90", "k", k)
    x = coerce_array("rot90", 0, m)
    pair = as_axes("rot90", sequence("rot90", "axes", axes), x.ndim)
    if len(pair) != 2:
        raise refused("rot90", "axes", "a pair", axes)
    first, second = pair
    turns = k % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, (first, second))
    return (
        flip(swapaxes(x, first, second), first)
        if turns == 1
        else swapaxes(flip(x, first), first, second)
    )


@composed
def roll(
    a: ArrayLike, shift: ArrayLike | Sequence[ArrayLike], axis: int | Sequence[int] | None = None
) -> Array:
    """Return the elements moved along some axes; what leaves at one end enters at the other.

    Args:
        a: [...].
        shift: integers, by how many places: one for each axis, as a sequence or an array [axes], or one for all.
        axis: the axes; None for the elements in a row.

    Raises:
        ArgumentError: there are more shifts than axes, or fewer, or they are not integers.

    Example:
        >>> import numpy as np
        >>> print(roll(np.arange(4), 1))
        [3 0 1 2]
    """
    x = coerce_array("roll", 0, a)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = [as_axis("roll", i, x.ndim) for i in _each("axis", axis)]
    shifts = list(_each("shift", shift))
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(axes) == 1:
        axes *= len(shifts)
    if len(axes) != len(shifts):
        raise ArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for along, by in zip(axes, shifts, strict=True):
        length = x.shape[along]
        if not length:
            continue
        by = coerce("roll", 1, by)
        if by.shape or not is_integer(by.dtype):
            raise refused("roll", "shift", "an integer for each axis", shift)
        elements = host_elements(by)
        if elements is None:  # the shift is known only when the program runs: cut from two copies
            whole = default_dtype(int)
            start = around(by, length, whole)
            start = ops.remainder(ops.subtract(whole.type(2 * length), start), whole.type(length))
            zero = whole.type(0)
            starts = [start if i == along else zero for i in range(x.ndim)]
            x = ops.dynamic_slice(ops.concatenate([x, x], dimension=along), *starts, sizes=x.shape)
            continue
        cut = -int(elements) % length
        if is_symbolic_dim(cut) or cut:
            x = ops.concatenate(
                [slice_along(x, along, cut, length), slice_along(x, along, 0, cut)], dimension=along
            )
    return x


def _each(name: str, given: Any) -> Sequence[Any]:  # integers, known or traced
    """Return the elements of a sequence or a vector; for any other argument, a tuple of it."""
    if isinstance(given, Tracer) and given.ndim == 1:
        return unstack(given)
    several = isinstance(given, (tuple, list)) or getattr(given, "ndim", 0) == 1
    return sequence("roll", name, given) if several else (given,)
