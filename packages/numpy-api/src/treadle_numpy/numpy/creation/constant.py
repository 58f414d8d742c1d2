"""Arrays of one value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ops
from treadle_ir.core import canonical_dtype, default_dtype
from treadle_ir.core.dtypes import is_bool
from treadle_ir.errors import is_convertible, shown
from treadle_numpy.operands.arrays import array_of, filled, scalar_of
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.coerce import (
    ArrayLike,
    coerce,
    is_array_like,
    operand_type,
    weak_literal,
)
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import lying_like, with_out_sharding
from treadle_numpy.operands.promote import operand_in
from treadle_numpy.operands.sequences import array_from, operand_from, refuse_complex
from treadle_numpy.operands.shapes import Shape, as_shape

__all__ = ["empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"]


@runtime_checkable
class Described(Protocol):
    """A description of an array, as `treadle.ShapeDtypeStruct` is one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        ...

    @property
    def dtype(self) -> DType:
        """The element type."""
        ...


Like: TypeAlias = ArrayLike | Described


def _fill(
    function: str, shape: Shape, value: int, dtype: DTypeLike | None, device: Device
) -> Array:
    sizes = as_shape(function, shape)
    given: object = dtype
    if isinstance(given, int):
        raise ArgumentError(
            f"{function}: {given} is not an element type",
            fix=f"a shape is one argument: write {function}(({shown(shape)}, {given}))",
        )
    wanted = as_dtype(function, dtype) or default_dtype(float)
    return placed(filled(sizes, scalar_of(function, value, wanted)), device)


def zeros(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Return an array of zeros.

    Args:
        shape: a size, or a sequence of sizes.
        dtype: the dtype of the result; the default float if None.
        device: the device or sharding of the result; the default device by default.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(zeros(3))
        [0. 0. 0.]
    """
    if out_sharding is not None:
        return with_out_sharding(zeros, out_sharding, shape, dtype, device=device)
    return _fill("zeros", shape, 0, dtype, device)


def ones(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Return an array of ones.

    Args:
        shape: a size, or a sequence of sizes.
        dtype: the dtype of the result; the default float if None.
        device: the device or sharding of the result; the default device by default.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(ones((2, 2), int))
        [[1 1]
         [1 1]]
    """
    if out_sharding is not None:
        return with_out_sharding(ones, out_sharding, shape, dtype, device=device)
    return _fill("ones", shape, 1, dtype, device)


def empty(
    shape: Shape,
    dtype: DTypeLike | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Return an array of zeros: elements are never left undefined.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(empty((2, 3)).shape)
        (2, 3)
    """
    if out_sharding is not None:
        return with_out_sharding(empty, out_sharding, shape, dtype, device=device)
    return _fill("empty", shape, 0, dtype, device)


def full(
    shape: Shape,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Return an array that is filled with a value.

    Args:
        shape: a size, or a sequence of sizes.
        fill_value: a number, or an array that broadcasts to the shape.
        dtype: the dtype of the result; the value's dtype if None.
        device: the device or sharding of the result; the default device by default.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(full(2, 7))
        [7 7]
    """
    if out_sharding is not None:
        return with_out_sharding(full, out_sharding, shape, fill_value, dtype, device=device)
    sizes = as_shape("full", shape)
    return placed(_full("full", sizes, fill_value, as_dtype("full", dtype)), device)


def _full(
    function: str,
    sizes: tuple[int, ...],
    fill_value: ArrayLike | Sequence[object],
    wanted: DType | None,
) -> Array:
    if wanted is None:
        value = operand_from(function, 1, fill_value)
    elif isinstance(fill_value, (list, tuple)):
        value = array_from(function, fill_value, wanted)
    else:
        if isinstance(fill_value, complex):
            refuse_complex(function, fill_value, wanted)
        value = operand_in(function, 1, fill_value, wanted)
    if value.shape:
        return array_of(broadcast_to_shape(value, sizes))
    if isinstance(value, np.ndarray):
        value = value[()]
    return filled(sizes, value)


def _like(
    function: str, a: Like, dtype: DTypeLike | None, shape: Shape | None
) -> tuple[tuple[int, ...], DType, bool]:
    """Shape and element type of a `..._like` function's result, and whether it is weak."""
    wanted = as_dtype(function, dtype)
    if not is_array_like(a) and isinstance(a, Described) and isinstance(a.shape, tuple):
        sizes, own_dtype = tuple(a.shape), canonical_dtype(np.dtype(a.dtype))
        weak = bool(getattr(a, "weak_type", False))
    else:
        type = operand_type(coerce(function, 0, a))
        sizes, own_dtype, weak = type.shape, type.dtype, type.weak
    if shape is not None:
        sizes = as_shape(function, shape)
    return sizes, wanted or own_dtype, weak and wanted is None


def _filled_like(
    function: str,
    a: Like,
    value: int,
    dtype: DTypeLike | None,
    shape: Shape | None,
    device: Device,
) -> Array:
    sizes, wanted, weak = _like(function, a, dtype, shape)
    if weak and not is_bool(wanted):
        scalar = weak_literal(wanted.type(value).item())
        if scalar.type.dtype == wanted:
            return _lying_like(a, filled(sizes, scalar), shape, device)
    return _lying_like(a, filled(sizes, scalar_of(function, value, wanted)), shape, device)


def _lying_like(a: Like, made: Array, shape: Shape | None, device: Device) -> Array:
    """Return the array on a device, if one is given; else where the array is that it is like."""
    if device is None and is_convertible(type(a)):
        a = coerce("full_like", 0, a)
    if device is not None or not is_array_like(a):
        return placed(made, device)
    return lying_like(a, made, reshaped=shape is not None)


def zeros_like(
    a: Like,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Return an array of zeros like another array.

    Args:
        a: an array, or an object with a `shape` and a `dtype`.
        dtype: the dtype of the result; the dtype of `a` if None.
        shape: the shape of the result; the shape of `a` if None.
        device: the device or sharding of the result; the placement of `a` by default.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(zeros_like(ones(2)))
        [0. 0.]
    """
    if out_sharding is not None:
        return with_out_sharding(zeros_like, out_sharding, a, dtype, shape, device=device)
    return _filled_like("zeros_like", a, 0, dtype, shape, device)


def ones_like(
    a: Like,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Ones of an array's shape and element type, where the array has been put.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(ones_like(np.array([[1, 2], [3, 4]])))
        [[1 1]
         [1 1]]
    """
    if out_sharding is not None:
        return with_out_sharding(ones_like, out_sharding, a, dtype, shape, device=device)
    return _filled_like("ones_like", a, 1, dtype, shape, device)


def empty_like(
    prototype: Like,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Device = None,
) -> Array:
    """Zeros of an array's shape and element type, where the array has been put.

    Example:
        >>> print(empty_like(np.array([[1, 2], [3, 4]])).shape)
        (2, 2)
    """
    return _filled_like("empty_like", prototype, 0, dtype, shape, device)


def full_like(
    a: Like,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    *,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """Return one value in an array's shape and element type, where the array has been put.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(full_like(np.array([[1, 2], [3, 4]]), 7))
        [[7 7]
         [7 7]]
    """
    if out_sharding is not None:
        return with_out_sharding(
            full_like, out_sharding, a, fill_value, dtype, shape, device=device
        )
    sizes, wanted, weak = _like("full_like", a, dtype, shape)
    result = _full("full_like", sizes, fill_value, wanted)
    made = ops.convert(result, dtype=wanted, weak=True) if weak else result
    return _lying_like(a, made, shape, device)
