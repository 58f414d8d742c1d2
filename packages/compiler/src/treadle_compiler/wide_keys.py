"""Random keys of 128 bits, for which StableHLO has no element type: an array of them has one more axis of two ui64.

To rules their values have the shape that users see. What moves keys, or compares them, moves or compares the two
halves, each of which is to its rule an array of keys of 64 bits: so only the rules of random bits know of wide keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import LoweringRule
from treadle_ir import ArrayType, Primitive, Randomness, Type
from treadle_ir.dtypes import KEY, is_wide_key
from treadle_ir.primitives.compare import Compare
from treadle_ir.primitives.memory import ToMemory

_U64: Final = np.dtype(np.uint64)


def is_wide(type: Type) -> bool:
    """Whether arrays of a type hold keys of 128 bits."""
    return isinstance(type, ArrayType) and is_wide_key(type.dtype)


def _half(type: Type) -> Type:
    """The type of a half of wide keys; any other type as it is."""
    return ArrayType(type.shape, KEY) if isinstance(type, ArrayType) and is_wide(type) else type


def words(x: HloValue) -> HloValue:
    """Wide keys as what they are on a device, ui64 with an axis of two behind; any other value as it is."""
    return HloValue(x.name, ArrayType((*x.shape, 2), _U64)) if is_wide(x.type) else x


def as_keys(x: HloValue, type: Type) -> HloValue:
    """The inverse of `words`."""
    return HloValue(x.name, type) if is_wide(type) else x


def halves(context: LoweringContext, keys: HloValue) -> tuple[HloValue, HloValue]:
    """Both halves of wide keys, as keys of 64 bits."""
    both, rank = words(keys), len(keys.shape)
    first, second = (
        emit.reshape(context, emit.slice(context, both, rank, at, at + 1), keys.shape)
        for at in (0, 1)
    )
    type = ArrayType(keys.shape, KEY)
    return HloValue(first.name, type), HloValue(second.name, type)


def joined(context: LoweringContext, first: HloValue, second: HloValue, type: Type) -> HloValue:
    """Wide keys of their halves."""
    shape = first.shape
    parts = [
        emit.reshape(context, HloValue(x.name, ArrayType(shape, _U64)), (*shape, 1))
        for x in (first, second)
    ]
    whole = ArrayType((*shape, 2), _U64)
    attributes = {"dimension": f"{len(shape)} : i64"}
    return as_keys(context.one("stablehlo.concatenate", parts, whole, attributes), type)


def in_halves(
    context: LoweringContext,
    rule: LoweringRule[Any],
    primitive: Primitive,
    operands: Sequence[HloValue],
) -> Sequence[HloValue]:
    """The rule of a primitive some of whose operands are wide keys, applied to each half of them.

    Random bits, what moves them to a memory, and primitives that hold programs, whose equations come here one by one,
    take the keys as they are.
    """
    if isinstance(primitive, Randomness | ToMemory) or primitive.programs():
        return rule(context, primitive, *operands)
    return each_half(context, rule, primitive, operands)


def each_half(
    context: LoweringContext,
    rule: LoweringRule[Any],
    primitive: Primitive,
    operands: Sequence[HloValue],
) -> Sequence[HloValue]:
    """What a rule makes of the halves of wide keys, put together."""
    types = context.result_types
    split = [halves(context, x) if is_wide(x.type) else (x, x) for x in operands]
    context.result_types = tuple(map(_half, types))
    results = [rule(context, primitive, *[pair[at] for pair in split]) for at in (0, 1)]
    context.result_types = types
    made = []
    for first, second, type in zip(*results, types, strict=True):
        if is_wide(type):
            made.append(joined(context, first, second, type))
        elif isinstance(primitive, Compare):
            both = "and" if primitive.direction == "eq" else "or"
            made.append(emit.binary(context, both, first, second))
        else:
            made.append(first)
    return made
