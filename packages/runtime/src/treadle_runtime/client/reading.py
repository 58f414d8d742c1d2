"""Host arrays of buffers that the buffer protocol refuses: bfloat16, the small floats and integers, other devices."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from treadle_compiler import jaxlib
from treadle_runtime.client.guard import no_jax_import

Buffer = Any  # a jaxlib array; jaxlib has no types


class DlTensor(ctypes.Structure):
    """The start of a DLPack tensor: where its memory is."""

    _fields_ = [  # type: ignore[mutable-override]  # as ctypes declares it
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


def read_uncommon(buffer: Buffer) -> np.ndarray[Any, Any]:
    """Read what the buffer protocol refuses: bfloat16, the small floats and integers, other devices."""
    if getattr(type(buffer), "_to_np_array_did_copy", None) is not None:  # from 0.11
        value = buffer._to_np_array_did_copy()[0]
    else:
        value = _read_by_dlpack(buffer)
        if value is None:
            with no_jax_import():
                value = buffer._single_device_array_to_np_array_did_copy()[0]
    result: np.ndarray[Any, Any] = value
    result.flags.writeable = False
    return result


def tensor_of(capsule: object) -> DlTensor:
    """Return the tensor of a DLPack capsule that has not been consumed; valid as long as the capsule lives."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return DlTensor.from_address(get(capsule, b"dltensor"))


def _read_by_dlpack(buffer: Buffer) -> np.ndarray[Any, Any] | None:
    """Return a view of a whole-byte buffer on the CPU through its DLPack capsule; None if there is no such view."""
    dtype: np.dtype[Any] = buffer.aval.dtype
    shape: tuple[int, ...] = buffer.aval.shape
    count = int(np.prod(shape, dtype=np.int64))
    if buffer.platform() != "cpu" or buffer.on_device_size_in_bytes() != count * dtype.itemsize:
        return None
    try:
        capsule = jaxlib().core.buffer_to_dlpack_managed_tensor(buffer)
    except jaxlib().core.JaxRuntimeError:
        return None
    if count == 0:
        return np.empty(shape, dtype)
    tensor = tensor_of(capsule)
    if tensor.bits * tensor.lanes != 8 * dtype.itemsize:
        return None  # four-bit floats: said to take a byte each, and packed all the same
    address = tensor.data + tensor.byte_offset
    memory: Any = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
    memory._owner = capsule  # which holds the buffer as long as a view of the memory lives
    view: np.ndarray[Any, Any] = np.frombuffer(memory, np.uint8).view(dtype).reshape(shape)
    return view
