"""Re-rolling: the rolled program computes the same bits, and is as small as a loop."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_ir import ArrayType, Program, bind, ops, stage
from treadle_ir.analysis import numbered_equations, verify
from treadle_ir.primitives.control import Scan
from treadle_ir.rewrite import certain_to_win, optimise, roll
from treadle_ir.symbolic import SymbolicScope, read_dimension
from treadle_ir.tracing import interpret

F32 = np.dtype(np.float32)
ROW = ArrayType((3,), F32)


def staged(function: Any, *types: ArrayType) -> Program:
    return stage(function, *types).program


def scans(program: Program) -> list[Scan]:
    return [e.primitive for e in program.equations if isinstance(e.primitive, Scan)]


def check(program: Program, *, seed: int = 0) -> Program:
    """Return the rolled program, after a comparison of both programs' results, to the bit."""
    rolled = roll(program)
    verify(rolled)
    assert rolled.parameter_types == program.parameter_types
    assert rolled.result_types == program.result_types
    draw = np.random.default_rng(seed)
    types: Any = program.parameter_types  # of arrays
    args = [draw.standard_normal(t.shape).astype(t.dtype) for t in types]
    for wanted, found in zip(interpret(program, *args), interpret(rolled, *args), strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))
    return rolled


def scaled(x: Any, factor: float) -> Any:
    return ops.multiply(x, np.full((3,), factor, np.float32))


def test_a_carry_and_a_constant() -> None:
    def f(x: Any, w: Any) -> Any:
        for _ in range(20):
            x = ops.tanh(ops.add(ops.multiply(x, w), x))
        return [x]

    rolled = check(staged(f, ROW, ROW))
    (scan,) = scans(rolled)
    assert len(rolled.equations) == 1
    assert (scan.length, scan.constants, scan.carries) == (20, 1, 1)


def test_a_carry_that_starts_as_a_constant() -> None:
    def f(x: Any) -> Any:
        total: Any = np.zeros(3, np.float32)
        for _ in range(20):
            total = ops.add(total, ops.sine(x))
            x = ops.cosine(total)
        return [total, x]

    assert len(check(staged(f, ROW)).equations) <= 4


def test_different_numbers_are_stacked() -> None:
    def f(x: Any) -> Any:
        for i in range(20):
            x = ops.sine(
                ops.add(
                    ops.multiply(x, x),
                    ops.broadcast_in_dim(np.float32(i), shape=(3,), dimensions=()),
                )
            )
        return [x]

    rolled = check(staged(f, ROW))
    (scan,) = scans(rolled)
    assert scan.length == 20


def test_different_parameters_are_stacked() -> None:
    def f(x: Any, *weights: Any) -> Any:
        for w in weights:
            x = ops.tanh(ops.add(ops.multiply(x, w), w))
        return [x]

    (scan,) = scans(check(staged(f, ROW, *[ROW] * 12)))
    assert scan.length == 12


def test_results_of_each_step() -> None:
    def f(x: Any) -> Any:
        found = []
        for _ in range(12):
            x = ops.sine(ops.multiply(x, x))
            found.append(ops.cosine(x))
        return found

    (scan,) = scans(check(staged(f, ROW)))
    assert scan.length >= 11


def test_steps_that_do_not_depend_on_each_other() -> None:
    def f(x: Any) -> Any:
        return [ops.sine(ops.cosine(ops.tanh(x))) for _ in range(12)]

    (scan,) = scans(check(staged(f, ROW)))
    assert scan.carries == 0


def test_the_steps_of_one_loop_go_through_another_in_reverse() -> None:
    def f(x: Any) -> Any:
        saved = []
        for _ in range(20):
            saved.append(ops.cosine(x))
            x = ops.sine(ops.multiply(x, x))
        slope = x
        for each in reversed(saved):
            slope = ops.tanh(ops.multiply(ops.multiply(slope, each), slope))
        return [slope]

    rolled = check(staged(f, ROW))
    first, second = scans(rolled)
    assert (first.reverse, second.reverse) == (False, True)
    assert len(rolled.equations) <= 12


def test_the_steps_of_one_loop_go_through_another_in_order_and_in_reverse() -> None:
    def f(x: Any) -> Any:
        saved = []
        for _ in range(20):
            saved.append(ops.cosine(x))
            x = ops.sine(ops.multiply(x, x))
        for one, other in zip(saved, reversed(saved), strict=True):
            x = ops.tanh(ops.multiply(ops.multiply(x, one), other))
        return [x]

    assert len(scans(check(staged(f, ROW)))) == 2


