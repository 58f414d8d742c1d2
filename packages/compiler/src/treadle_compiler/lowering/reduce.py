"""Lowering of reductions.

Narrow floats are reduced in f32 and converted once, as the reference does it. argmax and argmin are made of
reductions that XLA:CPU turns into vector code; its reduction of (value, position) pairs is a scalar loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_ir import DType, dtypes
from treadle_ir.dtypes import greatest, least
from treadle_ir.primitives.reduce import (
    Argmax,
    Argmin,
    ReduceAdd,
    ReduceAnd,
    ReduceMaximum,
    ReduceMinimum,
    ReduceMultiply,
    ReduceOr,
    ReduceXor,
    Reduction,
)

_F32: Final = np.dtype(np.float32)
_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)


def wide(dtype: DType) -> DType:
    """The element type to compute in: f32 for narrower floats, i32 for 4-bit integers, else the same."""
    if dtypes.is_floating(dtype):
        return _F32 if dtype.itemsize < 4 else dtype
    return _I32 if dtypes.is_integer(dtype) and dtype.kind not in "iu" else dtype


def _reduced(
    context: LoweringContext, primitive: Reduction, op: str, x: HloValue, identity: object
) -> list[HloValue]:
    result = emit.reduce(context, op, x, identity, primitive.axes)
    type = emit.result_type(context)
    return [emit.convert(context, result, type.dtype)]


@lowering_rule(ReduceAdd)
def reduce_add_lowering(
    context: LoweringContext, primitive: ReduceAdd, x: HloValue
) -> Sequence[HloValue]:
    """A reduction in the wide type."""
    return _reduced(context, primitive, "add", emit.convert(context, x, wide(x.dtype)), 0)


@lowering_rule(ReduceMultiply)
def reduce_multiply_lowering(
    context: LoweringContext, primitive: ReduceMultiply, x: HloValue
) -> Sequence[HloValue]:
    """A reduction in the wide type."""
    return _reduced(context, primitive, "multiply", emit.convert(context, x, wide(x.dtype)), 1)


def _extreme(
    context: LoweringContext, op: str, identity: object, x: HloValue, axes: Sequence[int]
) -> HloValue:
    """A reduction by maximum or minimum, NaN where there is one.

    XLA:CPU of jaxlib 0.10 hands reductions to YNNPACK, whose maximum passes over NaN, so NaN is looked for apart:
    a sum of squares is NaN if and only if a term is, since infinities cannot cancel, and YNNPACK squares as it adds.
    1e6 f32 take 0.14 to 0.17 ms and compile in 40 ms; a search by `x != x` took 0.3 and 90, XLA's own maximum takes
    0.4, and the wrong one 0.07 and 15. May go when test_nan_is_the_maximum_of_every_shape passes without it on all
    releases of jaxlib in our window.
    """
    result = emit.reduce(context, op, x, identity, axes)
    if context.platform != "cpu" or not dtypes.is_floating(x.dtype):
        return result
    size = emit.reduce(context, "add", emit.binary(context, "multiply", x, x), 0, axes)
    nan = emit.compare(context, size, size, "ne")
    return emit.select(context, nan, emit.like(context, result, np.nan), result)


@lowering_rule(ReduceMaximum)
def reduce_maximum_lowering(
    context: LoweringContext, primitive: ReduceMaximum, x: HloValue
) -> Sequence[HloValue]:
    """A reduction."""
    return [_extreme(context, "maximum", least(x.dtype), x, primitive.axes)]


@lowering_rule(ReduceMinimum)
def reduce_minimum_lowering(
    context: LoweringContext, primitive: ReduceMinimum, x: HloValue
) -> Sequence[HloValue]:
    """A reduction."""
    return [_extreme(context, "minimum", greatest(x.dtype), x, primitive.axes)]


@lowering_rule(ReduceAnd)
def reduce_and_lowering(
    context: LoweringContext, primitive: ReduceAnd, x: HloValue
) -> Sequence[HloValue]:
    """A reduction that starts with all bits."""
    minus_one: object = np.asarray(-1, np.int8).astype(x.dtype)
    ones = minus_one if dtypes.is_signed(x.dtype) else greatest(x.dtype)
    return _reduced(context, primitive, "and", x, ones)


@lowering_rule(ReduceOr)
def reduce_or_lowering(
    context: LoweringContext, primitive: ReduceOr, x: HloValue
) -> Sequence[HloValue]:
    """A reduction."""
    return _reduced(context, primitive, "or", x, 0)


@lowering_rule(ReduceXor)
def reduce_xor_lowering(
    context: LoweringContext, primitive: ReduceXor, x: HloValue
) -> Sequence[HloValue]:
    """A reduction."""
    return _reduced(context, primitive, "xor", x, 0)


@lowering_rule(Argmax)
def argmax_lowering(context: LoweringContext, primitive: Argmax, x: HloValue) -> Sequence[HloValue]:
    """The first place of the maximum, or of NaN."""
    found = _first_extreme(context, "maximum", least(x.dtype), x, primitive.axis)
    return [emit.convert(context, found, primitive.dtype)]


@lowering_rule(Argmin)
def argmin_lowering(context: LoweringContext, primitive: Argmin, x: HloValue) -> Sequence[HloValue]:
    """The first place of the minimum, or of NaN."""
    found = _first_extreme(context, "minimum", greatest(x.dtype), x, primitive.axis)
    return [emit.convert(context, found, primitive.dtype)]


def _first_extreme(
    context: LoweringContext, op: str, identity: object, x: HloValue, axis: int
) -> HloValue:
    """Reduce to the extreme of the numbers, then to the least position that has it.

    Positions of NaN count from minus the size, so they are below all others and the first of them wins, whether
    or not the extreme is NaN itself (see `_extreme`).
    """
    size = x.shape[axis]
    index = _I32 if size <= np.iinfo(_I32).max else _I64
    extreme = emit.reduce(context, op, x, identity, [axis])
    kept = [i for i in range(len(x.shape)) if i != axis]
    hit = emit.compare(context, x, emit.broadcast(context, extreme, x.shape, kept), "eq")
    places = emit.iota(context, x.shape, index, axis)
    beyond = np.iinfo(index).max
    chosen = emit.select(context, hit, places, emit.like(context, places, beyond))
    if not dtypes.is_floating(x.dtype):
        return emit.reduce(context, "minimum", chosen, beyond, [axis])
    below = emit.binary(context, "subtract", places, emit.like(context, places, size))
    chosen = emit.select(context, emit.compare(context, x, x, "ne"), below, chosen)
    found = emit.reduce(context, "minimum", chosen, beyond, [axis])
    negative = emit.compare(context, found, emit.like(context, found, 0), "lt")
    moved = emit.binary(context, "add", found, emit.like(context, found, size))
    return emit.select(context, negative, moved, found)
