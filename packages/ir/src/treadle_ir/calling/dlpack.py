"""DLPack for element types that NumPy lacks: bfloat16 and floats of eight bits.

NumPy exchanges its own types. The others have a code in DLPack, too, and the same representation as unsigned integers
of their width: so NumPy exchanges these integers, and this module replaces the code in the capsule.

Source: DLPack 1.3, `dlpack.h`: `DLDataTypeCode`, `DLTensor`, `DLManagedTensor`, `DLManagedTensorVersioned`.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, final

import ml_dtypes
import numpy as np

from treadle_ir.core.dtypes import DType

_UNSIGNED: Final = 1
_CODES: Final[dict[DType, int]] = {
    np.dtype(ml_dtypes.bfloat16): 4,
    np.dtype(ml_dtypes.float8_e3m4): 7,
    np.dtype(ml_dtypes.float8_e4m3): 8,
    np.dtype(ml_dtypes.float8_e4m3b11fnuz): 9,
    np.dtype(ml_dtypes.float8_e4m3fn): 10,
    np.dtype(ml_dtypes.float8_e4m3fnuz): 11,
    np.dtype(ml_dtypes.float8_e5m2): 12,
    np.dtype(ml_dtypes.float8_e5m2fnuz): 13,
    np.dtype(ml_dtypes.float8_e8m0fnu): 14,
}
_TYPES: Final = {(code, 8 * dtype.itemsize): dtype for dtype, code in _CODES.items()}
# The offset of the tensor in the memory of a capsule, by its name: after version, context, deleter and flags, if any.
_BEGINS: Final = {b"dltensor_versioned": 32, b"dltensor": 0}
_ELEMENT: Final = 20  # the offset of the element type: after address, device and number of axes


@final
class _ElementType(ctypes.Structure):
    """`DLDataType`."""

    code: int
    bits: int
    lanes: int
    _fields_ = [  # type: ignore[mutable-override]  # ctypes requires a list
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


def capsule_of(elements: np.ndarray[Any, DType], max_version: tuple[int, int] | None) -> Any:
    """Return a capsule of an array's elements, also of bfloat16 or eight-bit floats. Any: Python has no class for it.

    Raises:
        BufferError: the element type is not one of DLPack's, or the array is read-only and `max_version` less than 1.

    Example:
        >>> x = np.ones(3, ml_dtypes.bfloat16)
        >>> type(capsule_of(x, None)).__name__
        'PyCapsule'
    """
    code = _CODES.get(elements.dtype)
    if code is None:
        return elements.__dlpack__(max_version=max_version)
    bits = elements.view(f"u{elements.dtype.itemsize}")
    capsule = bits.__dlpack__(max_version=max_version)
    _element_type(capsule).code = code
    return capsule


def elements_from(x: Any) -> np.ndarray[Any, DType]:
    """Return the elements of an object with `__dlpack__`, without a copy, also of element types that NumPy lacks.

    Raises:
        BufferError, RuntimeError, TypeError, ValueError: NumPy cannot take them.

    Example:
        >>> elements_from(np.arange(3))
        array([0, 1, 2])
    """
    given = _Bits(x)
    elements: np.ndarray[Any, DType] = np.from_dlpack(given)
    return elements if given.dtype is None else elements.view(given.dtype)


@final
class _Bits:
    """Another library's array, with elements as unsigned integers if NumPy lacks their type, `dtype`."""

    def __init__(self, x: Any) -> None:
        self.x = x
        self.dtype: DType | None = None

    def __dlpack__(self, **asked: Any) -> Any:
        capsule = self.x.__dlpack__(**asked)
        element = _element_type(capsule)
        self.dtype = _TYPES.get((element.code, element.bits)) if element.lanes == 1 else None
        if self.dtype is not None:
            element.code = _UNSIGNED
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.x.__dlpack_device__()


def _element_type(capsule: Any) -> _ElementType:
    """Return the element type in a capsule that has not been consumed yet, for changing it in place."""
    valid = ctypes.pythonapi.PyCapsule_IsValid
    valid.restype, valid.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    for name, begins in _BEGINS.items():
        if valid(capsule, name):
            return _ElementType.from_address(get(capsule, name) + begins + _ELEMENT)
    raise BufferError("the capsule is none of DLPack's, or its memory has an owner already")
