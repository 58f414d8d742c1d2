"""The shape of the text; that it computes what it should is conformance's business."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler import lower_program
from treadle_compiler.context import MOST_REGIONS, NestingError
from treadle_ir import Primitive, bind, ops, stage
from treadle_ir.core import Callback, OrderedCallback
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.effectful import HostFunction, IoCallback
from treadle_ir.testing.examples import array_type

F = array_type("f32[]")
SINE = stage(lambda x: [ops.sine(x)], F).program
TWICE = stage(lambda x: [ops.add(x, x)], F).program
SMALL = stage(lambda x: [ops.compare(x, ops.cosine(x), direction="lt")], F).program
TURN = stage(lambda c, x: [ops.sine(ops.add(c, x)), c], F, F).program


def text_of(primitive: Primitive, *types: str) -> str:
    program = stage(lambda *xs: bind(primitive, *xs), *map(array_type, types)).program
    return lower_program(program).text


def test_one_branch_is_no_choice() -> None:
    text = text_of(Case((SINE,)), "i32[]", "f32[]")
    assert "stablehlo.sine" in text
    assert "stablehlo.if" not in text
    assert "stablehlo.case" not in text


def test_two_branches_are_an_if() -> None:
    text = text_of(Case((SINE, TWICE)), "i32[]", "f32[]")
    assert text.count('"stablehlo.if"') == 1
    # The first region runs where the index is above 0: branch 1.
    assert text.index("stablehlo.add") < text.index("stablehlo.sine")


def test_more_branches_are_a_case() -> None:
    text = text_of(Case((SINE, TWICE, SINE)), "i32[]", "f32[]")
    assert text.count('"stablehlo.case"') == 1
    assert (
        text.count('"stablehlo.maximum"') == 1
    )  # StableHLO takes the last branch for a negative index


def test_bounded_loops_count() -> None:
    assert "stablehlo.add" not in text_of(While(SMALL, SINE), "f32[]")
    assert "stablehlo.add" in text_of(While(SMALL, SINE, trip_bound=3), "f32[]")


def test_the_text_of_a_scan_does_not_grow_with_its_length() -> None:
    sizes = [
        len(text_of(Scan(TURN, length, 0, 1), "f32[]", f"f32[{length}]").splitlines())
        for length in (10, 5000)
    ]
    assert sizes[0] == sizes[1] < 40


@pytest.mark.parametrize(
    ("length", "unroll", "loops", "iterations"),
    [
        (5, 1, 1, 1),
        (5, 2, 1, 3),
        (6, 3, 1, 3),
        (5, 5, 0, 5),
        (5, 9, 0, 5),
        (1, 1, 0, 1),
        (0, 1, 0, 0),
    ],
)
def test_iterations_that_are_written_out(
    length: int, unroll: int, loops: int, iterations: int
) -> None:
    text = text_of(Scan(TURN, length, 0, 1, False, unroll), "f32[]", f"f32[{length}]")
    assert text.count('"stablehlo.while"') == loops
    assert text.count('"stablehlo.sine"') == iterations


def test_ordered_callbacks_in_a_loop_are_chained_through_it() -> None:
    types = (array_type("f32[]"),)
    call = IoCallback(HostFunction(lambda x: x, types), True)
    body = stage(lambda x: bind(call, x), F).program
    assert any(effect.ordered for effect in body.effects)
    text = text_of(Scan(body, 5, 0, 1), "f32[]")
    end = [line for line in text.splitlines() if line.startswith("})")][-1]
    assert "!stablehlo.token" in end


def test_unordered_callbacks_need_no_chain() -> None:
    types = (array_type("f32[]"),)
    call = IoCallback(HostFunction(lambda x: x, types), False)
    body = stage(lambda x: bind(call, x), F).program
    assert body.effects == frozenset({Callback()})
    assert OrderedCallback() not in body.effects
    assert "!stablehlo.token" not in text_of(Scan(body, 5, 0, 1), "f32[]")


def test_loops_deeper_than_xla_survives_are_refused() -> None:
    below = stage(lambda x: [ops.compare(x, np.float32(1), direction="lt")], F).program
    program = stage(lambda x: [ops.add(x, np.float32(1))], F).program
    for depth in range(MOST_REGIONS + 1):
        if depth == MOST_REGIONS:
            lower_program(program)
        program = stage(lambda x, inner=program: bind(While(below, inner), x), F).program
    with pytest.raises(NestingError, match="more than 200 deep") as caught:
        lower_program(program)
    assert len(caught.value.__notes__) < 8
