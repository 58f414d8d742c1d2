"""Operands of staged derivatives."""

from __future__ import annotations

import numpy as np

from treadle_autodiff.programs import strong
from treadle_ir import ArrayType, stage


def test_strong_operands() -> None:
    f32 = np.dtype(np.float32)
    for type in (ArrayType((2,), f32, weak=True), ArrayType((2,), f32)):
        program = stage(lambda x: [strong(x)], type).program
        assert program.result_types == (ArrayType((2,), f32),)
