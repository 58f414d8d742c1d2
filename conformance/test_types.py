"""infer agrees with what the reference evaluator returns, and staging with both."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from conformance.cases import examples
from conformance.strategies import anything, drawings, examples_of
from conformance.variants import variant_keys, variants
from treadle_ir import ArrayType, Primitive, bind, interpret, stage, type_of
from treadle_ir.reference import eval_rules
from treadle_ir.testing.examples import Example

pytestmark = pytest.mark.programs


@pytest.mark.parametrize("example", examples())
def test_operands_have_the_types_of_the_example(example: Example) -> None:
    operands = example.operands()
    assert [type_of(x).strong() for x in operands] == [type.strong() for type in example.types]


@pytest.mark.parametrize("example", examples())
def test_kernel_returns_what_infer_says(example: Example) -> None:
    check_kernel(example)


@pytest.mark.parametrize(("cls", "name"), variant_keys())
def test_kernel_returns_what_infer_says_in_every_element_type(
    cls: type[Primitive], name: str
) -> None:
    for example in variants()[cls, name]:
        check_kernel(example)


@pytest.mark.parametrize(("cls", "count"), anything(8))
def test_kernel_returns_what_infer_says_of_anything(cls: type[Primitive], count: int) -> None:
    """Other attributes, shapes and element types than the examples have; staged, too, which prints and parses them."""

    @drawings(count)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        example = data.draw(examples_of(cls))
        check_kernel(example)
        check_staged(example)

    holds()


def check_kernel(example: Example) -> None:
    """The kernel's results have the types that infer says, and it leaves its operands as they are."""
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
    check_staged(example)


def check_staged(example: Example) -> None:
    """The staged program returns the types that infer says, and computes what the operation does."""
    operands = example.operands()
    staged = stage(lambda *xs: bind(example.primitive, *xs), *example.types)
    assert staged.program.result_types == example.primitive.infer(*example.types)
    expected = bind(example.primitive, *operands)
    for actual, wanted in zip(interpret(staged.program, *operands), expected, strict=True):
        assert np.asarray(actual).tobytes() == np.asarray(wanted).tobytes()
