"""Compiled agrees with the reference evaluator."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from conformance.cases import examples
from conformance.xla_runner import run_text
from treadle_compiler import lower_program, lowering_rules
from treadle_ir import Elementwise, Operand, Primitive, bind, dtypes, ops, stage, type_of
from treadle_ir.testing.compare import assert_close, magnitude
from treadle_ir.testing.examples import Example

# How far XLA on the CPU may be from the reference, in units in the last place, where it is not 8.
ULPS: Final[dict[str, float]] = {"lgamma": 16.0}
_DEFAULT: Final = 8.0
# Functions whose zeros XLA meets with the rounding error of the terms that cancel there: measured at this size.
SCALE: Final[dict[str, float]] = {"digamma": 1.0, "lgamma": 1.0}
_UNREADABLE: Final = frozenset(dtypes.BY_NAME[name] for name in ("bf16", "f8e4m3fn", "f8e5m2"))


def _is_lowered(example: Example) -> bool:
    return lowering_rules.status(type(example.primitive)) != "absent"


@pytest.mark.xla
@pytest.mark.parametrize("example", examples(_is_lowered))
def test_compiled_agrees_with_reference(example: Example) -> None:
    operands = example.operands()
    expected = [np.asarray(result) for result in bind(example.primitive, *operands)]
    program = stage(
        lambda *xs: [_readable(y) for y in bind(example.primitive, *xs)], *example.types
    ).program
    lowered = lower_program(program, platform="cpu")
    actual = run_text(lowered.text, operands, program.result_types, lowered.callbacks)
    ulps = ULPS.get(example.primitive.name, _DEFAULT)
    for x, y in zip(actual, expected, strict=True):
        read = x.view(y.dtype) if y.dtype in _UNREADABLE else x
        assert_close(read, y, ulps=ulps, scale=_scale(example.primitive, y), what=example.id)


def _readable(result: Operand) -> Operand:
    # jaxlib hands out only element types that NumPy has: read the bits of the others.
    if type_of(result).dtype not in _UNREADABLE:
        return result
    return ops.bitcast_convert(result, dtype=np.dtype(f"u{type_of(result).dtype.itemsize}"))


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
    first, second = [lower_program(program, platform="cpu").text for program in programs]
    assert first == second
