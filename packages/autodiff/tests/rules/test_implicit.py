"""Rules of linear equations, asked directly."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_autodiff import transpose_rules
from treadle_autodiff.tangents import Linear
from treadle_ir import ArrayType, MissingRuleError, ops, stage
from treadle_ir.primitives.implicit import LinearSolve

F32 = ArrayType((), np.dtype(np.float32))
ONE = np.float32(1)


def test_an_equation_is_not_linear_in_its_constants() -> None:
    matvec = stage(lambda a, x: [ops.multiply(a, x)], F32, F32).program
    solve = stage(lambda a, b: [ops.divide(b, a)], F32, F32).program
    primitive = LinearSolve(matvec, solve, None, 1, True)
    rule = transpose_rules[primitive]
    known, found = rule(primitive, [ONE], [np.float32(2), Linear(F32)])
    assert known is None
    assert np.asarray(found) == 0.5
    with pytest.raises(MissingRuleError, match="linear_solve"):
        rule(primitive, [ONE], [Linear(F32), Linear(F32)])
