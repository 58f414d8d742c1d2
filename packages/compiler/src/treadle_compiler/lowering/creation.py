"""StableHLO of creation."""

from __future__ import annotations

import numpy as np

from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValues
from treadle_ir import ArrayType
from treadle_ir.primitives.creation import DimensionSize, Iota


@lowering_rule(Iota)
def iota_lowering(context: LoweringContext, primitive: Iota) -> HloValues:
    """StableHLO's iota."""
    dimension = {"iota_dimension": f"{primitive.dimension} : i64"}
    return context.emit("stablehlo.iota", (), context.result_types, dimension)


@lowering_rule(DimensionSize)
def dimension_size_lowering(context: LoweringContext, primitive: DimensionSize) -> HloValues:
    """A constant, once the size is known."""
    type = ArrayType((), primitive.dtype, weak=True)
    return [context.constant(np.asarray(primitive.known(), primitive.dtype), type)]
