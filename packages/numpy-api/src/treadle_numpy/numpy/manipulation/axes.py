"""The order of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.calling import composed
from treadle_ir.errors import integer, sequence
from treadle_ir.primitives.shape import Transpose
from treadle_ir.tracing import current_trace
from treadle_numpy.operands.arrays import bind
from treadle_numpy.operands.axes import as_axes, as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.plans import Plans, key_with_integers, remember

__all__ = ["matrix_transpose", "moveaxis", "permute_dims", "rollaxis", "swapaxes", "transpose"]

_TRANSPOSES: Final[Plans] = {}


def transpose(a: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """Permute the axes of an array.

    Args:
        a: an array.
        axes: for each axis of the result the axis of `a`; reversed order if None.

    Raises:
        ShapeError: there are more axes, or fewer; ArgumentError: an axis is named twice.

    Example:
        >>> import numpy as np
        >>> print(transpose(np.ones((2, 3), np.float32)).shape)
        (3, 2)
    """
    try:
        key = (a.type, None) if axes is None else key_with_integers(a, axes)  # type: ignore[union-attr]
    except AttributeError:
        key = None
    if key is not None:
        primitive = _TRANSPOSES.get(key)
        if primitive is not None:
            found: Array = current_trace().process(primitive, (a,))[0]  # type: ignore[arg-type, assignment]
            return found
    x = coerce_array("transpose", 0, a)
    ndim = x.ndim
    if axes is None:
        order = tuple(range(ndim - 1, -1, -1))
    else:
        axes = sequence("transpose", "axes", axes)
        order = as_axes("transpose", axes, ndim)
        if len(order) != ndim:
            raise ShapeError(
                f"transpose: axes {tuple(axes)} do not name each axis of shape {x.shape} once"
            )
    if order == tuple(range(ndim)):
        return x
    primitive = Transpose(order)
    if key is not None:
        remember(_TRANSPOSES, key, primitive)
    return bind(primitive, x)


def permute_dims(a: ArrayLike, /, axes: Sequence[int]) -> Array:
    """Return the axes in another order, as in the array API standard: `transpose` with required axes.

    Raises:
        ArgumentError: `axes` is not a sequence.
        ShapeError: `axes` does not name each axis once.

    Example:
        >>> import numpy as np
        >>> print(permute_dims(np.array([[1, 2], [3, 4]]), (1, 0)))
        [[1 3]
         [2 4]]
    """
    return transpose(a, sequence("permute_dims", "axes", axes))


def matrix_transpose(x: ArrayLike, /) -> Array:
    """Return the last two axes exchanged.

    Raises:
        ShapeError: there are fewer than two axes.

    Example:
        >>> import numpy as np
        >>> print(matrix_transpose(np.array([[1, 2], [3, 4]])))
        [[1 3]
         [2 4]]
    """
    operand = coerce_array("matrix_transpose", 0, x)
    if operand.ndim < 2:
        raise ShapeError(
            f"matrix_transpose: the array has shape {operand.shape}, but needs at least two axes"
        )
    return swapaxes(operand, -1, -2)


@composed
def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """Exchange two axes.

    Args:
        a: an array.
        axis1: an axis.
        axis2: the other axis.

    Example:
        >>> import numpy as np
        >>> print(swapaxes(np.ones((2, 3, 4)), 0, 2).shape)
        (4, 3, 2)
    """
    x = coerce_array("swapaxes", 0, a)
    i, j = as_axis("swapaxes", axis1, x.ndim), as_axis("swapaxes", axis2, x.ndim)
    order = list(range(x.ndim))
    order[i], order[j] = j, i
    return transpose(x, order)


@composed
def moveaxis(a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Array:
    """Move axes to new places; the others keep their order.

    Args:
        a: an array.
        source: an axis or several.
        destination: the place of each in the result.

    Raises:
        ArgumentError: there are more axes than places, or fewer.

    Example:
        >>> import numpy as np
        >>> print(moveaxis(np.ones((2, 3, 4), np.float32), 0, -1).shape)
        (3, 4, 2)
    """
    x = coerce_array("moveaxis", 0, a)
    here, there = as_axes("moveaxis", source, x.ndim), as_axes("moveaxis", destination, x.ndim)
    if len(here) != len(there):
        raise ArgumentError(f"moveaxis: {len(here)} source axes and {len(there)} destinations")
    order = [i for i in range(x.ndim) if i not in here]
    for to, of in sorted(zip(there, here, strict=True)):
        order.insert(to, of)
    return transpose(x, order)


@composed
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Array:
    """Return an axis moved to before another one, or to the end.

    Raises:
        AxisError: the array has no such axis, or no such place.

    Example:
        >>> import numpy as np
        >>> print(rollaxis(np.ones((2, 3, 4)), 2).shape)
        (4, 2, 3)
    """
    start = integer("rollaxis", "start", start)
    x = coerce_array("rollaxis", 0, a)
    i = as_axis("rollaxis", axis, x.ndim)
    place = as_axis("rollaxis", start, x.ndim) if start != x.ndim else start
    return moveaxis(x, i, place - 1 if i < place else place)
