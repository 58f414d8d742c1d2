"""Slices from computed starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, DType, Operand, ShapeError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import is_integer
from treadle_ir.errors import flags, out_of_range, sequence
from treadle_numpy.indexing.positions import counted, counting, wrapped
from treadle_numpy.lax.shapes import expand_dims, squeeze
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.operands.arrays import Elements, array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.exact import strict
from treadle_numpy.operands.shapes import Shape, as_index, as_shape

__all__ = [
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
]

Starts: TypeAlias = Sequence[ArrayLike] | Array | Elements


def _starts(
    name: str, x: Array, start_indices: Starts, negative: bool | Sequence[bool]
) -> list[Operand]:
    parts: list[ArrayLike]
    if isinstance(start_indices, (Array, np.ndarray)) and start_indices.shape:
        whole = array_of(start_indices)
        parts = [
            ops.reshape(slice_along(whole, 0, i, i + 1), shape=()) for i in range(whole.shape[0])
        ]
    else:
        parts = list(sequence(name, "start_indices", start_indices))
    if len(parts) != x.ndim:
        raise ShapeError(f"{name}: {len(parts)} start indices for the {x.ndim} axes of {x.shape}")
    wrap: tuple[bool, ...]
    if isinstance(negative, bool):
        wrap = (negative,) * x.ndim
    else:
        wrap = sequence(name, "allow_negative_indices", negative)
        for each in wrap:
            flags(name, allow_negative_indices=each)
    if len(wrap) != x.ndim:
        raise ShapeError(
            f"{name}: {len(wrap)} allow_negative_indices for the {x.ndim} axes of {x.shape}"
        )
    dtype = counting(x.shape)
    return [
        _start(name, part, n, flag, dtype)
        for part, n, flag in zip(parts, x.shape, wrap, strict=True)
    ]


def _start(name: str, index: ArrayLike, size: int, negative: bool, whole: DType) -> Operand:
    if isinstance(index, int):
        try:
            start: np.generic = whole.type(index + size if negative and index < 0 else index)
        except OverflowError as error:
            raise out_of_range(error, index, whole) from None
        return start
    operand = coerce(name, 1, index)
    if not is_integer(operand.dtype):
        raise ArgumentError(f"{name}: start indices must be integers, got {operand_type(operand)}")
    return (wrapped if negative else counted)(operand, size, whole)


def dynamic_slice(
    operand: ArrayLike,
    start_indices: Starts,
    slice_sizes: Shape,
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Array:
    """Return a slice with static sizes and computed starts.

    Args:
        operand: the array.
        start_indices: an integer for each axis; starts are clamped so that the slice is within the array.
        slice_sizes: the size of the slice along each axis.
        allow_negative_indices: whether negative starts count from the end, for all axes or for each.

    Returns:
        The slice, of shape `slice_sizes` and the dtype of `operand`.

    Example:
        >>> print(dynamic_slice(np.arange(5), (np.int32(3),), (3,)))
        [2 3 4]
    """
    x = coerce_array("dynamic_slice", 0, operand)
    starts = _starts("dynamic_slice", x, start_indices, allow_negative_indices)
    return ops.dynamic_slice(x, *starts, sizes=as_shape("dynamic_slice", slice_sizes))


def dynamic_slice_in_dim(
    operand: ArrayLike,
    start_index: ArrayLike,
    slice_size: int,
    axis: int = 0,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """Apply `dynamic_slice` along one axis, with the other axes complete.

    Negative starts count from the end, unless `allow_negative_indices` is false.

    Raises:
        AxisError: there is no such axis.
        ShapeError: the slice is longer than the axis.
        ArgumentError: the start is not an integer.

    Example:
        >>> print(dynamic_slice_in_dim(np.array([10, 20, 30, 40]), np.int32(1), 2))
        [20 30]
    """
    flags("dynamic_slice_in_dim", allow_negative_indices=allow_negative_indices)
    x = coerce_array("dynamic_slice_in_dim", 0, operand)
    along = as_axis("dynamic_slice_in_dim", axis, x.ndim)
    starts: list[ArrayLike] = [0] * x.ndim
    sizes = list(x.shape)
    starts[along], sizes[along] = (
        start_index,
        as_index("dynamic_slice_in_dim", "slice_size", slice_size),
    )
    return dynamic_slice(x, starts, sizes, allow_negative_indices=allow_negative_indices)


@composed(numbers=["index"])
def dynamic_index_in_dim(
    operand: ArrayLike,
    index: ArrayLike,
    axis: int = 0,
    keepdims: bool = True,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """Return the slice at one computed position along an axis.

    Args:
        operand: an array.
        index: an integer of shape `()`, which is clamped to the axis.
        axis: the axis.
        keepdims: whether the axis stays, with size 1.
        allow_negative_indices: whether negative positions count from the end.

    Raises:
        AxisError: there is no such axis.
        ArgumentError: the position is not an integer.

    Example:
        >>> x = np.array([[1, 2, 3], [4, 5, 6]])
        >>> print(dynamic_index_in_dim(x, np.int32(1), keepdims=False))
        [4 5 6]
    """
    flags("dynamic_index_in_dim", allow_negative_indices=allow_negative_indices, keepdims=keepdims)
    part = dynamic_slice_in_dim(
        operand, index, 1, axis, allow_negative_indices=allow_negative_indices
    )
    return part if keepdims else squeeze(part, (axis,))


def dynamic_update_slice(
    operand: ArrayLike,
    update: ArrayLike,
    start_indices: Starts,
    *,
    allow_negative_indices: bool | Sequence[bool] = True,
) -> Array:
    """Return the array with a slice at computed starts replaced.

    Args:
        operand: the array.
        update: the new elements, with as many axes and the dtype of `operand`, and no larger.
        start_indices: an integer for each axis; starts are clamped so that the update is within the array.
        allow_negative_indices: whether negative starts count from the end, for all axes or for each.

    Returns:
        An array with the shape and dtype of `operand`.

    Raises:
        ShapeError: the update does not fit into the array, or there is not one start for each axis.
        DTypeError: array and update have different element types.
        ArgumentError: starts are not integers.

    Example:
        >>> print(dynamic_update_slice(np.zeros(5), np.array([1.0, 2.0]), (np.int32(1),)))
        [0. 1. 2. 0. 0.]
    """
    x, new = strict("dynamic_update_slice", operand, update)
    x = array_of(x)
    return ops.dynamic_update_slice(
        x, array_of(new), *_starts("dynamic_update_slice", x, start_indices, allow_negative_indices)
    )


def dynamic_update_slice_in_dim(
    operand: ArrayLike,
    update: ArrayLike,
    start_index: ArrayLike,
    axis: int,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """Apply `dynamic_update_slice` along one axis, from the beginning of the others.

    Negative starts count from the end, unless `allow_negative_indices` is false.

    Raises:
        AxisError: there is no such axis.
        ShapeError: the update does not fit into the array.
        DTypeError: array and update have different element types.
        ArgumentError: the start is not an integer.

    Example:
        >>> print(dynamic_update_slice_in_dim(np.zeros(5), np.array([1.0, 2.0]), np.int32(3), 0))
        [0. 0. 0. 1. 2.]
    """
    flags("dynamic_update_slice_in_dim", allow_negative_indices=allow_negative_indices)
    x = coerce_array("dynamic_update_slice_in_dim", 0, operand)
    starts: list[ArrayLike] = [0] * x.ndim
    starts[as_axis("dynamic_update_slice_in_dim", axis, x.ndim)] = start_index
    return dynamic_update_slice(x, update, starts, allow_negative_indices=allow_negative_indices)


@composed(numbers=["update", "index"])
def dynamic_update_index_in_dim(
    operand: ArrayLike,
    update: ArrayLike,
    index: ArrayLike,
    axis: int,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """Return the array with one computed position along one axis replaced; the position is moved into range.

    The update has size 1 along that axis, or is without it. Negative positions count from the end, unless
    `allow_negative_indices` is false.

    Raises:
        AxisError: there is no such axis.
        ShapeError: the update does not fit into the array.
        DTypeError: array and update have different element types.
        ArgumentError: the position is not an integer.

    Example:
        >>> print(dynamic_update_index_in_dim(np.zeros((2, 3)), np.ones(3), np.int32(1), 0))
        [[0. 0. 0.]
         [1. 1. 1.]]
    """
    x = coerce_array("dynamic_update_index_in_dim", 0, operand)
    new = coerce_array("dynamic_update_index_in_dim", 1, update)
    along = as_axis("dynamic_update_index_in_dim", axis, x.ndim)
    if new.ndim != x.ndim:
        new = expand_dims(new, (along,))
    return dynamic_update_slice_in_dim(
        x, new, index, along, allow_negative_indices=allow_negative_indices
    )
