"""Element types of arrays: conversion, bits read as another type, precision."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, DType, DTypeError, ops
from treadle_ir.core.dtypes import ExtendedDType, is_float0
from treadle_ir.errors import integer, refused
from treadle_numpy.lax.reinterpret import bitcast
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.dtypes import DTypeLike, ScalarType, as_dtype
from treadle_numpy.operands.promote import operand_in

__all__ = ["bitcast_convert_type", "convert_element_type", "dtype", "reduce_precision", "stage"]


def convert_element_type(operand: ArrayLike, new_dtype: DTypeLike) -> Array:
    """Return the same numbers in another element type, rounded or cut off where it does not have them.

    Floats lose their fraction on the way to integers, integers their upper bits in a narrower type, and complex
    numbers their imaginary part. While 64-bit types are off, a 64-bit type is the 32-bit one.

    Raises:
        ArgumentError: there is no such element type.

    Example:
        >>> import numpy as np
        >>> print(convert_element_type(np.array([1.5, -2.7]), np.int32))
        [ 1 -2]
    """
    if new_dtype is None:
        raise refused("convert_element_type", "new_dtype", "an element type", None)
    wanted = as_dtype("convert_element_type", new_dtype)
    return array_of(operand_in("convert_element_type", 0, operand, wanted))


def bitcast_convert_type(operand: ArrayLike, new_dtype: DTypeLike) -> Array:
    """Return the same bits read as another element type; a narrower one adds a last axis, a wider one takes it away.

    Raises:
        DTypeError: one of the two types is boolean or complex, and the other is not the same.
        ShapeError: there is no last axis of the size that makes one wider element.

    Example:
        >>> import numpy as np
        >>> print(bitcast_convert_type(np.float32(1.0), "uint8"))
        [  0   0 128  63]
    """
    x = coerce_array("bitcast_convert_type", 0, operand)
    if new_dtype is None:
        raise refused("bitcast_convert_type", "new_dtype", "an element type", None)
    wanted = as_dtype("bitcast_convert_type", new_dtype)
    if is_float0(x.dtype) or is_float0(wanted):
        raise DTypeError("bitcast_convert_type: float0 has no bits")
    return bitcast(x, wanted)


def reduce_precision(operand: ArrayLike, exponent_bits: int, mantissa_bits: int) -> Array:
    """Floats rounded to what a format with fewer bits has, in their own element type; halves go to even.

    The sign has a bit of its own. What is too large for the exponent's bits becomes infinite.

    Raises:
        DTypeError: the elements are not floating.
        ShapeError: there are less than 1 exponent bit or 0 mantissa bits.

    Example:
        >>> print(reduce_precision(3.14159, exponent_bits=8, mantissa_bits=3))
        3.25
    """
    exponent_bits = integer("reduce_precision", "exponent_bits", exponent_bits)
    mantissa_bits = integer("reduce_precision", "mantissa_bits", mantissa_bits)
    return ops.reduce_precision(
        coerce("reduce_precision", 0, operand),
        exponent_bits=exponent_bits,
        mantissa_bits=mantissa_bits,
    )


def dtype(x: ArrayLike | DTypeLike) -> DType:
    """Return the element type of a value; of Python's numbers, the default one of their kind. Element types are given
    back.

    Raises:
        ArgumentError: the value is neither an array nor a number.

    Example:
        >>> dtype(1.5)
        dtype('float32')
    """
    if isinstance(x, (np.dtype, ScalarType, type, str, ExtendedDType)):
        return as_dtype("dtype", x)
    return operand_type(coerce("dtype", 0, x)).dtype


def stage(x: ArrayLike, /) -> Array:
    """Return a number or a NumPy array as an array: of the program that is being traced, if there is one.

    Example:
        >>> stage(2).dtype
        dtype('int32')
    """
    return coerce_array("stage", 0, x)
