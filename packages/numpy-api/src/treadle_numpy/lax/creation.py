"""New arrays: of one value, and of positions."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, DType, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.errors import refused
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import lying_like, with_out_sharding
from treadle_numpy.operands.promote import as_weak, operand_in
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["broadcasted_iota", "empty", "full", "full_like", "iota"]


def full(
    shape: Shape, fill_value: ArrayLike, dtype: DTypeLike | None = None, *, sharding: Device = None
) -> Array:
    """Return an array of one value, in its own element type if none is given.

    `sharding` is the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: the value is not a scalar, or a size is negative.

    Example:
        >>> print(full((2, 3), 7))
        [[7 7 7]
         [7 7 7]]
    """
    if sharding is not None:
        return with_out_sharding(full, sharding, shape, fill_value, dtype)
    wanted = as_dtype("full", dtype)
    given = "full", 1, fill_value
    value = coerce(*given) if wanted is None else operand_in(*given, wanted)
    if value.shape:
        raise ShapeError(
            f"full must be called with scalar fill_value, got fill_value.shape {value.shape}."
        )
    return filled(as_shape("full", shape), value[()] if isinstance(value, np.ndarray) else value)


def empty(shape: Shape, dtype: DTypeLike, *, out_sharding: Device = None) -> Array:
    """Return an array whose elements the caller will not look at: zeros here.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Raises:
        ShapeError: a size is negative.

    Example:
        >>> print(empty(2, np.float32))
        [0. 0.]
    """
    if out_sharding is not None:
        return with_out_sharding(empty, out_sharding, shape, dtype)
    wanted = as_dtype("empty", dtype)
    if wanted is None:
        raise refused("empty", "dtype", "an element type", None)
    return filled(as_shape("empty", shape), wanted.type(0))


def full_like(
    x: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    sharding: Device = None,
) -> Array:
    """Return one value in an array's shape and element type, or in those that are given instead.

    `sharding` is the sharding of the result over a mesh: see `reshard`. Without it a result of the array's shape has
    the array's placement.

    Raises:
        ShapeError: the value is not a scalar, or a size is negative.

    Example:
        >>> print(full_like(np.array([1, 2, 3]), 7))
        [7 7 7]
    """
    own = operand_type(coerce("full_like", 0, x))
    wanted = own.dtype if dtype is None else dtype
    made = full(own.shape if shape is None else shape, fill_value, wanted, sharding=sharding)
    if dtype is None and own.weak:
        made = as_weak(made)
    return made if sharding is not None else lying_like(x, made, reshaped=shape is not None)


def iota(dtype: DTypeLike, size: int) -> Array:
    """Return the integers from 0 up to, but not including, `size`.

    Args:
        dtype: the dtype of the result.
        size: the number of elements.

    Returns:
        A vector.

    Raises:
        ShapeError: the size is negative.
        DTypeError: the element type is boolean.

    Example:
        >>> print(iota(np.float32, 3))
        [0. 1. 2.]
    """
    (count,) = as_shape("broadcasted_iota", (size,))
    return _counted(count, as_dtype("iota", dtype))


@composed
def _counted(count: int, dtype: DType) -> Array:
    return ops.iota(shape=(count,), dtype=dtype, dimension=0)


def broadcasted_iota(
    dtype: DTypeLike, shape: Shape, dimension: int, *, out_sharding: Device = None
) -> Array:
    """Return each element's position along one axis, in an array of a shape; a negative axis counts from the last.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Raises:
        AxisError: there is no such axis.
        ShapeError: a size is negative.
        DTypeError: the element type is boolean.

    Example:
        >>> print(broadcasted_iota(np.int32, (2, 3), 1))
        [[0 1 2]
         [0 1 2]]
    """
    if out_sharding is not None:
        return with_out_sharding(broadcasted_iota, out_sharding, dtype, shape, dimension)
    sizes = as_shape("broadcasted_iota", shape)
    return ops.iota(
        shape=sizes,
        dtype=as_dtype("iota", dtype),
        dimension=as_axis("broadcasted_iota", dimension, len(sizes)),
    )
