"""Types and scalar constants in MLIR's text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeGuard

import numpy as np

from treadle_ir import ArrayType, DType, ShapeError, Type, UnsupportedError
from treadle_ir.core import TokenType, dtypes, is_symbolic

_ELEMENTS: Final = {
    "bool": "i1",
    "i2": "i2",
    "i4": "i4",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "u2": "ui2",
    "u4": "ui4",
    "u8": "ui8",
    "u16": "ui16",
    "u32": "ui32",
    "u64": "ui64",
    "f4e2m1fn": "f4E2M1FN",
    "f8e3m4": "f8E3M4",
    "f8e4m3": "f8E4M3",
    "f8e4m3b11fnuz": "f8E4M3B11FNUZ",
    "f8e4m3fn": "f8E4M3FN",
    "f8e4m3fnuz": "f8E4M3FNUZ",
    "f8e5m2": "f8E5M2",
    "f8e5m2fnuz": "f8E5M2FNUZ",
    "f8e8m0fnu": "f8E8M0FNU",
    "bf16": "bf16",
    "f16": "f16",
    "f32": "f32",
    "f64": "f64",
    "c64": "complex<f32>",
    "c128": "complex<f64>",
    "f0": "i1",  # no data: lowered as booleans
}

_BOOL: Final = np.dtype(np.bool_)
_PLAIN: Final = re.compile(r"[ !#-\[\]-~]*")  # ASCII without quotes and backslashes
_MOST_BYTES: Final = (1 << 63) - 1


def element_type(dtype: DType) -> str:
    """An element type in MLIR's text.

    Raises:
        UnsupportedError: XLA has no such element type.

    Example:
        >>> element_type(np.dtype(np.uint8)), element_type(np.dtype(np.complex64))
        ('ui8', 'complex<f32>')
    """
    if dtype in dtypes.NOT_COMPILED:
        raise UnsupportedError(
            f"compiled programs have no {dtype.name}: XLA takes 1-bit integers for booleans and knows no 6-bit floats",
            fix="convert such arrays outside of `jit` (`x.astype(...)`), to int8, bool or float8_e4m3fn",
        )
    return _ELEMENTS[dtypes.dtype_name(dtypes.physical_type(dtype)[0])]


def device_dtype(dtype: DType) -> DType:
    """The element type of the buffers that hold arrays of a type: keys are 64-bit words, float0 is booleans."""
    if dtypes.is_extended(dtype):
        return dtypes.physical_type(dtype)[0]
    return _BOOL if dtypes.is_float0(dtype) else dtype


def device_shape(type: ArrayType) -> tuple[int, ...]:
    """The shape of the buffers that hold arrays of a type: its own, with one more axis where an element is several.

    Keys of 128 bits are pairs of 64-bit words.

    Example:
        >>> device_shape(ArrayType((3,), dtypes.KEY)), device_shape(ArrayType((3,), dtypes.RBG))
        ((3,), (3, 2))
    """
    if type.dtype.names is None:
        return type.shape
    return (*type.shape, *dtypes.physical_type(type.dtype)[1])


def is_in_parts(type: Type) -> TypeGuard[ArrayType]:
    """Return whether an element of arrays of a type is several numbers on a device, along one more axis.

    Example:
        >>> is_in_parts(ArrayType((3,), dtypes.KEY)), is_in_parts(ArrayType((3,), dtypes.RBG))
        (False, True)
    """
    return (
        isinstance(type, ArrayType)
        and type.dtype.names is not None
        and len(dtypes.physical_type(type.dtype)[1]) > 0
    )


@lru_cache(maxsize=8192)
def mlir_type(type: Type) -> str:
    """A type in MLIR's text.

    Raises:
        ShapeError: the array would have 2**63 bytes or more.
        UnsupportedError: a size is symbolic.

    Example:
        >>> mlir_type(ArrayType((2, 3), np.dtype(np.float32)))
        'tensor<2x3xf32>'
    """
    if isinstance(type, TokenType):
        return "!stablehlo.token"
    assert isinstance(type, ArrayType)
    if is_symbolic(type.shape):
        raise UnsupportedError(
            f"an array of type {type} cannot be compiled: a size is symbolic",
            fix="export the function, and call what was exported with arrays; or lower it for known sizes",
        )
    # XLA ends the process over larger ones, also where a later axis has no elements. NumPy refuses the same.
    if math.prod([n or 1 for n in type.shape]) * (type.dtype.itemsize or 1) > _MOST_BYTES:
        raise ShapeError(
            f"an array of type {type} is too large: its size in bytes is not a 64-bit integer",
            fix="look for a shape with wrong factors",
        )
    return f"tensor<{''.join(f'{n}x' for n in device_shape(type))}{element_type(type.dtype)}>"


def scalar_text(value: np.generic[Any]) -> str:
    """A scalar in a `dense<...>` attribute, exact to the bit (floats as hexadecimal bits).

    Example:
        >>> scalar_text(np.float32(1)), scalar_text(np.int8(-3)), scalar_text(np.bool_(True))
        ('0x3F800000', '-3', 'true')
    """
    dtype = value.dtype
    if dtypes.is_float0(dtype):  # it has no data
        return "false"
    if dtypes.is_extended(dtype):  # of one physical element
        return scalar_text(np.asarray(value).reshape(1).view(dtypes.physical_type(dtype)[0])[0])
    if dtype == np.bool_:
        return "true" if value else "false"
    if dtypes.is_complex(dtype):
        parts = np.asarray(value).reshape(1).view(dtypes.real_part(dtype))
        return f"({scalar_text(parts[0])}, {scalar_text(parts[1])})"
    if dtypes.is_floating(dtype):
        bits = int(np.asarray(value).reshape(1).view(f"u{dtype.itemsize}")[0])
        return f"0x{bits:0{dtype.itemsize * 2}X}"
    return str(int(value))


def dense(values: np.ndarray[Any, np.dtype[Any]]) -> str:
    """A small array as a `dense<...>` attribute with its type.

    Example:
        >>> dense(np.array([1, 2], np.int32)), dense(np.array([7, 7], np.int32))
        ('dense<[1, 2]> : tensor<2xi32>', 'dense<7> : tensor<2xi32>')
    """
    type = mlir_type(ArrayType(values.shape, values.dtype))
    if dtypes.is_extended(values.dtype):
        made, parts = dtypes.physical_type(values.dtype)
        values = np.ascontiguousarray(values).view(made).reshape(*values.shape, *parts)
    if values.size == 0:
        return f"dense<> : {type}"
    flat = values.reshape(-1)
    if all(x.tobytes() == flat[0].tobytes() for x in flat[1:]):
        return f"dense<{scalar_text(flat[0])}> : {type}"

    def nested(part: np.ndarray[Any, np.dtype[Any]]) -> str:
        if part.ndim == 1:
            return f"[{', '.join(map(scalar_text, part))}]"
        return f"[{', '.join(map(nested, part))}]"

    return f"dense<{nested(values)}> : {type}"


def i64_array(values: Iterable[int]) -> str:
    """An `array<i64: ...>` attribute, as StableHLO has for axes and sizes.

    Example:
        >>> i64_array((0, 2)), i64_array(())
        ('array<i64: 0, 2>', 'array<i64>')
    """
    return _i64_array(tuple(values))


@lru_cache(maxsize=4096)
def _i64_array(values: tuple[int, ...]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def axes_text(axes: Sequence[int]) -> str:
    """A list of axes inside of an attribute, such as dimension numbers: `[0, 2]`."""
    return f"[{', '.join(map(str, axes))}]"


def i64_pairs(pairs: Sequence[tuple[int, int]]) -> str:
    """An attribute of pairs of integers, as StableHLO has for padding.

    Example:
        >>> i64_pairs([(1, 0), (0, 2)])
        'dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>'
    """
    listed = ", ".join([f"[{low}, {high}]" for low, high in pairs])
    return f"dense<{f'[{listed}]' if pairs else ''}> : tensor<{len(pairs)}x2xi64>"


def string_text(text: str) -> str:
    r"""Return a string in MLIR's quotes, with bytes that are not plain ASCII as two digits.

    Example:
        >>> print(string_text('a "b"'))
        "a \22b\22"
    """
    if _PLAIN.fullmatch(text):  # as nearly always
        return f'"{text}"'
    parts = [chr(b) if _PLAIN.fullmatch(chr(b)) else f"\\{b:02X}" for b in text.encode()]
    return f'"{"".join(parts)}"'
