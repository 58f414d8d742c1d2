"""Registering native functions: what is refused before XLA sees it."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from treadle_ir import ArgumentError, UnsupportedError
from treadle_runtime import (
    include_dir,
    pycapsule,
    register_ffi_target,
    register_ffi_target_as_batch_partitionable,
    register_ffi_type,
    register_ffi_type_id,
)


def test_functions_of_libraries_become_capsules() -> None:
    function = ctypes.pythonapi.Py_GetVersion
    capsule = pycapsule(function)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    assert pointer(capsule, None) == ctypes.cast(function, ctypes.c_void_p).value
    with pytest.raises(ArgumentError, match="ctypes"):
        pycapsule(len)


def test_the_headers_are_there() -> None:
    assert "XLA_FFI_Error" in Path(include_dir(), "xla", "ffi", "api", "c_api.h").read_text()


def test_what_is_no_capsule_is_refused() -> None:
    for wrong in (3, {}, {"execute": 3}, ctypes.pythonapi.Py_GetVersion):
        with pytest.raises(ArgumentError, match="capsule"):
            register_ffi_target("test_targets", wrong)
    with pytest.raises(ArgumentError, match="name"):
        register_ffi_target(3, None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="type_registration"):
        register_ffi_type("test_targets", 3)
    with pytest.raises(ArgumentError, match="string"):
        register_ffi_target_as_batch_partitionable(3)  # type: ignore[arg-type]


def test_type_ids_alone_are_of_the_past() -> None:
    with pytest.raises(UnsupportedError, match="type together"):
        register_ffi_type_id("test_targets", None)
