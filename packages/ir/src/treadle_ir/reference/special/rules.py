"""NumPy kernels of special functions: their formulas in float64, rounded once."""

from __future__ import annotations

import numpy as np

from treadle_ir.core.primitive import Primitive
from treadle_ir.formulas.table import PRIMITIVES, formula_of
from treadle_ir.reference.registry import Elements, eval_rules
from treadle_ir.reference.special.engine import evaluated


def _formula_eval(primitive: Primitive, /, *operands: Elements) -> list[Elements]:
    dtype = operands[0].dtype
    wide = [x.astype(np.float64) for x in operands]
    result = evaluated(formula_of(primitive), *wide, rounded=dtype.itemsize < 8)
    return [result.astype(dtype, copy=False)]


for _primitive in PRIMITIVES:
    eval_rules.register(_primitive, _formula_eval)
