"""Slopes through programs: which parameters reach the results, and which operations cut their ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treadle_autodiff import Flat
from treadle_insight.slopes import Slopes
from treadle_ir import ArrayType, Operand, Operands, Program, ops, stage

_SCALAR = ArrayType((), np.dtype(np.float32))


def program(function: Callable[..., Operands], count: int = 1) -> Program:
    return stage(function, *[_SCALAR] * count).program


def reasons(slopes: Slopes, number: int = 0) -> list[tuple[str, Flat | None]]:
    return [(cut.equation.primitive.name, cut.reason) for cut in slopes.lost(number)]


def test_a_smooth_way_has_a_slope() -> None:
    slopes = Slopes(program(lambda x: [ops.sine(x)]), [0])
    assert slopes.results[0].slope == 1
    assert not reasons(slopes)


def test_a_flat_operation_cuts_the_way() -> None:
    slopes = Slopes(program(lambda x: [ops.sine(ops.floor(x))]), [0])
    assert slopes.results[0].slope == 0
    assert reasons(slopes) == [("floor", Flat.ROUNDING)]


def test_each_operand_has_its_own_way() -> None:
    slopes = Slopes(program(lambda x, y: [ops.multiply(ops.floor(x), y)], 2), [0, 1])
    assert slopes.results[0].slope == 2
    assert reasons(slopes, 0) == [("floor", Flat.ROUNDING)]
    assert not reasons(slopes, 1)


def test_a_cut_that_does_not_reach_the_result_is_not_named() -> None:
    def function(x: Operand) -> Operands:
        ops.floor(x)
        return [ops.stop_gradient(x)]

    assert reasons(Slopes(program(function), [0])) == [("stop_gradient", Flat.ASKED)]


def test_integers_have_no_slope() -> None:
    whole = np.dtype(np.int32)
    slopes = Slopes(program(lambda x: [ops.convert(x, dtype=whole)]), [0])
    assert reasons(slopes) == [("convert", Flat.INTEGER)]


def test_the_choice_of_a_select_is_a_part_of_the_result() -> None:
    def function(x: Operand) -> Operands:
        return [
            ops.select(ops.compare(x, np.float32(0), direction="gt"), np.float32(1), np.float32(0))
        ]

    assert reasons(Slopes(program(function), [0])) == [("compare", Flat.COMPARISON)]


def test_an_unused_parameter_is_made_into_nothing() -> None:
    slopes = Slopes(program(lambda x, y: [ops.sine(x)], 2), [0, 1])
    assert slopes.results[0].made_from & 2 == 0


def test_a_long_program_needs_no_recursion() -> None:
    def function(x: Operand) -> Operands:
        for _ in range(3000):
            x = ops.sine(x)
        return [x]

    assert Slopes(program(function), [0]).results[0].slope == 1
