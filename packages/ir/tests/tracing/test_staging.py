import threading

import numpy as np
import pytest

from treadle_ir import ArrayType, ShapeError, Value, evaluating, interpret, ops, reference, stage
from treadle_ir.analysis.verifier import verify
from treadle_ir.errors import EscapedTracerError
from treadle_ir.tracing import Tracer, current_trace
from treadle_ir.tracing.trace import ROOT

F32 = ArrayType((3,), np.dtype("f4"))
X = np.arange(3, dtype="f4")
LONG = 20_000  # operations in a row: twenty times as many as Python may call one within the other


def test_arrays_are_captured_once_and_scalars_are_literals():
    staged = stage(lambda x: [ops.add(ops.multiply(x, X), ops.multiply(X, np.float32(2.0)))], F32)
    verify(staged.program)
    assert len(staged.captured) == 1
    assert staged.captured[0] is X
    assert len(staged.program.parameters) == 2
    np.testing.assert_array_equal(interpret(staged.program, X, X)[0], X * X + X * 2)


def test_operations_on_constants_are_staged_too():
    staged = stage(lambda x: [ops.add(x, ops.sine(np.float32(1.0)))], F32)
    assert [equation.primitive.name for equation in staged.program.equations] == ["sine", "add"]


def test_tracers_of_an_outer_program_are_captured():
    inner = []

    def outer(x):
        inner.append(stage(lambda y: [ops.add(x, y)], F32))
        return [x]

    stage(outer, F32)
    (captured,) = inner[0].captured
    assert isinstance(captured, Tracer)


def test_a_parameter_and_a_literal_can_be_results():
    program = stage(lambda x: [x, np.float32(1.0)], F32).program
    assert isinstance(program.results[0], Value)
    np.testing.assert_array_equal(interpret(program, X)[1], 1.0)


def test_staging_again_what_a_program_does_gives_the_same_types():
    program = stage(lambda x: [ops.add(x, 1.0)], ArrayType((), np.dtype("f4"), True)).program
    again = stage(lambda *xs: interpret(program, *xs), *program.parameter_types).program
    assert again.result_types == program.result_types


def test_the_trace_is_put_back_after_an_error():
    before = current_trace()
    with pytest.raises(ShapeError):
        stage(lambda x: [ops.add(x, np.ones(4, "f4"))], F32)
    assert current_trace() is before


def test_an_escaped_tracer_says_where_it_was_made():
    kept = []
    stage(lambda x: [kept.append(ops.sine(x)) or x], F32)
    with pytest.raises(EscapedTracerError, match="was used after the function") as raised:
        ops.add(kept[0], X)
    assert any(
        "test_staging.py" in note and "ops.sine(x)" in note for note in raised.value.__notes__
    )
    with pytest.raises(EscapedTracerError):
        stage(lambda x: [ops.add(x, kept[0])], F32)


def test_threads_start_clean():
    seen = []

    def outer(x):
        thread = threading.Thread(target=lambda: seen.append(current_trace()))
        thread.start()
        thread.join()
        return [x]

    stage(outer, F32)
    assert seen == [ROOT]


def test_equations_know_the_users_line():
    (equation,) = stage(lambda x: [ops.sine(x)], F32).program.equations
    assert equation.source.file == __file__
    assert "ops.sine(x)" in equation.source.show()


def test_a_long_chain_is_staged_and_run_without_recursion():
    def chain(x):
        for _ in range(LONG):
            x = ops.negate(x)
        return [x]

    program = stage(chain, F32).program
    assert len(program.equations) == LONG
    np.testing.assert_array_equal(interpret(program, X)[0], X)


def test_another_evaluator_for_a_while():
    class Counting:
        def __init__(self):
            self.count = 0

        def evaluate(self, primitive, operands):
            self.count += 1
            return reference.ReferenceEvaluator().evaluate(primitive, operands)

    counting = Counting()
    with evaluating(counting):
        ops.add(X, X)
    ops.add(X, X)
    assert counting.count == 1
