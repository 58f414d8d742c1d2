"""Each operation that gives no derivative declares why, and no other does: the jvp rules compared with `why_flat`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from conformance.cases import examples, inexact
from conformance.test_wrong_rules import wrong
from treadle_autodiff import Tangent, Zero, jvp_rules, why_flat
from treadle_ir import ArrayType, ReferenceEvaluator, evaluating, type_of
from treadle_ir.primitives.elementwise import Floor, Sine
from treadle_ir.testing.examples import Example, all_examples


def _differentiates(example: Example) -> bool:
    """Return whether the operation has a jvp rule of its own, and operands with tangents."""
    primitive = example.primitive
    has_rule = jvp_rules.status(type(primitive)) in ("rule", "family")
    return has_rule and not primitive.programs() and any(map(inexact, example.types))


def _has_elements(example: Example) -> bool:
    """Return whether no operand and no result is empty: of nothing, all tangents are zero."""
    types = (*example.types, *example.primitive.infer(*example.types))
    return all(type.size > 0 for type in types if isinstance(type, ArrayType))


def _gives_only_zeros(example: Example, place: int) -> bool:
    """Return whether the jvp rule gives only zeros for a tangent of one operand."""
    operands = example.operands()
    types = [type_of(operand) for operand in operands]
    tangents: list[Tangent] = [Zero(type.tangent()) for type in types]
    tangents[place] = np.ones(types[place].shape, types[place].dtype)
    with evaluating(ReferenceEvaluator()):
        _, found = jvp_rules[example.primitive](example.primitive, operands, tangents)
    return all(isinstance(tangent, Zero) for tangent in found)


def _places(example: Example) -> Iterator[int]:
    """Yield the operands with tangents."""
    for place, type in enumerate(example.types):
        if inexact(type):
            yield place


def _law(example: Example) -> None:
    for place in _places(example):
        declared = why_flat(example.primitive, place, type_of(example.operands()[place]))
        zeros = _gives_only_zeros(example, place)
        name = example.primitive.name
        assert zeros or declared is None, f"{name}: operand {place} is declared flat: {declared}"
        assert not zeros or declared is not None, (
            f"{name}: the jvp rule gives only zeros for operand {place}; declare why with `flat`"
        )


@pytest.mark.parametrize(
    "example", examples(lambda each: _differentiates(each) and _has_elements(each))
)
def test_a_rule_that_gives_only_zeros_has_a_reason_and_no_other(example: Example) -> None:
    _law(example)


def test_a_rule_without_a_reason_is_found() -> None:
    sine = next(each for each in _examples_of("sine"))
    with wrong(jvp_rules, Sine, _to_zeros), pytest.raises(AssertionError, match="declare why"):
        _law(sine)


def test_a_reason_without_such_a_rule_is_found() -> None:
    floor = next(each for each in _examples_of("floor"))
    with wrong(jvp_rules, Floor, _to_ones), pytest.raises(AssertionError, match="declared flat"):
        _law(floor)


def _examples_of(name: str) -> Iterator[Example]:
    """Yield the examples of an operation that the law is about."""
    for each in all_examples():
        if each.primitive.name == name and _differentiates(each) and _has_elements(each):
            yield each


def _to_zeros(rule: Any, primitive: Any, primals: Any, tangents: Any) -> Any:
    """Apply a rule and return zeros in the place of its tangents. Any: as rules are called."""
    results, _ = rule(primitive, primals, tangents)
    return results, [Zero(type_of(result).tangent()) for result in results]


def _to_ones(rule: Any, primitive: Any, primals: Any, tangents: Any) -> Any:
    """Apply a rule and return ones in the place of its tangents. Any: as rules are called."""
    results, _ = rule(primitive, primals, tangents)
    return results, [np.ones(result.shape, result.dtype) for result in results]
