"""Elements of several parts, such as keys of 128 bits, as the numbers that they are on a device, and back."""

from __future__ import annotations

from treadle_compiler.types import device_shape, is_in_parts
from treadle_compiler.value import HloValue
from treadle_ir import ArrayType, Type
from treadle_ir.core.dtypes import physical_type


def as_numbers(x: HloValue) -> HloValue:
    """Return elements of several parts as numbers with one more axis; any other value as it is."""
    if not is_in_parts(x.type):
        return x
    return HloValue(x.name, ArrayType(device_shape(x.type), physical_type(x.type.dtype)[0]))


def as_elements(x: HloValue, type: Type) -> HloValue:
    """Return numbers as elements of a type; the inverse of `as_numbers`."""
    return HloValue(x.name, type) if is_in_parts(type) else x
