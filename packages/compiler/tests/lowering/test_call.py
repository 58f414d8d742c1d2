from __future__ import annotations

from treadle_compiler import lower_program
from treadle_ir import Operand, Operands, bind, ops, stage
from treadle_ir.primitives.call import (
    Call,
    Checkpoint,
    CheckpointName,
    OptimizationBarrier,
    StopGradient,
)
from treadle_ir.testing.examples import array_type

V = array_type("f32[3]")


def many(x: Operand) -> Operands:
    for _ in range(8):
        x = ops.sine(x)
    return [x]


MANY = stage(many, V).program


def test_calls_of_one_program_share_a_function() -> None:
    call = Call(MANY, "many")
    program = stage(lambda x: [bind(call, bind(call, x)[0])[0]], V).program
    text = lower_program(program).text
    assert text.count("stablehlo.sine") == 8
    assert text.count('"func.call"') == 2


def test_only_a_recomputed_checkpoint_is_behind_a_barrier() -> None:
    for recomputes in (False, True):
        program = stage(lambda x, r=recomputes: bind(Checkpoint(MANY, None, r), x), V).program
        text = lower_program(program).text
        assert text.count("stablehlo.optimization_barrier") == recomputes
        assert "func.call" not in text


def test_marks_leave_nothing_behind() -> None:
    program = stage(lambda x: bind(StopGradient(), bind(CheckpointName("x"), x)[0]), V).program
    assert "stablehlo" not in lower_program(program).text


def test_barriers_take_any_number_of_operands() -> None:
    for count in (0, 1, 3):
        program = stage(lambda x, n=count: bind(OptimizationBarrier(), *[x] * n), V).program
        assert lower_program(program).text.count("optimization_barrier") == bool(count)
