"""Element types that NumPy lacks, over DLPack: another producer's capsule is made by ctypes."""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from treadle_ir.calling.dlpack import capsule_of, elements_from

TYPES = {
    "bfloat16": 4,
    "float8_e3m4": 7,
    "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 9,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}
NATIVE = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]


class Tensor(ctypes.Structure):
    _fields_ = (  # type: ignore[mutable-override]  # as ctypes documents it
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),  # of the managed tensor
        ("deleter", ctypes.c_void_p),
    )


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def nothing_to_free(tensor: int) -> None:
    """Do nothing; consumers call this when they are done, and NumPy even if a tensor has no deleter."""


ALIVE: list[Foreign] = []  # the tensors that consumers point to


class Foreign:
    """An array of another library, in the old protocol, written as that library writes it."""

    def __init__(self, elements: np.ndarray[Any, Any], code: int) -> None:
        ALIVE.append(self)
        self.elements = elements
        whole = ctypes.c_int64 * elements.ndim
        self.parts = (
            whole(*elements.shape),
            whole(*(n // elements.itemsize for n in elements.strides)),
        )
        self.tensor = Tensor(
            data=elements.view(np.uint8 if elements.itemsize == 1 else np.uint16).ctypes.data,
            device=(ctypes.c_int32 * 2)(1, 0),
            ndim=elements.ndim,
            code=code,
            bits=8 * elements.itemsize,
            lanes=1,
            shape=ctypes.cast(self.parts[0], ctypes.POINTER(ctypes.c_int64)),
            strides=ctypes.cast(self.parts[1], ctypes.POINTER(ctypes.c_int64)),
            deleter=ctypes.cast(nothing_to_free, ctypes.c_void_p),
        )

    def __dlpack__(self, *, stream: object = None) -> Any:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
        )
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(4,), (2, 3), (3, 2, 2)])
def test_another_librarys_elements_are_taken(name: str, shape: tuple[int, ...]) -> None:
    theirs = np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(getattr(ml_dtypes, name))
    for given in (theirs, theirs.T):
        foreign = Foreign(given, TYPES[name])
        ours = elements_from(foreign)
        assert (ours.dtype, ours.shape) == (given.dtype, given.shape)
        assert np.shares_memory(ours, theirs)
        assert ours.tobytes() == given.tobytes()


@pytest.mark.parametrize("name", [*TYPES, *NATIVE])
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_out_and_in(name: str, version: tuple[int, int] | None) -> None:
    x = np.array([0, 1, 2, 4]).astype(getattr(ml_dtypes, name, name))

    class Ours:
        def __dlpack__(self, **asked: Any) -> Any:
            return capsule_of(x, version)

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    found = elements_from(Ours())
    assert found.dtype == x.dtype
    assert np.shares_memory(found, x)
    assert found.tobytes() == x.tobytes()


@pytest.mark.parametrize("name", ["int4", "float4_e2m1fn", "float6_e2m3fn"])
def test_elements_of_less_than_a_byte_have_none(name: str) -> None:
    with pytest.raises(BufferError, match="DLPack"):
        capsule_of(np.ones(3, getattr(ml_dtypes, name)), None)


def test_what_is_no_capsule() -> None:
    class Wrong:
        def __dlpack__(self, **asked: Any) -> Any:
            return 3

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    with pytest.raises((BufferError, TypeError)):
        elements_from(Wrong())
