"""Arrays from host data and from other arrays."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    UnsupportedError,
    canonical_elements,
    flags,
    integer,
    names,
    new_array,
    ops,
    shown,
)
from treadle_numpy.operands.arrays import on_host
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.laid_out import laid_out
from treadle_numpy.operands.sequences import array_from

__all__ = ["array", "asarray", "copy", "from_dlpack"]

_HOST: Final = (1, 3)  # DLPack's kDLCPU and kDLCUDAHost


def array(
    object: object,
    dtype: DTypeLike | None = None,
    *,
    copy: bool = True,
    order: str | None = "K",
    ndmin: int = 0,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """An array from an array, a scalar, or nested sequences of them.

    With `copy`, an array comes back in a buffer of its own, so that one of the two may be donated.

    `out_sharding` says how the result lies over a mesh: see `reshard`.

    Differs from NumPy: 32-bit types by default, and a Python scalar alone gives a weakly typed array.

    Raises:
        ArgumentError: another order than row-major, or an element is not a number.

    Example:
        >>> print(array([1, 2.5]))
        [1.  2.5]
    """
    if out_sharding is not None:
        return laid_out(
            array, out_sharding, object, dtype, copy=copy, order=order, ndmin=ndmin, device=device
        )
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
    return placed(_of_its_own("array", result, object, copy), device)


def asarray(
    a: object,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    copy: bool | None = None,
    device: Device = None,
    out_sharding: Device = None,
) -> Array:
    """An array from an array, a scalar, or nested sequences of them; arrays come back as they are, unless `copy`.

    `out_sharding` says how the result lies over a mesh: see `reshard`.

    Example:
        >>> print(asarray((True, False)))
        [ True False]
    """
    if out_sharding is not None:
        return laid_out(asarray, out_sharding, a, dtype, order, copy=copy, device=device)
    result = array_from("asarray", a, as_dtype("asarray", dtype))
    return placed(_of_its_own("asarray", result, a, copy), device)


def _of_its_own(function: str, made: Array, given: object, copy: bool | None) -> Array:
    """A copy of an array that is the one given, if one is asked for; the compiler decides where things are traced."""
    if copy is None:
        return made
    flags(function, copy=copy)
    return ops.copy(made) if copy and made is given and on_host() else made


def copy(a: ArrayLike, order: str | None = None) -> Array:
    """An array with the same elements in a buffer of its own.

    Example:
        >>> import numpy as np
        >>> print(copy(np.array([1, 2, 3])))
        [1 2 3]
    """
    return ops.copy(array_from("copy", a, None))


def from_dlpack(x: object, /, *, device: Device = None, copy: bool | None = None) -> Array:
    """An array of the elements of another library's array, in the memory of the CPU.

    It takes whatever has `__dlpack__` and `__dlpack_device__`, as the array API standard says. The memory is shared,
    so its owner must not write to it any more, except where `copy` is true, or where a 64-bit element type becomes
    a 32-bit one.

    Raises:
        ArgumentError: it has no such methods, its memory is not the CPU's, or `copy` is false and a copy is needed.

    Example:
        >>> import numpy as np
        >>> print(from_dlpack(np.arange(3.0, dtype=np.float32)))
        [0. 1. 2.]
    """
    if copy is not None:
        flags("from_dlpack", copy=copy)
    if isinstance(x, Array):
        return placed(ops.copy(x) if copy else x, device)
    return placed(new_array(_exchanged(x, copy)), device)


def _exchanged(x: object, copy: bool | None) -> np.ndarray[Any, np.dtype[Any]]:
    """The elements of an array of another library, as NumPy sees them."""
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise ArgumentError(
            f"from_dlpack: {shown(x)} of {type(x)} has no `__dlpack__` and `__dlpack_device__`",
            fix="pass an array of another library; lists and numbers are for `array`",
        )
    kind, _ = x.__dlpack_device__()
    if kind not in _HOST:
        raise UnsupportedError(
            f"from_dlpack: the elements are on a device of DLPack's kind {int(kind)}, not in the CPU's memory",
            fix="bring them to the CPU first, in the library that they come from",
        )
    try:
        elements = np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"from_dlpack: the elements cannot be exchanged: {error}") from error
    canonical: np.ndarray[Any, np.dtype[Any]] = canonical_elements(elements)
    if copy is False and canonical is not elements:
        raise ArgumentError(
            f"from_dlpack: a copy is needed to convert elements from {elements.dtype} to {canonical.dtype}",
            fix="leave `copy` out, or turn 64-bit types on",
        )
    return np.array(canonical) if copy else canonical
