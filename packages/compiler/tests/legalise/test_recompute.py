from __future__ import annotations

from collections.abc import Callable

from treadle_compiler.legalise import Target
from treadle_compiler.legalise.recompute import keep_recomputation, kept_apart, large
from treadle_ir import Operand, Operands, Program, bind, ops, stage
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.primitives.control import Scan
from treadle_ir.testing.examples import array_type

V = array_type("f32[3]")


def program(*primitives: Checkpoint | Call | Scan) -> Program:
    def function(x: Operand) -> Operands:
        for primitive in primitives:
            x = bind(primitive, x)[0]
        return [x]

    return stage(function, V).program


BLOCK = stage(lambda x: [ops.sine(x)], V).program


def forward() -> Checkpoint:
    return Checkpoint(BLOCK, stores=True)


def backward(prevent_cse: bool = True) -> Checkpoint:
    return Checkpoint(BLOCK, recomputes=True, prevent_cse=prevent_cse)


def loop(*primitives: Checkpoint, length: int = 3, unroll: int = 1) -> Scan:
    return Scan(program(*primitives), carries=1, length=length, unroll=unroll)


def ids(*primitives: Checkpoint) -> frozenset[int]:
    return frozenset(map(id, primitives))


def test_both_passes_in_one_program() -> None:
    f, b = forward(), backward()
    assert kept_apart(program(f, b)) == ids(f, b)
    assert kept_apart(program(f, f)) == frozenset()
    assert kept_apart(program(b)) == frozenset()
    assert kept_apart(program(b, b)) == ids(b)


def test_calls_are_of_the_program_that_calls() -> None:
    f, b = forward(), backward()
    assert kept_apart(program(Call(program(f)), Call(program(Call(program(b)))))) == ids(f, b)


def test_the_body_of_a_loop_is_a_program_of_its_own() -> None:
    f, b = forward(), backward()
    assert kept_apart(program(loop(f), loop(b))) == frozenset()
    assert kept_apart(program(loop(f, b))) == ids(f, b)
    assert kept_apart(program(f, loop(b))) == frozenset()
    assert kept_apart(program(Call(program(loop(f, b))))) == ids(f, b)


def test_a_loop_of_one_turn_is_in_place() -> None:
    f, b = forward(), backward()
    assert kept_apart(program(loop(f, length=1), loop(b, length=1))) == ids(f, b)
    assert kept_apart(program(loop(f, unroll=3), loop(b, unroll=3))) == ids(f, b)
    assert kept_apart(program(loop(f, unroll=2), loop(b, unroll=2))) == frozenset()


def test_a_program_used_inside_and_outside_of_a_loop_is_looked_at_in_both() -> None:
    f, b = forward(), backward()
    shared = program(b)
    assert kept_apart(program(Scan(shared, carries=1, length=3), f, Call(shared))) == ids(f, b)


def test_who_asks_for_no_barrier_gets_none() -> None:
    f, b = forward(), backward(prevent_cse=False)
    assert kept_apart(program(f, b)) == ids(f)


def test_large_counts_all_arrays_together() -> None:
    half = array_type("f32[8192]")
    assert not large([half, half])
    assert large([half, half, V])


BOTH = """
    program @p0(%0: f32[300,300]) -> (f32[300,300]) {
      %1: f32[300,300] = sine %0
      return %1
    }

    program @main(%0: f32[300,300]) -> (f32[300,300]) {
      %1: f32[300,300] = checkpoint %0 {program=@p0, stores=True}
      %2: f32[300,300] = checkpoint %1 {program=@p0, recomputes=True}
      return %2
    }
    """


def test_barriers_on_a_gpu_are_around_recomputations_only(golden: Callable[..., None]) -> None:
    after = """
    program @p0(%0: f32[300,300]) -> (f32[300,300]) {
      %1: f32[300,300] = sine %0
      return %1
    }

    program @main(%0: f32[300,300]) -> (f32[300,300]) {
      %1: f32[300,300] = checkpoint %0 {program=@p0, stores=True}
      %2: f32[300,300] = optimization_barrier %1
      %3: f32[300,300] = checkpoint %2 {program=@p0, recomputes=True}
      %4: f32[300,300] = optimization_barrier %3
      return %4
    }
    """
    golden(lambda each: keep_recomputation(each, Target("cuda")), BOTH, after)


def test_on_the_cpu_forward_passes_have_one_too(golden: Callable[..., None]) -> None:
    after = """
    program @p0(%0: f32[300,300]) -> (f32[300,300]) {
      %1: f32[300,300] = sine %0
      return %1
    }

    program @main(%0: f32[300,300]) -> (f32[300,300]) {
      %1: f32[300,300] = optimization_barrier %0
      %2: f32[300,300] = checkpoint %1 {program=@p0, stores=True}
      %3: f32[300,300] = optimization_barrier %2
      %4: f32[300,300] = checkpoint %3 {program=@p0, recomputes=True}
      %5: f32[300,300] = optimization_barrier %4
      return %5
    }
    """
    golden(lambda each: keep_recomputation(each, Target("cpu")), BOTH, after)


def test_small_operands_get_no_barrier(golden: Callable[..., None]) -> None:
    small = BOTH.replace("[300,300]", "[3]")
    golden(lambda each: keep_recomputation(each, Target("cpu")), small)


def test_barriers_are_found_where_a_checkpoint_contains_another() -> None:
    matrix = array_type("f32[300,300]")
    block = stage(lambda x: [ops.sine(x)], matrix).program
    pair = (Checkpoint(block, stores=True), Checkpoint(block, recomputes=True))

    def both(x: Operand) -> Operands:
        for each in pair:
            (x,) = bind(each, x)
        return [x]

    outer = Checkpoint(stage(both, matrix).program, recomputes=True)
    text = str(keep_recomputation(stage(lambda x: bind(outer, x), matrix).program, Target("cpu")))
    assert text.count("optimization_barrier") == 5
