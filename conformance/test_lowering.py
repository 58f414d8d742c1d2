"""Compiled agrees with the reference evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pytest
from hypothesis import given, strategies as st

from conformance.cases import examples, program_text, together
from conformance.platform import PLATFORM, what_the_platform_has
from conformance.strategies import anything, drawings, examples_of
from conformance.variants import variant_keys, variants
from conformance.xla_runner import CARRIERS, UNREADABLE, carried, handed_out, received, run_text
from treadle_compiler import lower_program, lowering_rules
from treadle_ir import ArrayType, Elementwise, Operand, Primitive, bind, stage
from treadle_ir.core import LinearAlgebra
from treadle_ir.testing.compare import assert_close, magnitude
from treadle_ir.testing.examples import Example

# How far XLA on the CPU may be from the reference, in units in the last place, where it is not 8.
# Of spence either side is within 12 of mpmath, of igamma_grad_a within 18, of expn within 45
# (packages/ir/tests/formulas).
ULPS: Final[dict[str, float]] = {
    "lgamma": 16.0,
    "spence": 24.0,
    "igamma_grad_a": 36.0,
    "expn": 90.0,
}
_DEFAULT: Final = 8.0
_TOGETHER: Final = 4  # drawn examples compiled as one program
# Functions whose zeros XLA meets with the rounding error of the terms that cancel there: measured at this size.
SCALE: Final[dict[str, float]] = {"digamma": 1.0, "lgamma": 1.0}


def _is_lowered(example: Example) -> bool:
    return lowering_rules.status(type(example.primitive)) != "absent"


def _is_unique(example: Example) -> bool:
    """Factors and vectors are unique up to signs and phases at most: test_linear_algebra.py tries them."""
    return _is_lowered(example) and not isinstance(example.primitive, LinearAlgebra)


@pytest.mark.xla
@pytest.mark.parametrize("several", together(_is_unique, 16))
def test_compiled_agrees_with_reference(several: Sequence[Example]) -> None:
    """Up to 16 examples of an operation share a compilation."""
    check_compiled(several)


@pytest.mark.xla
@pytest.mark.parametrize(("cls", "name"), variant_keys(_is_unique))
def test_compiled_agrees_in_every_element_type(cls: type[Primitive], name: str) -> None:
    check_compiled(variants()[cls, name])


@pytest.mark.xla
@pytest.mark.parametrize(("cls", "count"), anything(8, _is_unique))
def test_compiled_agrees_on_anything(cls: type[Primitive], count: int) -> None:
    """Other attributes, shapes and element types than the examples have; several as one program."""

    @drawings(count // _TOGETHER)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        check_compiled([data.draw(examples_of(cls)) for _ in range(_TOGETHER)])

    holds()


def check_compiled(tried: Sequence[Example]) -> None:
    """Examples compiled as one program agree with the reference, each for itself."""
    operands = [[np.asarray(x) for x in example.operands()] for example in tried]

    def every(*given: Operand) -> list[Operand]:
        rest = iter(given)
        results: list[Operand] = []
        for example in tried:
            own = [received(next(rest), type.dtype) for type in example.types]
            results += [handed_out(y) for y in bind(example.primitive, *own)]
        return results

    passed = [carried(x) for own in operands for x in own]
    types = [ArrayType(x.shape, x.dtype) for x in passed]
    program = stage(every, *types).program
    with what_the_platform_has(tried[0].primitive.name):
        lowered = lower_program(program, platform=PLATFORM)
    actual = iter(run_text(lowered.text, passed, program.result_types, lowered.callbacks))
    for example, own in zip(tried, operands, strict=True):
        ulps = ULPS.get(example.primitive.name, _DEFAULT)
        for result in bind(example.primitive, *own):
            y = np.asarray(result)
            x = next(actual)
            read = x.view(y.dtype) if y.dtype in UNREADABLE else x
            read = read.astype(y.dtype) if y.dtype in CARRIERS else read
            try:
                assert_close(
                    read, y, ulps=ulps, scale=_scale(example.primitive, y), what=example.id
                )
            except AssertionError as error:
                error.add_note(f"operands: {own}")
                error.add_note(program_text(example))
                raise


def _scale(primitive: Primitive, expected: object) -> float:
    # Elementwise results stand for themselves; what adds up is as exact as its greatest element.
    if isinstance(primitive, Elementwise):
        return SCALE.get(primitive.name, 0.0)
    return magnitude(expected)


@pytest.mark.xla
@pytest.mark.parametrize("example", examples(_is_lowered))
def test_text_is_deterministic(example: Example) -> None:
    programs = [
        stage(lambda *xs: bind(example.primitive, *xs), *example.types).program for _ in range(2)
    ]
    with what_the_platform_has(example.primitive.name):
        first, second = [lower_program(program, platform=PLATFORM).text for program in programs]
    assert first == second
