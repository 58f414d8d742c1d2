"""Shapes: broadcasting, reshaping, order of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError, ops
from treadle_ir.errors import (
    AxisError,
    integer,
    integer_or_none,
    integers,
    integers_or_none,
    out_of_range,
    sequence,
)
from treadle_numpy.operands.arrays import made
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import broadcast_to_shape, common_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.shapes import LARGE, Shape, as_shape

__all__ = [
    "broadcast",
    "broadcast_in_dim",
    "broadcast_like",
    "broadcast_shapes",
    "broadcast_to_rank",
    "collapse",
    "expand_dims",
    "reshape",
    "rev",
    "shape_as_value",
    "squeeze",
    "transpose",
]


def broadcast(operand: ArrayLike, sizes: Sequence[int], *, out_sharding: Device = None) -> Array:
    """Return the array repeated along new leading axes of these sizes.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: a size is negative.

    Example:
        >>> print(broadcast(np.array([1, 2, 3]), (2,)))
        [[1 2 3]
         [1 2 3]]
    """
    if out_sharding is not None:
        return with_out_sharding(broadcast, out_sharding, operand, sizes)
    x = coerce_array("broadcast", 0, operand)
    lead = as_shape("broadcast", sizes)
    places = tuple(range(len(lead), len(lead) + x.ndim))
    return ops.broadcast_in_dim(x, shape=(*lead, *x.shape), dimensions=places)


def broadcast_in_dim(
    operand: ArrayLike,
    shape: Shape,
    broadcast_dimensions: Sequence[int],
    *,
    out_sharding: Device = None,
) -> Array:
    """Broadcast an array to a shape, in which its axes have given places.

    Args:
        operand: an array.
        shape: the shape of the result.
        broadcast_dimensions: for each axis of the operand its place in `shape`; its size is equal, or 1.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: an axis has neither size 1 nor the size of its place, or the places are not distinct axes of the
            shape.

    Example:
        >>> print(broadcast_in_dim(np.array([1, 2, 3]), (3, 2), (0,)))
        [[1 1]
         [2 2]
         [3 3]]
    """
    if out_sharding is not None:
        return with_out_sharding(
            broadcast_in_dim, out_sharding, operand, shape, broadcast_dimensions
        )
    broadcast_dimensions = integers(
        "broadcast_in_dim", "broadcast_dimensions", broadcast_dimensions
    )
    x = coerce("broadcast_in_dim", 0, operand)
    order = tuple(sorted(range(len(broadcast_dimensions)), key=broadcast_dimensions.__getitem__))
    if order != tuple(range(len(x.shape))) and len(order) == len(x.shape):
        x = ops.transpose(x, permutation=order)
        broadcast_dimensions = tuple([broadcast_dimensions[i] for i in order])
    return ops.broadcast_in_dim(
        x, shape=as_shape("broadcast_in_dim", shape), dimensions=broadcast_dimensions
    )


def broadcast_like(arr: ArrayLike, like_arr: ArrayLike) -> Array:
    """Return the array broadcast to the shape of another one, by NumPy's rules; of the other, only the shape matters.

    Raises:
        ShapeError: the shapes do not broadcast, or not to the shape of `like_arr`.

    Example:
        >>> print(broadcast_like(np.array([1, 2]), np.zeros((2, 2))))
        [[1 2]
         [1 2]]
    """
    x, shape = coerce_array("broadcast_like", 0, arr), coerce("broadcast_like", 1, like_arr).shape
    if common_shape("broadcast_like", [x.shape, shape]) != shape:
        raise ShapeError(f"broadcast_like: {x.shape} does not broadcast to {shape}")
    return broadcast_to_shape(x, shape)


def broadcast_to_rank(x: ArrayLike, rank: int) -> Array:
    """Return the array with axes of size 1 in front, so that it has `rank` axes; as it is if it has as many or more.

    Example:
        >>> broadcast_to_rank(np.array([1.0, 2.0]), 3).shape
        (1, 1, 2)
    """
    array = coerce_array("broadcast_to_rank", 0, x)
    missing = integer("broadcast_to_rank", "rank", rank) - array.ndim
    if missing > _MOST_AXES:
        raise ArgumentError(
            f"broadcast_to_rank: rank is {rank}, but arrays have no more than {_MOST_AXES} axes"
        )
    return ops.reshape(array, shape=(1,) * missing + array.shape) if missing > 0 else array


def shape_as_value(shape: Shape) -> Array:
    """Return a shape as a vector of 32-bit integers.

    Raises:
        RangeError: a size does not fit.

    Example:
        >>> print(shape_as_value((2, 3)))
        [2 3]
    """
    sizes = as_shape("shape_as_value", shape)
    try:
        return made(np.asarray(sizes, np.int32))
    except OverflowError as error:
        raise out_of_range(error) from None


def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to; an integer counts as the shape of one axis.

    Raises:
        ShapeError: in some axis, counted from the last one, two sizes are neither equal nor 1.

    Example:
        >>> broadcast_shapes((3, 1), (4,))
        (3, 4)
    """
    name = "broadcast_shapes"
    if len(shapes) == 2:  # as nearly always
        first, second = shapes
        joint: tuple[int, ...] = ()
        if type(first) is tuple and type(second) is tuple and len(first) == len(second):
            # Read and joined in one pass, in half the time; anything unusual takes the slow path.
            for x, y in zip(first, second):  # noqa: B905 - of one length
                if not (
                    x.__class__ is int and y.__class__ is int and 0 <= x < LARGE and 0 <= y < LARGE
                ):
                    break
                if x == y or y == 1:
                    joint += (x,)
                elif x == 1:
                    joint += (y,)
                else:
                    break
            else:
                return joint
    return common_shape(name, [as_shape(name, shape) for shape in shapes])


