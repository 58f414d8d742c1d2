"""Functions applied along axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle_ir import Array, ops
from treadle_ir.errors import functions, sequence
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.shapes import expand_dims
from treadle_numpy.numpy.vectorizing import over_axis
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.sequences import array_from
from treadle_numpy.operands.shapes import size_of
from treadle_numpy.operands.trees import Tree

__all__ = ["apply_along_axis", "apply_over_axes"]


def apply_along_axis(
    func1d: Callable[..., ArrayLike], axis: int, arr: ArrayLike, *args: Tree, **kwargs: Tree
) -> Array:
    """Return a function of vectors applied to each vector along an axis.

    It is called once, for all vectors at a time, as `vmap` does it.

    Example:
        >>> import numpy as np
        >>> print(apply_along_axis(lambda row: row[::-1], 1, np.array([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]
    """
    functions("apply_along_axis", func1d=func1d)
    x = coerce_array("apply_along_axis", 2, arr)
    along = as_axis("apply_along_axis", axis, x.ndim)
    outer = (*x.shape[:along], *x.shape[along + 1 :])
    vectors = size_of(outer)
    if along == 0:
        flat = _reshaped(x, (x.shape[0], vectors))
    else:
        flat = _reshaped(moveaxis(x, along, -1), (vectors, x.shape[along]))
    mapped = over_axis(0 if along else 1, lambda row: func1d(row, *args, **kwargs), [True])
    joined = array_from("apply_along_axis: the result of func1d", mapped(flat), None)
    inner = joined.shape[1:]
    joined = _reshaped(joined, (*outer, *inner))
    place = as_axis("apply_along_axis", axis, len(outer) + 1)
    return (
        moveaxis(
            joined, tuple(range(len(outer), joined.ndim)), tuple(range(place, place + len(inner)))
        )
        if inner
        else joined
    )


def _reshaped(x: Array, shape: tuple[int, ...]) -> Array:
    return x if x.shape == shape else ops.reshape(x, shape=shape)


def apply_over_axes(
    func: Callable[[Array, int], Array], a: ArrayLike, axes: Sequence[int]
) -> Array:
    """Return a reduction applied along one axis after the other, keeping the axes.

    Example:
        >>> import numpy as np
        >>> print(apply_over_axes(lambda x, i: x.sum(i), np.ones((2, 3), np.int32), (0, 1)))
        [[6]]
    """
    functions("apply_over_axes", func=func)
    x = coerce_array("apply_over_axes", 1, a)
    for axis in sequence("apply_over_axes", "axes", axes):
        place = as_axis("apply_over_axes", axis, x.ndim)
        result = coerce_array("apply_over_axes: the result of func", 0, func(x, place))
        x = result if result.ndim == x.ndim else expand_dims(result, place)
    return x
