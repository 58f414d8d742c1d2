from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from treadle_autodiff import grad, jvp, linearize
from treadle_ir import Operand, Program, bind, ops, stage
from treadle_ir.primitives.control import While
from treadle_ir.testing.examples import array_type

Same = Callable[..., None]
F = array_type("f64[]")
V = array_type("f64[3]")
RANDOM = np.random.default_rng(7)
B, C = RANDOM.normal(size=3), RANDOM.normal(size=3)
INDEX = array_type("i32[]")
Loss = Callable[..., Operand]


def total(x: Operand) -> Operand:
    return ops.reduce_add(x, axes=(0,))


COND = stage(lambda k, i, x: [ops.compare(i, k, direction="lt")], INDEX, INDEX, V).program
BODY = stage(
    lambda w, i, x: [ops.add(i, np.int32(1)), ops.sine(ops.multiply(w, x))], V, INDEX, V
).program


def while_loss(iterations: int, bound: int | None) -> Loss:
    loop = While(COND, BODY, 1, 1, bound)
    return lambda w, x: total(ops.square(bind(loop, np.int32(iterations), w, np.int32(0), x)[1]))


def loop_loss(iterations: int) -> Loss:
    def loss(w: Operand, x: Operand) -> Operand:
        for _ in range(iterations):
            x = ops.sine(ops.multiply(w, x))
        return total(ops.square(x))

    return loss


@pytest.mark.parametrize("iterations", [0, 1, 4])
def test_while_in_forward_mode(iterations: int, assert_same: Same) -> None:
    expected = jvp(loop_loss(iterations), (B, C), (C, B))
    assert_same(jvp(while_loss(iterations, None), (B, C), (C, B)), expected)
    assert_same([linearize(while_loss(iterations, None), B, C)[1](C, B)], [expected[1]])


@pytest.mark.parametrize(
    ("iterations", "bound", "run"), [(0, 4, 0), (4, 4, 4), (3, 6, 3), (9, 2, 2), (2, 0, 0)]
)
def test_while_with_a_bound_in_reverse_mode(
    iterations: int,
    bound: int,
    run: int,
    assert_same: Same,
    assert_same_derivatives: Same,
    assert_same_twice: Same,
) -> None:
    actual, expected = while_loss(iterations, bound), loop_loss(run)
    assert_same([actual(B, C)], [expected(B, C)])
    assert_same_derivatives(actual, expected, (B, C), (C, B))
    assert_same_twice(actual, expected, (B, C), (C, B))


def test_iterations_after_the_end_of_a_bounded_loop_do_not_run() -> None:
    """The body divides by what is left; run once too often it would give NaN."""
    below = stage(lambda x: [ops.compare(x, np.float64(0), direction="gt")], F).program
    step = stage(
        lambda x: [ops.subtract(ops.divide(ops.multiply(x, x), x), np.float64(1))], F
    ).program
    gradient = grad(lambda x: bind(While(below, step, trip_bound=8), x)[0])(np.float64(3))
    assert gradient == 1


def test_while_in_reverse_mode_names_the_fix() -> None:
    with pytest.raises(ValueError, match="reverse-mode differentiation") as raised:
        grad(while_loss(2, None))(B, C)
    notes = "\n".join(raised.value.__notes__)
    assert "fori_loop" in notes
    assert "scan" in notes
    assert "max_steps" in notes


def differentiated_bounded_body() -> weakref.ref[Program]:
    step = stage(lambda x: [ops.sine(x)], F).program
    below = stage(lambda x: [ops.compare(x, np.float64(9), direction="lt")], F).program
    grad(lambda x: bind(While(below, step, trip_bound=3), x)[0])(np.float64(1))
    return weakref.ref(step)


def test_bounded_bodies_go_with_the_body() -> None:
    alive = differentiated_bounded_body()
    gc.collect()
    assert alive() is None
