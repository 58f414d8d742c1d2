"""Element types as objects: `float32`, which also makes arrays, and NumPy's kinds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import ml_dtypes
import numpy as np

from treadle_ir.core import dtypes as ir_dtypes
from treadle_numpy.operands.dtypes import scalar_type

__all__ = [
    "bfloat16",
    "bool_",
    "cdouble",
    "character",
    "complex64",
    "complex128",
    "complex_",
    "complexfloating",
    "csingle",
    "double",
    "dtype",
    "flexible",
    "float4_e2m1fn",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "float64",
    "float_",
    "floating",
    "generic",
    "inexact",
    "int1",
    "int2",
    "int4",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "integer",
    "number",
    "object_",
    "signedinteger",
    "single",
    "uint",
    "uint1",
    "uint2",
    "uint4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unsignedinteger",
]

bool_: Final = scalar_type("bool", np.dtype(np.bool_))
int8: Final = scalar_type("int8", np.dtype(np.int8))
int16: Final = scalar_type("int16", np.dtype(np.int16))
int32: Final = scalar_type("int32", np.dtype(np.int32))
int64: Final = scalar_type("int64", np.dtype(np.int64))
uint8: Final = scalar_type("uint8", np.dtype(np.uint8))
uint16: Final = scalar_type("uint16", np.dtype(np.uint16))
uint32: Final = scalar_type("uint32", np.dtype(np.uint32))
uint64: Final = scalar_type("uint64", np.dtype(np.uint64))
int2: Final = scalar_type("int2", np.dtype(ml_dtypes.int2))
int4: Final = scalar_type("int4", np.dtype(ml_dtypes.int4))
uint2: Final = scalar_type("uint2", np.dtype(ml_dtypes.uint2))
uint4: Final = scalar_type("uint4", np.dtype(ml_dtypes.uint4))
if TYPE_CHECKING or hasattr(ml_dtypes, "int1"):  # from ml_dtypes 0.6 on
    int1: Final = scalar_type("int1", np.dtype(ml_dtypes.int1))
    uint1: Final = scalar_type("uint1", np.dtype(ml_dtypes.uint1))
float4_e2m1fn: Final = scalar_type("float4_e2m1fn", np.dtype(ml_dtypes.float4_e2m1fn))
float6_e2m3fn: Final = scalar_type("float6_e2m3fn", np.dtype(ml_dtypes.float6_e2m3fn))
float6_e3m2fn: Final = scalar_type("float6_e3m2fn", np.dtype(ml_dtypes.float6_e3m2fn))
float8_e3m4: Final = scalar_type("float8_e3m4", np.dtype(ml_dtypes.float8_e3m4))
float8_e4m3: Final = scalar_type("float8_e4m3", np.dtype(ml_dtypes.float8_e4m3))
float8_e4m3b11fnuz: Final = scalar_type(
    "float8_e4m3b11fnuz", np.dtype(ml_dtypes.float8_e4m3b11fnuz)
)
float8_e4m3fn: Final = scalar_type("float8_e4m3fn", np.dtype(ml_dtypes.float8_e4m3fn))
float8_e4m3fnuz: Final = scalar_type("float8_e4m3fnuz", np.dtype(ml_dtypes.float8_e4m3fnuz))
float8_e5m2: Final = scalar_type("float8_e5m2", np.dtype(ml_dtypes.float8_e5m2))
float8_e5m2fnuz: Final = scalar_type("float8_e5m2fnuz", np.dtype(ml_dtypes.float8_e5m2fnuz))
float8_e8m0fnu: Final = scalar_type("float8_e8m0fnu", np.dtype(ml_dtypes.float8_e8m0fnu))
bfloat16: Final = scalar_type("bfloat16", np.dtype(ml_dtypes.bfloat16))
float16: Final = scalar_type("float16", np.dtype(np.float16))
float32: Final = scalar_type("float32", np.dtype(np.float32))
float64: Final = scalar_type("float64", np.dtype(np.float64))
complex64: Final = scalar_type("complex64", np.dtype(np.complex64))
complex128: Final = scalar_type("complex128", np.dtype(np.complex128))
half: Final = float16
single: Final = float32
double: Final = float64
float_: Final = float64
csingle: Final = complex64
cdouble: Final = complex128
complex_: Final = complex128
int_: Final = int64
uint: Final = uint64
float0: Final = ir_dtypes.float0
character: Final = np.character
complexfloating: Final = np.complexfloating
flexible: Final = np.flexible
floating: Final = np.floating
generic: Final = np.generic
inexact: Final = np.inexact
integer: Final = np.integer
number: Final = np.number
object_: Final = np.object_
signedinteger: Final = np.signedinteger
unsignedinteger: Final = np.unsignedinteger
dtype: Final = np.dtype
extended: Final = ir_dtypes.extended
prng_key: Final = ir_dtypes.prng_key
