"""Lowering of Fourier transforms."""

from __future__ import annotations

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import i64_array
from treadle_compiler.value import HloValue, HloValues
from treadle_ir.primitives.fourier import Fft


@lowering_rule(Fft)
def fft_lowering(context: LoweringContext, primitive: Fft, x: HloValue) -> HloValues:
    """One operation; zeros where there is nothing to transform."""
    type = emit.result_type(context)
    if 0 in x.shape:
        return [context.constant(0, type)]
    attributes = {
        "fft_type": f"#stablehlo<fft_type {primitive.kind.upper()}>",
        "fft_length": i64_array(primitive.lengths),
    }
    return [context.one("stablehlo.fft", (x,), type, attributes)]
