from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import (
    custom_vjp,
    grad,
    jvp,
    linear_transpose,
    linearize,
    linearize_program,
    vjp,
)
from treadle_ir import Operand, Operands, Program, UnsupportedError, bind, ops, stage, type_of
from treadle_ir.primitives.control import Case, Scan
from treadle_ir.testing.examples import array_type

F = array_type("f64[]")
V = array_type("f64[3]")
M = array_type("f64[3,3]")
INDEX = array_type("i32[]")
RANDOM = np.random.default_rng(7)
W, B, C = RANDOM.normal(size=(3, 3)), RANDOM.normal(size=3), RANDOM.normal(size=3)
XS = RANDOM.normal(size=(5, 3))
ARGUMENTS = [W, B, C, XS]
DIRECTIONS = [RANDOM.normal(size=x.shape) for x in ARGUMENTS]
Loss = Callable[..., Operand]
Same = Callable[..., None]


def turn(w: Operand, b: Operand, c: Operand, x: Operand) -> list[Operand]:
    mixed = ops.dot_general(ops.sine(w), c, contracting=((1,), (0,)), batching=((), ()))
    h = ops.tanh(ops.add(mixed, x))
    ops.multiply(ops.exponential(h), c)  # dead: nothing of it may be stored
    return [h, ops.multiply(h, b), ops.cosine(x)]


TURN = stage(turn, M, V, V, V).program


def as_scan(w: Operand, b: Operand, c: Operand, xs: Operand) -> Operands:
    return bind(Scan(TURN, 5, 2, 1), w, b, c, xs)


def as_loop(w: Operand, b: Operand, c: Operand, xs: Operand) -> Operands:
    ys, zs = [], []
    for i in range(5):
        x = ops.reshape(ops.slice(xs, start=(i, 0), limit=(i + 1, 3)), shape=(3,))
        c, y, z = turn(w, b, c, x)
        ys.append(ops.reshape(y, shape=(1, 3)))
        zs.append(ops.reshape(z, shape=(1, 3)))
    return [c, ops.concatenate(ys, dimension=0), ops.concatenate(zs, dimension=0)]


def total(x: Operand) -> Operand:
    return ops.reduce_add(x, axes=tuple(range(type_of(x).ndim)))


def loss_of(function: Callable[..., Operands], places: Sequence[int]) -> Loss:
    """A scalar of some of the arguments; the others are constants."""

    def loss(*given: Operand) -> Operand:
        arguments: list[Any] = list(ARGUMENTS)
        for place, x in zip(places, given, strict=True):
            arguments[place] = x
        c, ys, zs = function(*arguments)
        return ops.add(
            ops.add(total(ops.sine(c)), total(ops.square(ys))), total(ops.multiply(ys, zs))
        )

    return loss


PLACES = [(0,), (1,), (2,), (3,), (0, 1, 2, 3)]


@pytest.mark.parametrize("places", PLACES)
def test_scan_is_differentiated_as_the_loop(
    places: tuple[int, ...], assert_same_derivatives: Same
) -> None:
    given = [ARGUMENTS[i] for i in places]
    along = [DIRECTIONS[i] for i in places]
    scan, loop = loss_of(as_scan, places), loss_of(as_loop, places)
    assert_same_derivatives(scan, loop, given, along)


@pytest.mark.parametrize("places", PLACES)
def test_scan_is_differentiated_twice(places: tuple[int, ...], assert_same_twice: Same) -> None:
    given = [ARGUMENTS[i] for i in places]
    along = [DIRECTIONS[i] for i in places]
    scan, loop = loss_of(as_scan, places), loss_of(as_loop, places)
    assert_same_twice(scan, loop, given, along)


def test_linearizing_twice_pushes_second_derivatives(assert_same: Same) -> None:
    def first(w: Operand) -> Operand:
        pushed: Operand = linearize(loss_of(as_scan, (0,)), w)[1](DIRECTIONS[0])
        return pushed

    def expected(w: Operand) -> Operand:
        pushed: Operand = jvp(loss_of(as_loop, (0,)), [w], [DIRECTIONS[0]])[1]
        return pushed

    _, again = linearize(first, W)
    assert_same([again(DIRECTIONS[0])], [jvp(expected, [W], [DIRECTIONS[0]])[1]])


