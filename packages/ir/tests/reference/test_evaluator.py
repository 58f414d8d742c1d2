from __future__ import annotations

import numpy as np
import pytest

from treadle_ir import ReferenceEvaluator, evaluating, interpret, ops, stage, type_of
from treadle_ir.errors import RangeError
from treadle_ir.settings import X64


@pytest.mark.parametrize("number", [True, 2, 0.5, 1j])
def test_pythons_numbers_are_as_wide_as_their_type(number: complex) -> None:
    with evaluating(ReferenceEvaluator()), X64.override(False):
        result = np.asarray(ops.copy(number))  # type: ignore[arg-type]  # users do pass them
        assert result.dtype == type_of(number).dtype
        assert result == number


def test_programs_take_pythons_numbers() -> None:
    with evaluating(ReferenceEvaluator()), X64.override(False):
        program = stage(lambda x: [ops.sine(x)], type_of(0.5)).program
        (result,) = interpret(program, 0.5)  # type: ignore[arg-type]
    assert np.asarray(result) == np.sin(np.float32(0.5))


def test_numbers_out_of_range_say_so() -> None:
    with evaluating(ReferenceEvaluator()), X64.override(False), pytest.raises(RangeError):
        ops.copy(2**40)  # type: ignore[arg-type]
