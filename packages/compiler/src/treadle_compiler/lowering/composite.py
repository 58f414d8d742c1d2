"""Lowering of composites, to StableHLO's, and of the platform's index, a constant."""

from __future__ import annotations

import numpy as np

from treadle_compiler import emit
from treadle_compiler.attributes import attribute_text
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import string_text
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import UnsupportedError
from treadle_ir.primitives.composite import Composite, PlatformIndex
from treadle_ir.process import deeper


@lowering_rule(Composite)
def composite_lowering(
    context: LoweringContext, primitive: Composite, /, *operands: HloValue
) -> HloValues:
    """A composite whose decomposition is the program's function."""
    with deeper():
        function = context.function(primitive.program)
    attributes = {
        "name": string_text(primitive.label),
        "composite_attributes": attribute_text("composite", dict(primitive.settings)),
        "decomposition": function,
        "version": f"{primitive.version} : i32",
    }
    return context.emit("stablehlo.composite", operands, context.result_types, attributes)


@lowering_rule(PlatformIndex)
def platform_index_lowering(context: LoweringContext, primitive: PlatformIndex, /) -> HloValues:
    """The place of the platform that this is lowered for.

    Raises:
        UnsupportedError: it is none of them, and there is nothing for others.
    """
    platforms = primitive.platforms
    known = context.platform in platforms
    if not known and not primitive.or_others:
        raise UnsupportedError(
            f"platform_dependent: this runs on {context.platform}, none of {', '.join(platforms)}, "
            "and there is no default",
            fix="give a function for this platform, or a default",
        )
    place = platforms.index(context.platform) if known else len(platforms)
    return [emit.scalar(context, place, np.dtype(np.int32))]
