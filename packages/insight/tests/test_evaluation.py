"""Programs evaluated one operation at a time."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_insight.evaluation import Run, first_element, quiet
from treadle_ir import ArrayType, Operand, Operands, Program, UnsupportedError, bind, ops, stage
from treadle_ir.primitives.control import Scan
from treadle_ir.primitives.effectful import debug_callback, io_callback

_SCALAR = ArrayType((), np.dtype(np.float32))


def _loop() -> Program:
    body = stage(lambda c: [ops.multiply(c, np.float32(2)), c], _SCALAR).program

    def function(x: Operand) -> Operands:
        return bind(Scan(body, 3, carries=1), x)

    return stage(function, _SCALAR).program


def test_values_and_their_makers() -> None:
    program = stage(lambda x: [ops.add(ops.sine(x), x)], _SCALAR).program
    run = Run.of(program, [np.float32(0)], [0])
    (result,) = program.results
    assert run.makers[result].primitive.name == "add"  # type: ignore[index]  # a value
    assert result in run.tracked
    assert run.shown(result) == 0


def test_each_iteration_of_a_loop_is_a_run() -> None:
    program = _loop()
    run = Run.of(program, [np.float32(1)])
    (loop,) = program.equations
    runs = run.inner(loop)
    assert [each.inside for each in runs] == [(f"iteration {i} of scan",) for i in range(3)]
    carry, stacked = loop.results
    entered = run.entered(loop, carry, ())
    assert entered is not None
    inner, value, at = entered
    assert (inner.step, float(inner.shown(value)), at) == (2, 8.0, ())
    entered = run.entered(loop, stacked, (1,))
    assert entered is not None
    inner, value, at = entered
    assert (inner.step, float(inner.shown(value)), at) == (1, 2.0, ())
    outer, _, _ = inner.came_from(inner.program.parameters[0], ())
    assert outer is runs[0]


def test_operations_that_only_show_values_are_left_out() -> None:
    called: list[object] = []

    def function(x: Operand) -> Operands:
        debug_callback(x, function=called.append)
        return [ops.sine(x)]

    program = stage(function, _SCALAR).program
    silent = quiet(program)
    assert not silent.effects
    assert Run.of(silent, [np.float32(0)]).shown(silent.results[0]) == 0
    assert not called


def test_a_program_without_effects_stays_the_same() -> None:
    program = stage(lambda x: [ops.sine(x)], _SCALAR).program
    assert quiet(program) is program


def test_an_effect_with_a_result_is_refused() -> None:
    called: list[object] = []

    def host(x: object) -> list[object]:
        called.append(x)
        return [np.float32(1)]

    program = stage(lambda x: io_callback(x, function=host, results=[_SCALAR]), _SCALAR).program
    with pytest.raises(UnsupportedError):
        Run.of(quiet(program), [np.float32(0)])
    assert not called


def test_the_first_element() -> None:
    assert first_element(np.array([[0.0, 1.0], [np.nan, np.nan]]), np.isnan) == (1, 0)
    assert first_element(np.zeros(2), np.isnan) is None
