"""Arrays from host data and from other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle_ir import ArgumentError, Array, DType, ops
from treadle_ir.calling import canonical_elements, new_array
from treadle_ir.core import canonical_dtype
from treadle_ir.errors import flags, import_module, integer, shown
from treadle_ir.tracing import as_staged
from treadle_numpy.operands.arguments import row_major
from treadle_numpy.operands.arrays import copy_if_aliased
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.devices import Device, placed
from treadle_numpy.operands.dtypes import DTypeLike, as_dtype
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.sequences import adopted, array_from

__all__ = ["array", "asarray", "copy", "from_dlpack"]


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
    """Return an array from an array, a scalar, or nested sequences of them.

    Differs from NumPy: 32-bit types by default, and a Python scalar alone gives a weakly typed array.

    Args:
        object: an array, a number, or nested sequences of them.
        dtype: the dtype of the result; the promoted dtype of the elements if None.
        copy: whether an array is returned in a buffer of its own, so that one of the two may be donated.
        order: None, "C" or "K": arrays are row-major.
        ndmin: the least number of axes; axes of size 1 are added in front.
        device: the device or sharding of the result; the default device by default.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Raises:
        ArgumentError: an order other than row-major, or an element is not a number.

    Example:
        >>> print(array([1, 2.5]))
        [1.  2.5]
    """
    if out_sharding is not None:
        return with_out_sharding(
            array, out_sharding, object, dtype, copy=copy, order=order, ndmin=ndmin, device=device
        )
    row_major("array", order)
    ndmin = integer("array", "ndmin", ndmin)
    result = _made("array", object, dtype)
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
    """Return an array from an array, a scalar, or nested sequences of them; arrays come back as they are, unless

    `copy`.

    Args:
        a: an array, a number, or nested sequences of them.
        dtype: the dtype of the result; the promoted dtype of the elements if None.
        order: None, "C" or "K": arrays are row-major.
        copy: whether to return an array in a buffer of its own; None and False return it unchanged.
        device: the device or sharding of the result; the default device by default.
        out_sharding: the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> print(asarray((True, False)))
        [ True False]
    """
    if out_sharding is not None:
        return with_out_sharding(asarray, out_sharding, a, dtype, order, copy=copy, device=device)
    result = _made("asarray", a, dtype)
    return placed(_of_its_own("asarray", result, a, copy), device)


def _made(function: str, given: object, dtype: DTypeLike | None) -> Array:
    """Return an array from what a user gives; a new one is part of the function that is being staged."""
    result = array_from(function, given, as_dtype(function, dtype))
    return result if result is given else as_staged(result)


def _of_its_own(function: str, made: Array, given: object, copy: bool | None) -> Array:
    """A copy of an array that is the one given, if one is asked for; the compiler decides where things are traced."""
    if copy is None:
        return made
    flags(function, copy=copy)
    return copy_if_aliased(made, given) if copy else made


def copy(a: ArrayLike, order: str | None = None) -> Array:
    """Return an array with the same elements in a buffer of its own.

    Raises:
        ArgumentError: an order other than row-major, or an element is not a number.

    Example:
        >>> import numpy as np
        >>> print(copy(np.array([1, 2, 3])))
        [1 2 3]
    """
    row_major("copy", order)
    return ops.copy(array_from("copy", a, None))


def from_dlpack(x: object, /, *, device: Device = None, copy: bool | None = None) -> Array:
    """Return an array of the elements of another library's array, in the memory of the CPU or of an NVIDIA GPU.

    It takes whatever has `__dlpack__` and `__dlpack_device__`, as the array API standard says. The memory is shared,
    so its owner must not write to it any more, except where `copy` is true, or where a 64-bit element type becomes
    a 32-bit one. The array is where its elements are.

    Raises:
        ArgumentError: it has no such methods, its memory cannot be used here, or `copy` is false and a copy is needed.

    Example:
        >>> import numpy as np
        >>> print(from_dlpack(np.arange(3.0, dtype=np.float32)))
        [0. 1. 2.]
    """
    if copy is not None:
        flags("from_dlpack", copy=copy)
    if isinstance(x, Array):
        return placed(ops.copy(x) if copy else x, device)
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise ArgumentError(
            f"from_dlpack: {shown(x)} of {type(x)} has no `__dlpack__` and `__dlpack_device__`",
            fix="pass an array of another library; lists and numbers are for `array`",
        )
    there = adopted("from_dlpack", x)
    if there is None:
        return placed(_of_the_host(x, copy), device)
    made = ops.convert(there, dtype=canonical_dtype(there.dtype))
    if copy is False and made is not there:
        raise _needs_a_copy(there.dtype)
    return placed(ops.copy(made) if copy and made is there else made, device)


def _of_the_host(x: Any, copy: bool | None) -> Array:
    """Return an array of the elements of another library's, as NumPy and ml_dtypes see them."""
    try:
        elements = import_module("treadle_ir.calling.dlpack").elements_from(x)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"from_dlpack: the elements cannot be exchanged: {error}") from error
    canonical: np.ndarray[Any, np.dtype[Any]] = canonical_elements(elements)
    if copy is False and canonical is not elements:
        raise _needs_a_copy(elements.dtype)
    return new_array(np.array(canonical) if copy else canonical)


def _needs_a_copy(dtype: DType) -> ArgumentError:
    return ArgumentError(
        f"from_dlpack: a copy is needed to convert elements from {dtype} to {canonical_dtype(dtype)}",
        fix="leave `copy` out, or turn 64-bit types on",
    )