ROWS = ArrayType((20, 3), F32)


def row(x: Any, t: int) -> Any:
    part = ops.slice(x, start=(t, 0), limit=(t + 1, 3), strides=(1, 1))
    return ops.reshape(part, shape=(3,))


def stack(values: list[Any]) -> Any:
    return ops.concatenate([ops.reshape(x, shape=(1, 3)) for x in values], dimension=0)


def test_rows_of_an_array_are_scanned_over_and_results_are_stacked() -> None:
    def f(x: Any, xs: Any) -> Any:
        found = []
        for t in range(20):
            x = ops.tanh(ops.add(ops.multiply(x, x), row(xs, t)))
            found.append(ops.sine(x))
        return [stack(found)]

    rolled = check(staged(f, ROW, ROWS))
    (scan,) = scans(rolled)
    assert scan.length >= 19
    assert len(rolled.equations) <= 10


def test_rows_from_the_last_to_the_first() -> None:
    def f(x: Any, xs: Any) -> Any:
        for t in reversed(range(4, 16)):
            x = ops.tanh(ops.add(ops.multiply(x, x), row(xs, t)))
        return [x, row(xs, 3)]

    (scan,) = scans(check(staged(f, ROW, ROWS)))
    assert scan.reverse


def test_rows_in_no_order() -> None:
    def f(x: Any, xs: Any) -> Any:
        for t in (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8):
            x = ops.tanh(ops.add(ops.multiply(x, x), row(xs, t)))
        return [x]

    check(staged(f, ROW, ROWS))


def test_rows_of_what_each_step_makes() -> None:
    def f(x: Any, xs: Any) -> Any:
        for _ in range(8):
            xs = ops.sine(ops.multiply(xs, xs))
            x = ops.add(ops.tanh(row(xs, 0)), ops.multiply(row(xs, 1), x))
        return [x]

    check(staged(f, ROW, ROWS))


def test_steps_that_stack() -> None:
    def f(x: Any, xs: Any) -> Any:
        for _ in range(8):
            xs = ops.sine(stack([row(xs, 19 - t) for t in range(20)]))
            x = ops.add(x, row(xs, 2))
        return [x]

    check(staged(f, ROW, ROWS))


def test_stacked_values_that_are_used_otherwise_too() -> None:
    def f(x: Any, xs: Any) -> Any:
        lifted = []
        for t in range(20):
            x = ops.tanh(ops.add(ops.multiply(x, x), row(xs, t)))
            lifted.append(ops.reshape(x, shape=(1, 3)))
        return [ops.concatenate([*lifted, xs], dimension=0), lifted[3], x, stack([row(xs, 3)] * 5)]

    check(staged(f, ROW, ROWS))


@pytest.mark.parametrize("inner", [9, 30])  # more than the occurrences that are tried
def test_nested_loops(inner: int) -> None:
    def f(x: Any) -> Any:
        for _ in range(8):
            for _ in range(inner):
                x = ops.sine(ops.tanh(ops.multiply(x, x)))
            x = ops.tanh(ops.add(x, ops.cosine(x)))
        return [x]

    rolled = check(staged(f, ROW))
    outer = scans(rolled)[-1]  # a first inner loop may come before it
    assert outer.length >= 7
    assert len(scans(outer.body)) == 1
    assert len(rolled.equations) + len(outer.body.equations) <= 10


def test_a_value_of_the_step_before_the_last_one() -> None:
    def f(x: Any, y: Any) -> Any:
        for _ in range(20):
            x, y = y, ops.sine(ops.add(ops.multiply(x, y), y))
        return [x, y]

    check(staged(f, ROW, ROW))


def test_a_first_step_that_differs() -> None:
    def f(x: Any, y: Any) -> Any:
        for i in range(20):
            x = ops.sine(ops.add(ops.multiply(x, y if i < 3 else x), y))
        return [x]

    (scan,) = scans(check(staged(f, ROW, ROW)))
    assert scan.length >= 17


def test_a_first_step_that_takes_what_it_makes_itself() -> None:
    def f(x: Any, y: Any) -> Any:
        total = None
        for _ in range(8):
            twice = ops.add(y, y)
            total = ops.multiply(x, twice if total is None else total)
            x, y = ops.sine(x), ops.add(total, y)
        return [x, y, total]

    check(staged(f, ROW, ROW))


