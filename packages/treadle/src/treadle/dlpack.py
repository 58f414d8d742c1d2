"""Arrays of other libraries, without a copy: DLPack. The way out is `torch.from_dlpack(x)`, `numpy.from_dlpack(x)`."""

from __future__ import annotations

from typing import Final

import numpy as np

import treadle_numpy
from treadle_ir import Array
from treadle_ir.errors import boundaries, element_type
from treadle_numpy.operands.devices import Device

__all__ = ["from_dlpack", "is_supported_dtype"]

_SUPPORTED: Final = frozenset(
    {
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    }
)


def from_dlpack(external_array: object, device: Device = None, copy: bool | None = None) -> Array:
    """Return an array of the elements of another library's array, in the memory of the CPU or of an NVIDIA GPU.

    The memory is shared, so its owner must not write to it any more, except where `copy` is true, or where a 64-bit
    element type becomes a 32-bit one.

    Raises:
        ArgumentError: it has no `__dlpack__`, its memory cannot be used here, or `copy` is false and a copy is needed.

    Example:
        >>> import numpy as np
        >>> from treadle.dlpack import from_dlpack
        >>> theirs = np.arange(3.0, dtype=np.float32)
        >>> ours = from_dlpack(theirs)
        >>> np.shares_memory(theirs, np.from_dlpack(ours))
        True
    """
    return treadle_numpy.from_dlpack(external_array, device=device, copy=copy)


def is_supported_dtype(dtype: object) -> bool:
    """Return whether arrays of an element type can be exchanged.

    Example:
        >>> from treadle.dlpack import is_supported_dtype
        >>> is_supported_dtype("float32"), is_supported_dtype("float8_e4m3fn")
        (True, False)
    """
    return np.dtype(element_type("is_supported_dtype", dtype)).name in _SUPPORTED


boundaries(__name__)
