"""Arrays from host data and from other arrays."""

from __future__ import annotations

from treadle_ir import ArgumentError, Array, integer, names, ops
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.sequences import array_from

__all__ = ["array", "asarray", "copy"]


def array(
    object: object,
    dtype: DTypeLike | None = None,
    *,
    copy: bool = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: Device = None,
) -> Array:
    """An array from an array, a scalar, or nested sequences of them.

    Differs from NumPy: 32-bit types by default, and a Python scalar alone gives a weakly typed array.

    Raises:
        ArgumentError: another order than row-major, or an element is not a number.

    Example:
        >>> print(array([1, 2.5]))
        [1.  2.5]
    """
    names("array", order=order)
    ndmin = integer("array", "ndmin", ndmin)
    if order not in (None, "K", "C", "A"):
        raise ArgumentError(
            f"array: order is {order!r}, but arrays are row-major", fix="leave `order` out"
        )
    result = array_from("array", object, as_dtype("array", dtype))
    if ndmin > 64:
        raise ArgumentError(f"array: ndmin is {ndmin}, but arrays have no more than 64 axes")
    if result.ndim < ndmin:
        result = ops.reshape(result, shape=(1,) * (ndmin - result.ndim) + result.shape)
    return placed(result, device)


def asarray(
    a: object,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    device: Device = None,
) -> Array:
    """An array from an array, a scalar, or nested sequences of them; arrays come back as they are.

    Example:
        >>> print(asarray((True, False)))
        [ True False]
    """
    return placed(array_from("asarray", a, as_dtype("asarray", dtype)), device)


def placed(x: Array, device: Device) -> Array:
    """An array on a device, if one is given."""
    if device is None:
        return x
    moved: Array = x.to_device(device)  # type: ignore[attr-defined]  # installed with the runtime
    return moved


def copy(a: ArrayLike, order: str | None = None) -> Array:
    """An array with the same elements in a buffer of its own.

    Example:
        >>> import numpy as np
        >>> print(copy(np.array([1, 2, 3])))
        [1 2 3]
    """
    return ops.copy(array_from("copy", a, None))