def test_loops_of_loops_are_equal_by_structure() -> None:
    body = staged(lambda c: [ops.sine(c)], ROW)

    def f(x: Any) -> Any:
        for _ in range(12):
            again = Program(body.parameters, body.equations, body.results)  # equal, not the same
            x = ops.cosine(bind(Scan(again, 3, 0, 1), x)[0])
        return [x]

    rolled = check(staged(f, ROW))
    assert len(rolled.equations) == 1


def test_what_is_left_alone() -> None:
    def short(x: Any) -> Any:
        for _ in range(3):
            x = ops.sine(x)
        return [x]

    program = staged(short, ROW)
    assert roll(program) is program
    few = staged(lambda x: [ops.sine(ops.cosine(ops.tanh(x)))], ROW)
    assert roll(few) is few


def test_programs_with_symbolic_sizes_are_left_alone() -> None:
    def f(x: Any) -> Any:
        for _ in range(60):
            x = ops.sine(ops.multiply(x, x))
        return [x]

    n = read_dimension("n", SymbolicScope())
    program = staged(f, ArrayType((n, 3), F32))
    assert roll(program) is roll(program, certain_to_win) is program


def steps(count: int, size: int) -> Program:
    def f(x: Any, w: Any) -> Any:
        for _ in range(count):
            x = ops.tanh(ops.dot_general(x, w, contracting=((1,), (0,)), batching=((), ())))
        return [x]

    return staged(f, ArrayType((4, size), F32), ArrayType((size, size), F32))


@pytest.mark.parametrize(
    ("count", "size", "is_rolled"), [(60, 8, True), (10, 8, False), (60, 1024, False)]
)
def test_loops_that_are_certain_to_win(count: int, size: int, is_rolled: bool) -> None:
    rolled = roll(steps(count, size), certain_to_win)
    assert bool(scans(rolled)) == is_rolled


def test_weights_that_would_be_stacked_are_not_certain_to_win() -> None:
    def f(x: Any, *weights: Any) -> Any:
        for w in weights:
            x = ops.tanh(ops.dot_general(x, w, contracting=((1,), (0,)), batching=((), ())))
        return [x]

    program = staged(f, ArrayType((4, 8), F32), *[ArrayType((8, 8), F32)] * 60)
    assert roll(program, certain_to_win) is program
    assert len(scans(check(program))) == 1


# ---- random loops


@st.composite
def loops(draw: st.DrawFn) -> Program:
    """Draw a program: loops whose bodies are drawn, with values of steps used later."""
    count = draw(st.integers(5, 9))
    body = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["sine", "tanh", "add", "multiply", "subtract"]),
                st.integers(0, 9),
                st.integers(0, 9),
            ),
            min_size=3,
            max_size=7,
        )
    )
    carries = draw(st.integers(1, 3))
    taps = draw(st.lists(st.integers(0, count - 1), max_size=4))
    again, stacks = draw(st.booleans()), draw(st.booleans())
    order = draw(
        st.permutations(range(count))
        | st.just([*range(count)])
        | st.just([*reversed(range(count))])
    )

    def step(state: list[Any], more: list[Any]) -> tuple[list[Any], Any]:
        values = [*state, *more]
        for name, one, two in body:
            x, y = values[one % len(values)], values[two % len(values)]
            values.append(
                getattr(ops, name)(x) if name in ("sine", "tanh") else getattr(ops, name)(x, y)
            )
        return values[-carries:], values[len(values) // 2]

    def f(x: Any, y: Any, w: Any, xs: Any) -> Any:
        state, kept = [x, y, w][:carries], []
        for t in order:
            state, middle = step(state, [w, row(xs, t)])
            kept.append(middle)
        if again:
            for each in reversed(kept):
                state, _ = step(state, [each, each])
        return [*state, *[kept[tap] for tap in taps], *([stack(kept)] if stacks else [])]

    return staged(f, ROW, ROW, ROW, ROWS)


@settings(max_examples=150, deadline=None)
@given(loops())
def test_random_loops(program: Program) -> None:
    check(program)
    check(optimise(program))


def test_numbers_of_equations() -> None:
    program = staged(
        lambda x, y: [ops.sine(x), ops.sine(y), ops.sine(ops.add(x, y)), ops.cosine(x)], ROW, ROW
    )
    one, two, _, three, four = numbered_equations(program.equations)
    assert one == two == three != four
