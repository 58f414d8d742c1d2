"""Buffers on a GPU in exchange with other libraries, without a copy: DLPack.

What is in the CPU's memory goes by NumPy's own exchange.

Source: the Python specification of DLPack, https://dmlc.github.io/dlpack/latest/python_spec.html
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

from treadle_compiler import jaxlib
from treadle_ir import ArgumentError
from treadle_runtime.client.backend import Backend, Buffer, Device
from treadle_runtime.client.guard import no_jax_import
from treadle_runtime.client.reading import tensor_of
from treadle_runtime.client.start import backends

CPU: Final = 1  # DLPack's kDLCPU
CUDA: Final = 2  # kDLCUDA
_MANAGED: Final = 13  # kDLCUDAManaged, which GPUs reach as well


def capsule_of(backend: Backend, buffer: Buffer, stream: object) -> Any:
    """Return a capsule of a buffer on a GPU. `stream` is CUDA's, on which it will be read; without it the value is
    there.
    """
    told = stream if isinstance(stream, int) and stream > 0 else None
    if told is None:
        backend.block(buffer)
    with no_jax_import():
        return jaxlib().core.buffer_to_dlpack_managed_tensor(buffer, told)


def adopted(x: Any, kind: int, number: int) -> tuple[Backend, Device, Buffer] | None:
    """Return a buffer in the memory of a GPU where `x` has its elements, and where it is; None for other kinds of
    devices.

    `x` is whatever has `__dlpack__` (so it has no other class), `kind` and `number` its `__dlpack_device__`.

    Raises:
        ArgumentError: it is not contiguous, or of an element type that devices do not have.
        PlatformError: no GPU can be used here.
    """
    if kind not in (CUDA, _MANAGED):
        return None
    backend = backends.get("cuda")
    device = _device(backend, number)
    stream = device.get_stream_for_external_ready_events()
    try:
        capsule = x.__dlpack__(stream=stream)
    except (BufferError, TypeError) as error:
        raise _refused(error) from error
    return backend, device, taken(capsule, device, stream)


def taken(capsule: object, device: Device, stream: int | None) -> Buffer:
    """Return a buffer in the memory of a device that a capsule is of, which will be there once the stream has come so
    far.

    Raises:
        ArgumentError: it is not contiguous, or of an element type that devices do not have.
    """
    if not is_row_major(capsule):
        raise ArgumentError(
            "from_dlpack: the elements are not one after the other in row-major order",
            fix="make the array contiguous in the library that it comes from",
        )
    core = jaxlib().core
    try:
        with no_jax_import():
            return core.dlpack_managed_tensor_to_buffer(capsule, device, stream)
    except (core.JaxRuntimeError, BufferError, TypeError) as error:
        raise _refused(error) from error


def _refused(error: Exception) -> ArgumentError:
    return ArgumentError(f"from_dlpack: the elements cannot be exchanged: {error}")


def is_row_major(capsule: object) -> bool:
    """Return whether the elements of a DLPack capsule follow one another, those along the last axis first.

    Example:
        >>> import numpy as np
        >>> x = np.zeros((2, 3))
        >>> is_row_major(x.__dlpack__()), is_row_major(x.T.__dlpack__())
        (True, False)
    """
    tensor = tensor_of(capsule)
    if not tensor.strides:
        return True
    whole = ctypes.c_int64 * tensor.ndim
    shape, strides = whole.from_address(tensor.shape), whole.from_address(tensor.strides)
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size > 1 and stride != step:
            return 0 in shape
        step *= size
    return True


def _device(backend: Backend, number: int) -> Device:
    for device in backend.local_devices:
        if device.local_hardware_id == number:
            return device
    raise ArgumentError(
        f"from_dlpack: the elements are on GPU {number}, which this process does not use"
    )
