"""infer agrees with what the reference evaluator returns, and staging with both."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases import examples
from treadle_ir import ArrayType, bind, interpret, stage, type_of
from treadle_ir.reference import eval_rules
from treadle_ir.testing.examples import Example


@pytest.mark.parametrize("example", examples())
def test_operands_have_the_types_of_the_example(example: Example) -> None:
    operands = example.operands()
    assert [type_of(x).strong() for x in operands] == [type.strong() for type in example.types]


@pytest.mark.parametrize("example", examples())
def test_kernel_returns_what_infer_says(example: Example) -> None:
    operands = [np.asarray(x) for x in example.operands()]
    before = [x.copy() for x in operands]
    with np.errstate(all="ignore"):
        results = eval_rules[example.primitive](example.primitive, *operands)
    types = example.primitive.infer(*example.types)
    assert len(results) == len(types)
    for result, type in zip(results, types, strict=True):
        assert isinstance(type, ArrayType)
        assert (np.shape(result), np.asarray(result).dtype) == (type.shape, type.dtype)
    for x, y in zip(operands, before, strict=True):
        assert x.tobytes() == y.tobytes(), "the kernel wrote into its operand"


@pytest.mark.parametrize("example", examples())
def test_staged_program_computes_the_same(example: Example) -> None:
    operands = example.operands()
    staged = stage(lambda *xs: bind(example.primitive, *xs), *example.types)
    assert staged.program.result_types == example.primitive.infer(*example.types)
    expected = bind(example.primitive, *operands)
    for actual, wanted in zip(interpret(staged.program, *operands), expected, strict=True):
        assert np.asarray(actual).tobytes() == np.asarray(wanted).tobytes()
