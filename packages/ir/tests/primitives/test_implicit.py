from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType, Program, ShapeError, ops, stage
from treadle_ir.primitives.implicit import LinearSolve, Root

F64 = ArrayType((2,), np.dtype("f8"))
SHORT = ArrayType((1,), np.dtype("f8"))
SCALED = stage(lambda a, x: [ops.multiply(a, x)], F64, F64).program
BACK = stage(lambda a, b: [ops.divide(b, a), a], F64, F64).program
CUT = stage(lambda a, x: [ops.slice(x, start=(0,), limit=(1,), strides=(1,))], F64, F64).program
THREE = stage(lambda a, x, y: [ops.divide(y, a)], F64, F64, F64).program


def test_linear_solve_types() -> None:
    assert LinearSolve(SCALED, BACK, constants=1).infer(F64, F64) == (F64, F64)


@pytest.mark.parametrize(
    ("primitive", "message"),
    [
        (LinearSolve(SCALED, BACK, constants=3), "3 operands are constants"),  # C1
        (LinearSolve(THREE, BACK, constants=1), "`matvec` has 3"),  # C2
        (LinearSolve(CUT, BACK, constants=1), "`matvec`: result 0"),  # C3
        (LinearSolve(SCALED, CUT, constants=1), "`solve`: result 0"),  # C3
        (LinearSolve(SCALED, BACK, CUT, constants=1), "`transpose_solve`: result 0"),  # C3
        (LinearSolve(BACK, BACK, constants=1), "`matvec`: there are 2 results"),  # C3
    ],
)
def test_linear_solve_refuses(primitive: LinearSolve, message: str) -> None:
    with pytest.raises((ArgumentError, ShapeError), match=message):
        primitive.infer(F64, F64)


@pytest.mark.parametrize(
    ("programs", "message"),
    [
        ((SCALED, BACK, SCALED), "`tangent_solve` has 2"),  # C3
        ((CUT, BACK, THREE), "`function`: result 0"),  # C4
        ((SCALED, CUT, THREE), "`solve`: result 0"),  # C4
        ((BACK, BACK, THREE), "`function`: there are 2 results"),  # C4
    ],
)
def test_root_refuses(programs: tuple[Program, Program, Program], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        Root(*programs, constants=1).infer(F64, F64)
    with pytest.raises(ArgumentError, match="-1 operands are constants"):
        Root(*programs, constants=-1).infer(F64, F64)
