"""Lowering of pivots to permutations: one exchange after the other, in a loop, or by the kernel of CUDA's plugin."""

from __future__ import annotations

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.primitives.linear_algebra import LuPivotsToPermutation

_I32 = np.dtype(np.int32)


def permutation_of(context: LoweringContext, pivots: HloValue, size: int) -> HloValue:
    """The permutation that exchanges leave of so many rows."""
    *batch, steps = pivots.shape
    shape = (*batch, size)
    axis = len(batch)
    empty = steps == 0 or 0 in shape
    if context.platform == "cuda" and pivots.dtype == _I32 and not empty:
        attributes = {
            "call_target_name": '"cu_lu_pivots_to_permutation"',
            "api_version": "4 : i32",
            "backend_config": "{}",
        }
        type = ArrayType(shape, _I32)
        return context.one("stablehlo.custom_call", (pivots,), type, attributes)
    first = emit.iota(context, shape, pivots.dtype, axis)
    if empty:
        return first
    places = emit.iota(context, shape, _I32, axis)
    last = emit.like(context, pivots, size - 1)
    within = emit.binary(context, "minimum", pivots, last)
    within = emit.binary(context, "maximum", within, emit.like(context, pivots, 0))
    within = emit.convert(context, within, _I32)
    zero = emit.scalar(context, 0, _I32)

    def step(carry: HloValues) -> list[HloValue]:
        i, rows = carry
        starts = [*[zero] * axis, i]
        pivot = emit.dynamic_slice(context, within, starts, (*batch, 1))
        mine = emit.dynamic_slice(context, rows, starts, (*batch, 1))
        if not batch:
            place = [emit.reshape(context, pivot, ())]
            other = emit.dynamic_slice(context, rows, place, (1,))
            # Added to a start, what is 0, and XLA does not know, has both read before one is written: then it
            # writes in place, and copies all rows in each step otherwise.
            nothing = emit.binary(context, "minimum", mine, emit.like(context, mine, 0))
            nothing = emit.convert(context, emit.reshape(context, nothing, ()), _I32)
            start = emit.binary(context, "add", i, nothing)
            moved = emit.dynamic_update_slice(context, rows, other, [start])
            moved = emit.dynamic_update_slice(context, moved, mine, place)
        else:
            at_pivot = emit.compare(context, places, _spread(context, pivot, shape), "eq")
            chosen = emit.select(context, at_pivot, rows, emit.like(context, rows, 0))
            other = emit.reduce(context, "add", chosen, 0, (axis,))
            other = emit.reshape(context, other, (*batch, 1))
            here = emit.compare(context, places, emit.broadcast(context, i, shape, ()), "eq")
            moved = emit.select(context, at_pivot, _spread(context, mine, shape), rows)
            moved = emit.select(context, here, _spread(context, other, shape), moved)
        return [emit.binary(context, "add", i, emit.scalar(context, 1, _I32)), moved]

    def more(carry: HloValues) -> HloValue:
        return emit.compare(context, carry[0], emit.scalar(context, steps, _I32), "lt")

    return emit.while_loop(context, [zero, first], more, step)[1]


def _spread(context: LoweringContext, x: HloValue, shape: tuple[int, ...]) -> HloValue:
    return emit.broadcast(context, x, shape, range(len(shape)))


@lowering_rule(LuPivotsToPermutation)
def lu_pivots_to_permutation_lowering(
    context: LoweringContext, primitive: LuPivotsToPermutation, pivots: HloValue
) -> HloValues:
    """The permutation of the rows that the pivots name, and of those that they do not."""
    return [permutation_of(context, pivots, primitive.permutation_size)]