def equations(program: Program, name: str) -> list[Any]:
    return [equation for equation in program.equations if equation.primitive.name == name]


def gradient_program(loss: Loss, *places: int) -> Program:
    types = [type_of(ARGUMENTS[i]) for i in places]
    return stage(lambda *xs: list(grad(loss, tuple(range(len(places))))(*xs)), *types).program


def test_scan_stores_nothing_that_is_the_same_in_each_turn() -> None:
    program = gradient_program(loss_of(as_scan, (0,)), 0)
    forward, backward = equations(program, "scan")
    known = forward.primitive.body
    assert not equations(known, "sine")
    assert not equations(known, "cosine") or len(equations(known, "cosine")) == 1  # of x, a result
    # Stacked: the carry (for the product with w) and the derivative of tanh; not w, sin w, cos w, nor the xs.
    shapes = [type.shape for type in known.result_types[3:]]
    assert shapes == [(3,), (3,)]
    assert backward.primitive.reverse


def test_scan_stores_nothing_for_dead_code() -> None:
    split = linearize_program(TURN, (False, False, True, False), (True, False, False))
    assert not equations(split.known, "exponential")


def test_unused_cotangents_are_not_carried() -> None:
    program = gradient_program(loss_of(as_scan, (1,)), 1)
    backward = equations(program, "scan")[-1].primitive
    assert backward.carries == 1  # the sum for b; c does not depend on b


def test_reverse_scan(assert_same: Same) -> None:
    def loss(xs: Operand, *, reverse: bool) -> Operand:
        if not reverse:
            xs = ops.reverse(xs, dimensions=(0,))
        carry, ys, _ = bind(Scan(TURN, 5, 2, 1, reverse), W, B, C, xs)
        if not reverse:
            ys = ops.reverse(ys, dimensions=(0,))
        return ops.add(total(ops.sine(carry)), total(ops.multiply(ys, DIRECTIONS[3])))

    one = grad(lambda xs: loss(xs, reverse=True))(XS)
    two = grad(lambda xs: loss(xs, reverse=False))(XS)
    assert_same([one], [two])


def test_scan_without_iterations_passes_the_carry(assert_same: Same) -> None:
    def loss(c: Operand) -> Operand:
        return total(ops.sine(bind(Scan(TURN, 0, 2, 1), W, B, c, XS[:0])[0]))

    assert_same([grad(loss)(C)], [np.cos(C)])


def test_linear_loop_with_a_counter_is_transposed(assert_same: Same) -> None:
    def step(i: Operand, c: Operand, x: Operand) -> list[Operand]:
        scale = ops.convert(i, dtype=np.dtype(np.float64))
        return [ops.add(i, np.int32(1)), ops.multiply(scale, ops.add(c, x)), c]

    body = stage(step, INDEX, V, V).program

    def linear(c: Operand, xs: Operand) -> tuple[Operand, ...]:
        return tuple(bind(Scan(body, 5, 0, 2), np.int32(1), c, xs)[1:])

    cotangents = (B, DIRECTIONS[3])
    _, pull = vjp(linear, C, XS)
    assert_same(linear_transpose(linear, C, XS)(cotangents), pull(cotangents))


def test_scan_in_scan_and_case_in_scan(
    assert_same_derivatives: Same, assert_same_twice: Same
) -> None:
    def inner(c: Operand, x: Operand) -> list[Operand]:
        (loop,) = bind(
            Scan(stage(lambda w, c: [ops.sine(ops.multiply(w, c))], V, V).program, 3, 1, 1), x, c
        )
        positive = ops.compare(total(x), np.float64(0), direction="gt")
        branches = (
            stage(lambda y: [ops.exponential(y)], V).program,
            stage(lambda y: [ops.multiply(y, y)], V).program,
        )
        (chosen,) = bind(Case(branches), ops.convert(positive, dtype=np.dtype(np.int32)), loop)
        return [chosen, loop]

    body = stage(inner, V, V).program

    def scanned(c: Operand, xs: Operand) -> Operand:
        carry, ys = bind(Scan(body, 5, 0, 1), c, xs)
        return ops.add(total(carry), total(ops.square(ys)))

    def looped(c: Operand, xs: Operand) -> Operand:
        result: Any = np.float64(0)
        for i in range(5):
            x = ops.reshape(ops.slice(xs, start=(i, 0), limit=(i + 1, 3)), shape=(3,))
            for _ in range(3):
                c = ops.sine(ops.multiply(x, c))
            result = ops.add(result, total(ops.square(c)))
            c = ops.multiply(c, c) if XS[i].sum() > 0 else ops.exponential(c)
        return ops.add(total(c), result)

    given, along = (C, XS), (DIRECTIONS[2], DIRECTIONS[3])
    assert_same_derivatives(scanned, looped, given, along)
    assert_same_twice(scanned, looped, given, along)


