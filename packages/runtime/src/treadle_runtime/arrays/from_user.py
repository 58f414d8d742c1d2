"""Arguments of calls that are evaluated, as arrays."""

from __future__ import annotations

from math import copysign
from typing import Any, Final

import numpy as np

from treadle_ir import Literal, Operand, type_of
from treadle_ir.calling import as_operand
from treadle_ir.errors import out_of_range
from treadle_ir.settings import current_context
from treadle_ir.tracing import Tracer, transparent, untraced
from treadle_runtime.arrays.array import DeviceArray, Elements
from treadle_runtime.client import aligned_empty
from treadle_runtime.placement.placement import BASE, default_placement

ALIGNED: Final = 4096
"""Bytes from which on a copy goes into memory that a device can use in place."""

# Python numbers as arrays. Programs get the same few again and again: transfer each once (8 us).
_numbers: Final[dict[tuple[Any, ...], DeviceArray]] = {}
_NUMBERS_LIMIT: Final = 1024


def as_argument(leaf: object) -> DeviceArray:
    """Return a leaf of an evaluated call as an array of ours. NumPy arrays are copied: the program may run later.

    Raises:
        ArgumentError: it is neither an array nor a number.
        RangeError: a Python integer that does not fit. (Also an OverflowError.)
    """
    if type(leaf) is DeviceArray:
        return leaf
    if type(leaf) is float or type(leaf) is int or type(leaf) is bool:
        return _number(leaf)
    if isinstance(leaf, Tracer):
        given = transparent(leaf)
        return as_argument(untraced(leaf) if isinstance(given, Tracer) else given)
    operand = as_operand(leaf)
    if isinstance(operand, DeviceArray):
        return operand
    elements = copied(operand)
    type_ = type_of(operand)
    return DeviceArray(default_placement().of(type_), elements)


def _number(value: float) -> DeviceArray:
    sign = value < 0 if type(value) is int else copysign(1.0, value)  # 0.0 == -0.0
    key = (type(value), value, sign, current_context().key)
    found = _numbers.get(key)
    if found is None or found.is_deleted():
        type_ = type_of(value)
        try:
            elements = np.asarray(value, type_.dtype)
        except OverflowError as error:
            raise out_of_range(error, value, type_.dtype) from None
        found = DeviceArray(default_placement().of(type_), elements)
        if len(_numbers) >= _NUMBERS_LIMIT:
            _numbers.clear()
        _numbers[key] = found
    return found


def copied(operand: Operand) -> Elements:
    """Return a copy of an operand's elements, in memory that a device can use in place if it is large."""
    value = operand.value if isinstance(operand, Literal) else operand
    array = np.asarray(value)
    if array.nbytes < ALIGNED:
        return np.array(array)
    copy = aligned_empty(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy


def as_device_array(operand: object) -> DeviceArray:
    """Return an array around an operand that is none of ours: a NumPy array, a NumPy or Python scalar, a literal.

    The memory of a NumPy array is shared, so the result is good for one operation.

    Raises:
        EscapedTracerError: it is a tracer.
        ArgumentError: it is nothing of the kind.
    """
    operand = untraced(operand)  # type: ignore[arg-type]  # what is not an operand is refused below
    if isinstance(operand, DeviceArray):
        return operand
    type = type_of(operand)
    value = operand.value if isinstance(operand, Literal) else operand
    return DeviceArray(BASE.of(type), np.asarray(value, type.dtype))
