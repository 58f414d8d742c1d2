from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_batching import Axis, batch_flat, vmap
from treadle_ir import Operand, Operands, bind, ops, stage, type_of
from treadle_ir.primitives.call import (
    Call,
    CustomJvpCall,
    CustomJvpStaged,
    CustomVjpCall,
    CustomVjpRule,
    CustomVjpStaged,
    OptimizationBarrier,
)
from treadle_ir.testing.examples import array_type

V = array_type("f64[3]")
X = np.arange(6.0).reshape(2, 3)
Y = np.array([1.0, 2.0, 3.0])
SCALE = np.array([1.0, 10.0, 100.0])


def product(x: Operand, y: Operand) -> Operands:
    return [ops.multiply(x, y)]


def product_jvp(primals: Operands, tangents: Any) -> tuple[Operands, Operands]:
    """Return a tangent that is not the product's, to recognise the rule; it sees one row, not all."""
    (x, y), (dx, dy) = primals, tangents
    assert type_of(x).shape == type_of(dx).shape == (3,)
    return product(x, y), [ops.multiply(SCALE, ops.add(dx, dy))]


RULE = CustomVjpRule(
    lambda xs, perturbed: (
        product(*xs),
        xs,
        lambda kept, cts: [ops.multiply(SCALE, cts[0]), ops.multiply(kept[0], cts[0])],
    )
)


def test_call_keeps_its_label() -> None:
    call = Call(stage(product, V, V).program, "product")
    program = stage(
        lambda x: batch_flat(lambda x: bind(call, x, Y), Axis(2), [x], [0])[0],
        array_type("f64[2,3]"),
    ).program
    (equation,) = program.equations
    assert isinstance(equation.primitive, Call)
    assert equation.primitive.label == "product"


def batched_call(primitive: CustomJvpCall | CustomVjpCall) -> CustomJvpStaged | CustomVjpStaged:
    """Return the primitive that remains of a function call after vmap over its first operand."""
    program = stage(
        lambda x, y: batch_flat(lambda x, y: bind(primitive, x, y), Axis(2), [x, y], [0, None])[0],
        array_type("f64[2,3]"),
        V,
    ).program
    (equation,) = program.equations
    assert isinstance(equation.primitive, CustomJvpStaged | CustomVjpStaged)
    return equation.primitive


def test_custom_jvp_keeps_its_rule() -> None:
    staged = batched_call(CustomJvpCall("product", product, product_jvp))
    assert isinstance(staged, CustomJvpStaged)
    (result,), (tangent,) = staged.derivative([X, Y], [np.ones((2, 3)), 2 * np.ones(3)])
    np.testing.assert_array_equal(result, X * Y)
    np.testing.assert_array_equal(tangent, [3 * SCALE] * 2)


def test_a_batched_jvp_rule_is_given_no_tangent_where_there_is_none() -> None:
    def jvp(primals: Operands, tangents: Any) -> tuple[Operands, Operands]:
        (x, y), (dx, dy) = primals, tangents
        assert dy is None
        return product(x, y), [ops.multiply(dx, y)]

    staged = batched_call(CustomJvpCall("product", product, jvp))
    assert isinstance(staged, CustomJvpStaged)
    (result,), (tangent,) = staged.derivative([X, Y], [np.ones((2, 3)), None])
    np.testing.assert_array_equal(result, X * Y)
    np.testing.assert_array_equal(tangent, [Y, Y])


def test_custom_vjp_sums_cotangents_of_what_all_rows_share() -> None:
    staged = batched_call(CustomVjpCall("product", product, RULE))
    assert isinstance(staged, CustomVjpStaged)
    results, residuals, backward = staged.rule.forward([X, Y], (True, True))
    np.testing.assert_array_equal(results[0], X * Y)
    ct_x, ct_y = backward(residuals, [np.ones((2, 3))])
    np.testing.assert_array_equal(ct_x, [SCALE] * 2)
    np.testing.assert_array_equal(ct_y, X.sum(axis=0))


def test_staged_custom_calls_are_batched_as_the_functions_are() -> None:
    for call in (
        CustomJvpCall("product", product, product_jvp),
        CustomVjpCall("product", product, RULE),
    ):
        staged, _ = call.staged((V, V))
        np.testing.assert_array_equal(vmap(lambda x, s=staged: bind(s, x, Y)[0])(X), X * Y)
        program = stage(
            lambda x, s=staged: batch_flat(lambda x: bind(s, x, Y), Axis(2), [x], [0])[0],
            array_type("f64[2,3]"),
        ).program
        (equation,) = program.equations
        assert isinstance(equation.primitive, type(staged))


def test_optimization_barrier_leaves_batches_where_they_are() -> None:
    one, two = vmap(
        lambda x, y: tuple(bind(OptimizationBarrier(), x, y)), in_axes=(1, None), out_axes=(1, None)
    )(X, Y)
    np.testing.assert_array_equal(one, X)
    np.testing.assert_array_equal(two, Y)


def closing_over(a: Operand, kind: str) -> Callable[..., Operands]:
    """The product with `a`, as a call whose functions have captured it."""
    if kind == "jvp":
        jvp = CustomJvpCall(
            "times",
            lambda x: [ops.multiply(x, a)],
            lambda xs, dxs: (
                [ops.multiply(xs[0], a)],
                [None if dx is None else ops.multiply(dx, ops.add(a, a)) for dx in dxs],
            ),
        )
        return lambda x: bind(jvp, x)
    rule = CustomVjpRule(
        lambda xs, perturbed: (
            [ops.multiply(xs[0], a)],
            [],
            lambda kept, cts: [None if ct is None else ops.multiply(ct, a) for ct in cts],
        )
    )
    return lambda x: bind(CustomVjpCall("times", lambda x: [ops.multiply(x, a)], rule), x)


@pytest.mark.parametrize("kind", ["jvp", "vjp"])
def test_functions_may_close_over_a_batch(kind: str) -> None:
    """They may, with a batched operand and without."""
    for x in (Y, Y[0]):
        found = vmap(lambda a, x: closing_over(a, kind)(x)[0], (0, 0 if x.ndim else None))(SCALE, x)
        np.testing.assert_array_equal(found, SCALE * x)
    outer = vmap(lambda x: vmap(lambda a: closing_over(a, kind)(x)[0])(SCALE))(Y)
    np.testing.assert_array_equal(outer, np.outer(Y, SCALE))
    twice = vmap(lambda a: closing_over(a, kind)(*closing_over(Y[1], kind)(Y[2]))[0])(SCALE)
    np.testing.assert_array_equal(twice, Y[1] * Y[2] * SCALE)


@pytest.mark.parametrize("kind", ["jvp", "vjp"])
def test_what_captures_no_batch_has_none(kind: str) -> None:
    results, dims = batch_flat(
        lambda x: [*closing_over(Y[1], kind)(Y[2]), *closing_over(x, kind)(Y[2])],
        Axis(3),
        [SCALE],
        [0],
    )
    assert dims == [None, 0]
    np.testing.assert_array_equal(results[0], Y[1] * Y[2])
