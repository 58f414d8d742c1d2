"""DLPack of the element types that NumPy has not: bfloat16 and floats of eight bits.

NumPy exchanges its own types. Others have a code in DLPack, too, and the same layout as unsigned integers of their
width: so NumPy exchanges those, and the code in the capsule is another one.

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
# Where the tensor begins in what a capsule of a name points to: after version, context, deleter and flags, if any.
_BEGINS: Final = {b"dltensor_versioned": 32, b"dltensor": 0}
_ELEMENT: Final = 20  # and its element type: after address, device and number of axes


@final
class _ElementType(ctypes.Structure):
    """`DLDataType`."""

    code: int
    bits: int
    lanes: int
    _fields_ = [  # type: ignore[mutable-override]  # ctypes says so itself
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


def capsule_of(elements: np.ndarray[Any, DType], max_version: tuple[int, int] | None) -> Any:
    """A capsule of an array's elements, which may be of bfloat16 or floats of eight bits; any: it has no class here.

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
    """The elements of what has `__dlpack__`, in its memory, also of element types that NumPy has not.

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
    """Another library's array, whose elements are unsigned integers if NumPy does not know their type, `dtype`."""

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
    """The element type in a capsule that nobody has taken over; it is changed in place."""
    valid = ctypes.pythonapi.PyCapsule_IsValid
    valid.restype, valid.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    for name, begins in _BEGINS.items():
        if valid(capsule, name):
            return _ElementType.from_address(get(capsule, name) + begins + _ELEMENT)
    raise BufferError("the capsule is none of DLPack's, or its memory has an owner already")
