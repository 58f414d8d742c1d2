"""A few columns set side by side on the CPU: chosen by position, not copied.

XLA:CPU joins arrays with a loop for each, and one whose runs are a single element long writes with gaps. That each
element is one of a few, chosen by its position, is one loop without gaps: half the time from 2 to 8 columns, and a
third where they are computed in it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.lowering.shape import concatenate_lowering
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.shape import Concatenate

LEAST_SIZE: Final = 1 << 14
"""With fewer elements, the launch takes longer than the loop."""
MOST: Final = 8
_I32: Final = np.dtype(np.int32)


@lowering_rule(Concatenate, platform="cpu")
def concatenate_cpu_lowering(
    context: LoweringContext, primitive: Concatenate, *operands: HloValue
) -> HloValues:
    """Selects for a few columns, the usual operation otherwise."""
    type = emit.result_type(context)
    along, count = primitive.dimension, len(operands)
    are_columns = along == len(type.shape) - 1 and type.shape[along] == count
    if not are_columns or not 2 <= count <= MOST or type.size < LEAST_SIZE:
        return concatenate_lowering(context, primitive, *operands)
    place = emit.iota(context, type.shape, _I32, along)
    axes = range(len(type.shape))
    *before, result = [emit.broadcast(context, x, type.shape, axes) for x in operands]
    for k, column in reversed([*enumerate(before)]):
        here = emit.compare(context, place, emit.like(context, place, k), "eq")
        result = emit.select(context, here, column, result)
    return [result]