def test_custom_rules_in_a_body_may_capture_arrays(assert_same: Same) -> None:
    weights = np.array([1.0, 2.0, 3.0])

    @custom_vjp
    def product(x: Operand, y: Operand) -> Operand:
        return ops.multiply(x, y)

    product.defvjp(
        lambda x, y: (ops.multiply(x, y), (x, y)),
        lambda kept, ct: (
            ops.multiply(ops.multiply(weights, kept[1]), ct),
            ops.multiply(kept[0], ct),
        ),
    )
    body = stage(lambda w, c: [product(ops.sine(c), w)], V, V).program

    def scanned(w: Operand, c: Operand) -> Operand:
        return total(bind(Scan(body, 4, 1, 1), w, c)[0])

    def looped(w: Operand, c: Operand) -> Operand:
        for _ in range(4):
            c = product(ops.sine(c), w)
        return total(c)

    assert_same(grad(scanned, (0, 1))(B, C), grad(looped, (0, 1))(B, C))


def gradients_of(step: Program) -> Iterator[Any]:
    for _ in range(2):
        found = stage(lambda x: [grad(lambda y: bind(Scan(step, 3, 0, 1), y)[0])(x)], F)
        yield [equation.primitive for equation in equations(found.program, "scan")]


def test_derived_bodies_are_made_once_and_go_with_the_body() -> None:
    step = stage(lambda x: [ops.sine(x)], F).program
    one, two = gradients_of(step)
    assert one == two
    alive = weakref.ref(step)
    del step, one, two
    gc.collect()
    assert alive() is None


def test_long_scans_have_small_derivatives() -> None:
    step = stage(lambda c, x: [ops.sine(ops.add(c, x)), c], F, F).program
    xs = array_type("f64[10000]")

    def loss(c: Operand, xs: Operand) -> Operand:
        return bind(Scan(step, 10_000, 0, 1), c, xs)[0]

    program = stage(lambda c, xs: list(grad(loss, (0, 1))(c, xs)), F, xs).program
    assert len(str(program).splitlines()) < 40


def test_a_carry_that_is_only_linear_at_first(assert_same: Same) -> None:
    step = stage(lambda c, y: [ops.floor(c), ops.multiply(c, y)], F, F).program

    def loss(x: Operand) -> Operand:
        return bind(Scan(step, 3, 0, 2), x, x)[1]

    # 1.5 * 1 * 1 * 1.5, of which the factors that are rounded are flat
    assert_same([grad(loss)(np.float64(1.5))], [np.float64(3.0)])


def test_loops_in_loops_that_forget(assert_same: Same) -> None:
    inner = stage(lambda c: [np.float64(0), c], F).program

    def turn(i: Operand, c: Operand, d: Operand) -> list[Operand]:
        last, ys = bind(Scan(inner, 2, 0, 1), c)
        return [ops.add(i, np.int32(1)), total(ys), last]

    body = stage(turn, INDEX, F, F).program

    def linear(c: Operand) -> tuple[Operand, ...]:
        return tuple(bind(Scan(body, 3, 0, 3), np.int32(0), c, np.float64(0))[1:])

    assert_same(linear_transpose(linear, np.float64(2))((np.float64(5), np.float64(7))), [5.0])


def test_loops_of_integers_are_not_transposed() -> None:
    body = stage(lambda c: [ops.multiply(c, np.int32(2))], INDEX).program
    transposed = linear_transpose(lambda x: bind(Scan(body, 3, 0, 1), x)[0], np.int32(1))
    with pytest.raises(UnsupportedError, match="a loop is linear in an operand of type i32"):
        transposed(np.int32(1))
