"""The operation that a cumulative operation is lowered to."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_ir import ArrayType, ops, stage

OPERATIONS = {
    "cumulative_add": "add",
    "cumulative_multiply": "multiply",
    "cumulative_maximum": "maximum",
    "cumulative_minimum": "minimum",
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_elements_are_combined_by_the_operation_of_the_name(name: str) -> None:
    f32 = ArrayType((8,), np.dtype(np.float32))
    program = stage(lambda x: [getattr(ops, name)(x, axis=0)], f32).program
    text = lower_program(program).text
    # "add" counts positions in every one of them
    combined = {each for each in OPERATIONS.values() if f'"stablehlo.{each}"' in text}
    assert combined - {"add"} == {OPERATIONS[name]} - {"add"}
    assert OPERATIONS[name] in combined
