"""NumPy kernels of special functions: their formulas, in float64."""

from __future__ import annotations

import numpy as np

from treadle_ir.formulas.host import Formula, evaluated
from treadle_ir.formulas.table import FORMULAS
from treadle_ir.primitive import Primitive
from treadle_ir.reference.registry import Elements, eval_rules


def _register(primitive: type[Primitive], formula: Formula) -> None:
    def rule(primitive: Primitive, /, *operands: Elements) -> list[Elements]:
        wide = [x.astype(np.float64) for x in operands]
        return [evaluated(formula, *wide).astype(operands[0].dtype, copy=False)]

    eval_rules.register(primitive, rule)


for _primitive, _formula in FORMULAS.items():
    _register(_primitive, _formula)
