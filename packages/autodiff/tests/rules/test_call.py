from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import checkpoint, checkpoint_policies, custom_jvp, custom_vjp, grad, jvp
from treadle_ir import Operand, Primitive, bind, interpret, ops, stage, type_of
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.testing.examples import array_type

V = array_type("f64[3]")
X, Y = np.array([0.3, -1.2, 2.0]), np.array([1.5, 0.4, -0.7])


def function(x: Operand, y: Operand) -> list[Operand]:
    return [ops.multiply(ops.sine(x), y), ops.exponential(ops.multiply(x, y))]


PROGRAM = stage(function, V, V).program


def total(x: Operand) -> Operand:
    return ops.reduce_add(x, axes=tuple(range(type_of(x).ndim)))


def loss_of(results: Callable[..., Any]) -> Callable[..., Operand]:
    def loss(x: Operand, y: Operand) -> Operand:
        one, two = results(x, y)
        return ops.add(total(ops.square(one)), total(ops.sine(two)))

    return loss


def second(loss: Callable[..., Operand]) -> Callable[..., Operand]:
    def of_gradient(x: Operand, y: Operand) -> Operand:
        dx, dy = grad(loss, (0, 1))(x, y)
        return ops.add(total(ops.sine(dx)), total(ops.square(dy)))

    return of_gradient


def keeps_sine(primitive: Primitive) -> bool:
    return primitive.name == "sine"


@pytest.mark.parametrize(
    "primitive",
    [
        Call(PROGRAM, "function"),
        Checkpoint(PROGRAM),
        Checkpoint(PROGRAM, keeps_sine),
        Checkpoint(PROGRAM, checkpoint_policies.everything_saveable),
    ],
    ids=["call", "checkpoint", "keeps sine", "keeps all"],
)
def test_calls_are_differentiated_as_their_program(primitive: Primitive) -> None:
    actual = loss_of(lambda x, y: bind(primitive, x, y))
    expected = loss_of(lambda x, y: interpret(PROGRAM, x, y))
    for order in (lambda f: f, second):
        one, two = order(actual), order(expected)
        np.testing.assert_allclose(jvp(one, (X, Y), (Y, X)), jvp(two, (X, Y), (Y, X)))
        np.testing.assert_allclose(grad(one, (0, 1))(X, Y), grad(two, (0, 1))(X, Y))
        np.testing.assert_allclose(grad(one)(X, Y), grad(two)(X, Y))


def test_derivatives_of_checkpoint_are_made_once() -> None:
    loss = loss_of(lambda x, y: bind(Checkpoint(PROGRAM), x, y))
    made = [stage(lambda x, y: [grad(loss)(x, y)], V, V).program for _ in range(2)]
    one, two = [[e.primitive for e in p.equations if e.primitive.programs()] for p in made]
    assert one == two


def test_custom_vjp_is_staged_before_anything_ran() -> None:
    """The structure of its result is known only after the function ran."""

    @custom_vjp
    def product(x: Operand, y: Operand) -> dict[str, Operand]:
        return {"product": ops.multiply(x, y)}

    product.defvjp(lambda x, y: (product(x, y), (x, y)), lambda kept, ct: (kept[1], kept[0]))
    staged = stage(lambda x, y: [product(x, y)["product"]], V, V)
    np.testing.assert_array_equal(interpret(staged.program, X, Y)[0], X * Y)


def test_rules_may_close_over_tracers_of_outer_transformations() -> None:
    """Captured arrays of the derivative of a call become its operands."""

    def scaled(scale: Operand) -> Callable[[Operand], Operand]:
        @custom_jvp
        def f(x: Operand) -> Operand:
            return ops.sine(x)

        f.defjvp(lambda xs, dxs: (ops.sine(xs[0]), ops.multiply(scale, dxs[0])))
        return f

    def outer(scale: Operand) -> Operand:
        f = scaled(scale)
        call = Call(stage(lambda x: [f(x)], V).program)
        return total(grad(lambda x: total(bind(call, x)[0]))(X))

    np.testing.assert_allclose(grad(outer)(Y), np.ones(3))
    np.testing.assert_allclose(grad(outer)(X), np.ones(3))


def checkpoints_of(function: Callable[[Any], Any]) -> list[Checkpoint]:
    program = stage(lambda x: [function(x)], V).program
    return [e.primitive for e in program.equations if isinstance(e.primitive, Checkpoint)]


@pytest.mark.parametrize("prevent_cse", [True, False])
def test_checkpoint_marks_what_stores_and_what_recomputes(prevent_cse: bool) -> None:
    f = checkpoint(lambda x: ops.sine(ops.sine(x)), prevent_cse=prevent_cse)
    forward, backward = checkpoints_of(grad(lambda x: total(f(x))))
    assert (forward.stores, forward.recomputes) == (True, False)
    assert (backward.stores, backward.recomputes) == (False, True)
    assert forward.prevent_cse == backward.prevent_cse == prevent_cse
    (undifferentiated,) = checkpoints_of(f)
    assert not undifferentiated.stores
    assert not undifferentiated.recomputes


def test_a_second_derivative_stores_what_the_first_recomputes_from() -> None:
    f = checkpoint(lambda x: ops.sine(ops.sine(x)))
    calls = checkpoints_of(grad(lambda x: total(grad(lambda y: total(f(y)))(x))))
    assert any(call.stores and call.recomputes for call in calls)
    assert any(call.recomputes and not call.stores for call in calls)
