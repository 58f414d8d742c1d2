"""Native functions, compiled from C++ against XLA's headers, as functions of arrays: `ffi_call`."""

from __future__ import annotations

from treadle.interpreters.foreign import (
    build_ffi_lowering_function as build_ffi_lowering_function,
    ffi_lowering as ffi_lowering,
)
from treadle_ir.errors import boundaries
from treadle_runtime import (
    abstract_token as abstract_token,
    ffi_call as ffi_call,
    include_dir as include_dir,
    pycapsule as pycapsule,
    register_ffi_target as register_ffi_target,
    register_ffi_target_as_batch_partitionable as register_ffi_target_as_batch_partitionable,
    register_ffi_type as register_ffi_type,
    register_ffi_type_id as register_ffi_type_id,
)

__all__ = [
    "abstract_token",
    "build_ffi_lowering_function",
    "ffi_call",
    "ffi_lowering",
    "include_dir",
    "pycapsule",
    "register_ffi_target",
    "register_ffi_target_as_batch_partitionable",
    "register_ffi_type",
    "register_ffi_type_id",
]

boundaries(__name__)
