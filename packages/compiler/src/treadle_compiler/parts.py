"""Elements that StableHLO has no type for, several numbers each: an array of them has one more axis.

Random keys of 128 bits are two ui64, keys of a library's generator some ui32. To rules their values have the shape that
users see. What moves such elements, or compares them, moves or compares the first numbers of all, then the second ones:
to its rule each is an array of numbers (of keys of 64 bits, the halves of wide ones). So only the rules of random bits
know of elements in parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import LoweringRule
from treadle_compiler.types import device_shape, is_in_parts
from treadle_ir import ArrayType, Primitive, Type
from treadle_ir.core import Randomness
from treadle_ir.core.dtypes import KEY, is_wide_key, physical_type
from treadle_ir.primitives.compare import Compare
from treadle_ir.primitives.memory import ToMemory


def _part(type: Type) -> Type:
    """The type of one part of elements; any other type as it is."""
    if not isinstance(type, ArrayType) or not is_in_parts(type):
        return type
    dtype, _ = physical_type(type.dtype)
    return ArrayType(type.shape, KEY if is_wide_key(type.dtype) else dtype)


def as_numbers(x: HloValue) -> HloValue:
    """Elements in parts as what they are on a device, with an axis behind; any other value as it is."""
    if not is_in_parts(x.type):
        return x
    return HloValue(x.name, ArrayType(device_shape(x.type), physical_type(x.type.dtype)[0]))


def as_elements(x: HloValue, type: Type) -> HloValue:
    """The inverse of `as_numbers`."""
    return HloValue(x.name, type) if is_in_parts(type) else x


def parts(context: LoweringContext, x: HloValue) -> list[HloValue]:
    """The parts of elements: the first ones, the second ones, ..."""
    numbers, rank = as_numbers(x), len(x.shape)
    type = _part(x.type)
    cut = [emit.slice(context, numbers, rank, at, at + 1) for at in range(numbers.shape[-1])]
    return [HloValue(emit.reshape(context, each, x.shape).name, type) for each in cut]


def joined(context: LoweringContext, parts: Sequence[HloValue], type: Type) -> HloValue:
    """Elements of their parts."""
    assert isinstance(type, ArrayType)
    whole = ArrayType(device_shape(type), physical_type(type.dtype)[0])
    one = (*type.shape, 1)
    made = [
        emit.reshape(context, HloValue(x.name, ArrayType(type.shape, whole.dtype)), one)
        for x in parts
    ]
    attributes = {"dimension": f"{len(type.shape)} : i64"}
    return as_elements(context.one("stablehlo.concatenate", made, whole, attributes), type)


def in_parts(
    context: LoweringContext,
    rule: LoweringRule[Any],
    primitive: Primitive,
    operands: Sequence[HloValue],
) -> Sequence[HloValue]:
    """The rule of a primitive some of whose operands are in parts, applied to each part of them.

    Random bits, what moves arrays to a memory, and primitives that hold programs, whose equations come here one by one,
    take the elements as they are.
    """
    if isinstance(primitive, Randomness | ToMemory) or primitive.programs():
        return rule(context, primitive, *operands)
    return each_part(context, rule, primitive, operands)


def each_part(
    context: LoweringContext,
    rule: LoweringRule[Any],
    primitive: Primitive,
    operands: Sequence[HloValue],
) -> Sequence[HloValue]:
    """What a rule makes of the parts of elements, put together."""
    types = context.result_types
    cut = [parts(context, x) if is_in_parts(x.type) else [x] for x in operands]
    context.result_types = tuple(map(_part, types))
    results = [
        rule(context, primitive, *[each[min(at, len(each) - 1)] for each in cut])
        for at in range(max(map(len, cut)))
    ]
    context.result_types = types
    made = []
    for found, type in zip(zip(*results, strict=True), types, strict=True):
        if is_in_parts(type):
            made.append(joined(context, found, type))
        elif isinstance(primitive, Compare):
            both = "and" if primitive.direction == "eq" else "or"
            made.append(reduce(partial(emit.binary, context, both), found))
        else:
            made.append(found[0])
    return made
