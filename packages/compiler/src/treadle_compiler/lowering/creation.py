"""StableHLO of creation."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_ir.primitives.creation import Iota


@lowering_rule(Iota)
def iota_lowering(context: LoweringContext, primitive: Iota) -> Sequence[HloValue]:
    """StableHLO's iota."""
    dimension = {"iota_dimension": f"{primitive.dimension} : i64"}
    return context.emit("stablehlo.iota", (), context.result_types, dimension)
