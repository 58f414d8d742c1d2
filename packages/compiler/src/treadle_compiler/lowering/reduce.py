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
from treadle_ir.reference.reduce import greatest, least

_F32: Final = np.dtype(np.float32)
_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)


def wide(dtype: DType) -> DType:
    """The element type to add and multiply in."""
    return _F32 if dtypes.is_floating(dtype) and dtype.itemsize < 4 else dtype


def _reduced(
    context: LoweringContext, primitive: Reduction, op: str, x: HloValue, identity: object
) -> list[HloValue]:
    result = emit.reduce(context, op, x, identity, primitive.axes)
    return [emit.convert(context, result, emit.same(HloValue("", context.result_types[0])).dtype)]


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


@lowering_rule(ReduceMaximum)
def reduce_maximum_lowering(
    context: LoweringContext, primitive: ReduceMaximum, x: HloValue
) -> Sequence[HloValue]:
    """A reduction."""
    return _reduced(context, primitive, "maximum", x, least(x.dtype))


@lowering_rule(ReduceMinimum)
def reduce_minimum_lowering(
    context: LoweringContext, primitive: ReduceMinimum, x: HloValue
) -> Sequence[HloValue]:
    """A reduction."""
    return _reduced(context, primitive, "minimum", x, greatest(x.dtype))


@lowering_rule(ReduceAnd)
def reduce_and_lowering(
    context: LoweringContext, primitive: ReduceAnd, x: HloValue
) -> Sequence[HloValue]:
    """A reduction that starts with all bits."""
    ones = greatest(x.dtype)
    if dtypes.is_signed(x.dtype):
        ones = np.asarray(-1).astype(x.dtype)[()]
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
    """Reduce to the extreme, which is NaN if there is one, then to the least position that has it."""
    extreme = emit.reduce(context, op, x, identity, [axis])
    kept = [i for i in range(len(x.shape)) if i != axis]
    spread = emit.broadcast(context, extreme, x.shape, kept)
    hit = emit.compare(context, x, spread, "EQ")
    if dtypes.is_floating(x.dtype):
        hit = emit.binary(context, "or", hit, emit.compare(context, x, x, "NE"))
    index = _I32 if x.shape[axis] <= np.iinfo(_I32).max else _I64
    places = emit.iota(context, x.shape, index, axis)
    beyond = emit.like(context, places, np.iinfo(index).max)
    chosen = emit.select(context, hit, places, beyond)
    return emit.reduce(context, "minimum", chosen, np.iinfo(index).max, [axis])
