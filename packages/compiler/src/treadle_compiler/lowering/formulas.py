"""Special functions that are computed by formulas: staged once for each type, and emitted as nested programs.

On the CPU all are computed in float64, as by the reference evaluator, and rounded once; elsewhere, where float64 is
slow, results of f32 and narrower are computed in float32.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.decompositions.staged import program_of
from treadle_compiler.registry import lowering_rules
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, Primitive
from treadle_ir.formulas import PRIMITIVES, formula_of

_F32: Final = np.dtype(np.float32)
_F64: Final = np.dtype(np.float64)


def _formula_lowering(
    context: LoweringContext, primitive: Primitive, /, *operands: HloValue
) -> HloValues:
    type = emit.result_type(context)
    wide = _F64 if context.platform == "cpu" or type.dtype == _F64 else _F32
    computed = ArrayType(type.shape, wide)
    converted = [
        context.broadcast_scalar(emit.convert(context, x, wide), computed) for x in operands
    ]
    rounded = wide == _F64 != type.dtype
    program = program_of(formula_of(primitive), len(operands), computed, rounded)
    (result,) = context.program(context.legalised(program), *converted)
    return [emit.convert(context, result, type.dtype)]


for _primitive in PRIMITIVES:
    lowering_rules.register(_primitive, _formula_lowering)
