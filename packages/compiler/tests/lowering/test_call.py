from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from treadle_compiler import lower_program
from treadle_ir import Operand, Operands, Type, bind, ops, stage
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


BIG = array_type("f32[200, 200]")
BLOCK = stage(many, BIG).program
FORWARD = Checkpoint(BLOCK, stores=True)
BACKWARD = Checkpoint(BLOCK, recomputes=True)


def barriers(function: Callable[..., Operands], type: Type = BIG, platform: str = "cpu") -> int:
    text = lower_program(stage(function, type).program, platform=platform).text
    assert "func.call" not in text
    return text.count("stablehlo.optimization_barrier")


def both(x: Operand) -> Operands:
    (y,) = bind(FORWARD, x)
    return bind(BACKWARD, ops.add(x, y))


def test_a_forward_pass_and_its_recomputation_are_kept_apart() -> None:
    assert barriers(both) == 3  # before the forward pass, before and after the recomputation
    assert barriers(both, platform="cuda") == 2


def test_a_checkpoint_alone_is_behind_no_barrier() -> None:
    assert barriers(lambda x: bind(Checkpoint(BLOCK), x)) == 0
    assert barriers(lambda x: bind(FORWARD, x)) == 0
    assert barriers(lambda x: bind(BACKWARD, x)) == 0


def test_two_recomputations_are_kept_apart() -> None:
    assert barriers(lambda x: bind(BACKWARD, *bind(Checkpoint(BLOCK, recomputes=True), x))) == 4


def test_small_arrays_and_those_who_ask_for_none_get_no_barrier() -> None:
    small = Checkpoint(MANY, recomputes=True), Checkpoint(MANY, stores=True)
    assert barriers(lambda x: bind(small[0], *bind(small[1], x)), V) == 0
    calls = [replace(each, prevent_cse=False) for each in (BACKWARD, FORWARD)]
    assert barriers(lambda x: bind(calls[0], *bind(calls[1], x))) == 0


def test_marks_leave_nothing_behind() -> None:
    program = stage(lambda x: bind(StopGradient(), bind(CheckpointName("x"), x)[0]), V).program
    assert "stablehlo" not in lower_program(program).text


def test_barriers_take_any_number_of_operands() -> None:
    for count in (0, 1, 3):
        program = stage(lambda x, n=count: bind(OptimizationBarrier(), *[x] * n), V).program
        assert lower_program(program).text.count("optimization_barrier") == bool(count)
