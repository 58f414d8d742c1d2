"""Operands of one element type: element types meet by the promotion lattice.

Python scalars become scalars of the element type that the arrays in the same call have (they are weak).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from treadle_ir import Array, ArrayType, DType, Literal, Operand, ops
from treadle_ir.core import canonical_dtype, inexact_dtype, promoted
from treadle_ir.core.dtypes import is_extended, is_inexact, is_integer
from treadle_ir.errors import out_of_range
from treadle_ir.reference import converted_elements
from treadle_numpy.operands.arrays import Elements, on_host
from treadle_numpy.operands.coerce import SCALARS, coerce, operand_type


@overload
def with_dtype(operand: Array, type: ArrayType, dtype: DType, weak: bool) -> Array: ...
@overload
def with_dtype(operand: Operand, type: ArrayType, dtype: DType, weak: bool) -> Operand: ...
def with_dtype(operand: Operand, type: ArrayType, dtype: DType, weak: bool) -> Operand:
    """Return a coerced operand in another element type; host scalars are converted here, arrays by `ops.convert`."""
    if type.dtype is dtype or type.dtype == dtype:
        return operand if weak or not isinstance(operand, Literal) else operand.value
    if isinstance(operand, Literal) and not is_extended(dtype):
        value = operand.value.astype(dtype)
        return Literal(value, ArrayType((), dtype, True)) if weak else value
    if isinstance(operand, (np.ndarray, np.generic)) and dtype.kind == type.dtype.kind == "f":
        elements: Operand = operand.astype(dtype)
        return elements
    return ops.convert(operand, dtype=dtype, weak=weak)


def promote(function: str, *arguments: object, inexact: bool = False) -> list[Operand]:
    """Arguments as operands of one element type (a floating or complex one if `inexact`), shapes as they are."""
    operands = [coerce(function, position, x) for position, x in enumerate(arguments)]
    return promote_operands(operands, inexact)


def promote_operands(operands: Sequence[Operand], inexact: bool = False) -> list[Operand]:
    """Coerced operands in the element type they meet in."""
    types = [operand_type(operand) for operand in operands]
    dtype, weak = promoted(types)
    if inexact:
        dtype = inexact_dtype(dtype)
    return [
        with_dtype(operand, type, dtype, weak)
        for operand, type in zip(operands, types, strict=True)
    ]


@overload
def converted(operand: Array, dtype: DType) -> Array: ...
@overload
def converted(operand: Operand, dtype: DType) -> Operand: ...
def converted(operand: Operand, dtype: DType) -> Operand:
    """Return a coerced operand in an element type, no longer weak."""
    type = operand_type(operand)
    if isinstance(operand, Literal) and not is_extended(
        dtype
    ):  # NumPy would make a key of any number
        value = operand.value
        if is_integer(dtype) and is_inexact(value.dtype):  # saturated, NaN as 0
            number: Operand = converted_elements(np.asarray(value), dtype)[()]
        else:
            number = value.astype(dtype)
        return number
    if type.dtype == dtype and not type.weak:
        return operand
    if isinstance(operand, np.generic) and on_host() and not is_extended(dtype):
        scalar: Operand = np.asarray(ops.convert(operand, dtype=dtype))[()]
        return scalar
    return ops.convert(operand, dtype=dtype)


def operand_in(function: str, position: int, x: object, dtype: DType) -> Operand:
    """Return an argument in an element type, no longer weak; what the host has is converted from the type that it has
    there.

    Under 32-bit types `2**40` as a float is not the float of what is left of it in 32 bits.

    Raises:
        ArgumentError: it is neither an array nor a number; RangeError: an integer beyond 64 bits for an integer type.
    """
    if not is_extended(dtype):
        if isinstance(x, (np.ndarray, np.generic)):
            own = x.dtype if x.dtype.isnative else x.dtype.newbyteorder("=")
            if canonical_dtype(own) != own:
                return converted_elements(np.asarray(x), dtype)
        elif isinstance(x, SCALARS):
            return converted_elements(_as_wide(x, dtype), dtype)[()]
    return converted(coerce(function, position, x), dtype)


def _as_wide(x: complex, dtype: DType) -> Elements:
    """Return a Python number in NumPy's type of it; integers beyond 64 bits are floats, unless integers are wanted."""
    elements = np.asarray(x)
    if elements.dtype != object:
        return elements
    try:
        if isinstance(x, int) and not is_integer(dtype):
            return np.asarray(float(x))
    except OverflowError:
        pass
    raise out_of_range(OverflowError(), x, dtype)


def as_dtype_of(operand: Operand, x: Array) -> Operand:
    """Return a coerced operand in the element type of an array; it stays weak only where that is weak, too."""
    type = operand_type(operand)
    return with_dtype(operand, type, x.dtype, operand_type(x).weak and type.weak)


def as_weak(result: Array) -> Array:
    """Return `result` with a weak type, for functions that combine a weak array with numbers."""
    return ops.convert(result, dtype=result.dtype, weak=True)


def without_weak_arrays(operand: Operand) -> Operand:
    """Return `operand` with a strong type unless it is a scalar, as it becomes before constants are added."""
    type = operand_type(operand)
    return converted(operand, type.dtype) if type.weak and type.shape else operand


def inexact_operand(function: str, x: object) -> Operand:
    """Coerce one operand, and convert integers and booleans to floats."""
    operand = coerce(function, 0, x)
    type = operand_type(operand)
    if is_inexact(type.dtype):
        return operand
    return with_dtype(operand, type, inexact_dtype(type.dtype), type.weak)


def weakly_inexact_operand(function: str, x: object) -> Operand:
    """Return one operand, as a float if it is an integer or a boolean: a weak one, as with a Python number."""
    operand = coerce(function, 0, x)
    type = operand_type(operand)
    if is_inexact(type.dtype):
        return operand
    return with_dtype(operand, type, inexact_dtype(type.dtype), True)