def reshape(
    operand: ArrayLike,
    new_sizes: Shape,
    dimensions: Sequence[int] | None = None,
    *,
    out_sharding: Device = None,
) -> Array:
    """Return the same elements in another shape, in row-major order.

    Args:
        operand: an array.
        new_sizes: the new shape, with as many elements.
        dimensions: a permutation of the axes, by which the operand is transposed first.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: the shape has a different number of elements or a negative size, or `dimensions` is not a
            permutation.

    Example:
        >>> print(reshape(np.array([[1, 2, 3], [4, 5, 6]]), (3, 2)))
        [[1 2]
         [3 4]
         [5 6]]
    """
    if out_sharding is not None:
        return with_out_sharding(reshape, out_sharding, operand, new_sizes, dimensions)
    dimensions = integers_or_none("reshape", "dimensions", dimensions)
    x = coerce_array("reshape", 0, operand)
    if dimensions is not None and tuple(dimensions) != tuple(range(x.ndim)):
        x = ops.transpose(x, permutation=tuple(dimensions))
    return ops.reshape(x, shape=as_shape("reshape", new_sizes))


def collapse(operand: Array, start_dimension: int, stop_dimension: int | None = None) -> Array:
    """Return the axes from one to below another, or to the last, made one; negative numbers count from behind.

    Example:
        >>> collapse(np.zeros((2, 3, 4)), 0, 2).shape
        (6, 4)
    """
    stop_dimension = integer_or_none("collapse", "stop_dimension", stop_dimension)
    start_dimension = integer("collapse", "start_dimension", start_dimension)
    x = coerce_array("collapse", 0, operand)
    low, high, _ = slice_type(start_dimension, stop_dimension).indices(x.ndim)
    count = 1
    for n in x.shape[low:high]:
        count *= n
    return ops.reshape(x, shape=(*x.shape[:low], count, *x.shape[high:]))


_MOST_AXES: Final = 64  # as NumPy has it
slice_type: Final = type(np.s_[:])


def squeeze(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Return the array without some axes of size 1.

    Raises:
        AxisError: there is no such axis.
        ShapeError: an axis has not size 1, or is named twice.

    Example:
        >>> squeeze(np.zeros((1, 3, 1)), (0,)).shape
        (3, 1)
    """
    dimensions = sequence("squeeze", "dimensions", dimensions)
    x = coerce_array("squeeze", 0, array)
    drop = [as_axis("squeeze", i, x.ndim) for i in dimensions]
    if len({*drop}) != len(drop):
        raise AxisError(f"squeeze: dimensions {tuple(dimensions)} name an axis twice")
    if any(x.shape[i] != 1 for i in drop):
        raise ShapeError(
            f"cannot select an axis to squeeze out which has size not equal to one, got {x.shape}"
        )
    return ops.reshape(x, shape=tuple([n for i, n in enumerate(x.shape) if i not in drop]))


def expand_dims(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Return the array with axes of size 1 put in, at these places of the result.

    Raises:
        AxisError: the result has no such axis.

    Example:
        >>> expand_dims(np.array([1, 2, 3]), (0, 2)).shape
        (1, 3, 1)
    """
    dimensions = sequence("expand_dims", "dimensions", dimensions)
    x = coerce_array("expand_dims", 0, array)
    ndim = x.ndim + len(dimensions)
    places = [as_axis("expand_dims", i, ndim) for i in dimensions]
    if len(set(places)) < len(places):
        raise AxisError(f"expand_dims: dimensions {tuple(dimensions)} name an axis twice")
    rest = iter(x.shape)
    return ops.reshape(x, shape=tuple([1 if i in places else next(rest) for i in range(ndim)]))


def transpose(operand: ArrayLike, permutation: Sequence[int]) -> Array:
    """Return the axes in another order: axis `permutation[i]` of the operand is axis i of the result.

    Raises:
        ShapeError: `permutation` has not each axis once; axes do not count from behind here.

    Example:
        >>> print(transpose(np.array([[1, 2, 3], [4, 5, 6]]), (1, 0)))
        [[1 4]
         [2 5]
         [3 6]]
    """
    permutation = integers("transpose", "permutation", permutation)
    return ops.transpose(coerce("transpose", 0, operand), permutation=permutation)


def rev(operand: ArrayLike, dimensions: Sequence[int]) -> Array:
    """Return the elements in the opposite order along some axes.

    Raises:
        ShapeError: there is no such axis, or one is named twice; axes do not count from behind here.

    Example:
        >>> print(rev(np.array([[1, 2, 3], [4, 5, 6]]), (1,)))
        [[3 2 1]
         [6 5 4]]
    """
    axes = integers("rev", "dimensions", dimensions)
    return ops.reverse(coerce("rev", 0, operand), dimensions=axes)


def moved(x: Array, source: int, destination: int) -> Array:
    """Return an array with one axis moved to another place; the others keep their order."""
    order = list(range(x.ndim))
    order.insert(destination % x.ndim, order.pop(source % x.ndim))
    return x if order == list(range(x.ndim)) else ops.transpose(x, permutation=tuple(order))
