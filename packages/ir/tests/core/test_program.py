"""Programs with operations on their results."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ArrayType, interpret, ops, stage
from treadle_ir.analysis.verifier import verify
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.memory import ToMemory

ROW = ArrayType((3,), np.dtype("f4"))
X = np.arange(3, dtype=np.float32)


def test_an_operation_on_some_results() -> None:
    program = stage(lambda x: [ops.tanh(x), x, x], ROW).program
    wide = Convert(np.dtype("f8"))
    made = program.then([None, wide, ToMemory("pinned_host")])
    verify(made)
    assert [str(type) for type in made.result_types] == ["f32[3]", "f64[3]", "f32[3]"]
    assert made.parameters == program.parameters
    first, second, third = interpret(made, X)
    np.testing.assert_array_equal(first, np.tanh(X))
    np.testing.assert_array_equal(second, X.astype(np.float64))
    np.testing.assert_array_equal(third, X)


def test_no_operation_makes_no_program() -> None:
    program = stage(lambda x: [x], ROW).program
    assert program.then([None]) is program
    with pytest.raises(ValueError, match="argument"):
        program.then([])
