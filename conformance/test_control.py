"""Control flow against Python's: derivatives of vectorised loops, loops of derivatives, compiled and not."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import grad, jit, jvp, lax, vmap
from treadle_ir import ReferenceEvaluator, evaluating, interpret, stage, type_of

ROWS: Final = 3
RANDOM: Final = np.random.default_rng(11)
W, X, XS = RANDOM.normal(size=3), RANDOM.normal(size=3), RANDOM.normal(size=(4, 3))

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """The system as users have it, with 64 bits."""
    with treadle.enable_x64():
        yield


@treadle.custom_jvp
def odd(x: Any) -> Any:
    return tnp.sin(x)


odd.defjvp(lambda xs, dxs: (odd(xs[0]), dxs[0] * np.array([1.0, 2.0, 3.0])))


@treadle.custom_vjp
def times(x: Any, y: Any) -> Any:
    return x * y


times.defvjp(
    lambda x, y: (times(x, y), (x, y)),
    lambda kept, ct: (kept[1] * ct * np.array([1.0, 2.0, 3.0]), kept[0] * ct),
)

again = treadle.checkpoint(lambda c, w: tnp.sin(c * w) + c)
inner: Any = jit(lambda c, w: tnp.tanh(c + w) * c)


def step(c: Any, w: Any) -> Any:
    return tnp.sin(c * w) + 0.5 * c


STEPS: Final[dict[str, Function]] = {
    "plain": step,
    "custom_jvp": lambda c, w: odd(c * w),
    "custom_vjp": lambda c, w: times(tnp.sin(c), w),
    "checkpoint": again,
    "jit": inner,
    "cond": lambda c, w: lax.cond(c.sum() > 0.3, lambda c: tnp.sin(c) * w, lambda c: c * c + w, c),
    "scan": lambda c, w: lax.scan(lambda c, _: (step(c, w), None), c, None, length=2)[0],
    "switch": lambda c, w: lax.switch(
        (c[0] * 10).astype(int) % 3, [tnp.sin, tnp.cos, lambda c: c * w], c
    ),
    "while": lambda c, w: lax.while_loop(
        lambda p: p[0] < 2, lambda p: (p[0] + 1, step(p[1], w)), (0, c), max_steps=3
    )[1],
}
PYTHON_STEPS: Final[dict[str, Function]] = {
    **STEPS,
    "cond": lambda c, w: tnp.sin(c) * w if c.sum() > 0.3 else c * c + w,
    "scan": lambda c, w: step(step(c, w), w),
    "switch": lambda c, w: (
        tnp.sin(c) if (n := int(c[0] * 10) % 3) == 0 else tnp.cos(c) if n == 1 else c * w
    ),
    "while": lambda c, w: step(step(c, w), w),
    "jit": lambda c, w: tnp.tanh(c + w) * c,
    "checkpoint": lambda c, w: tnp.sin(c * w) + c,
}


def scanned(name: str, reverse: bool = False) -> Function:
    body = STEPS[name]

    def function(w: Any, c: Any, xs: Any) -> Any:
        carry, ys = lax.scan(lambda c, x: (body(c, w) + x, c * x), c, xs, reverse=reverse)
        return tnp.sum(tnp.sin(carry)) + tnp.sum(ys * ys)

    return function


def looped(name: str, reverse: bool = False) -> Function:
    body = PYTHON_STEPS[name]

    def function(w: Any, c: Any, xs: Any) -> Any:
        total: Any = 0.0
        for i in reversed(range(4)) if reverse else range(4):
            y = c * xs[i]
            c = body(c, w) + xs[i]
            total = total + tnp.sum(y * y)
        return tnp.sum(tnp.sin(c)) + total

    return function


def assert_same(actual: Any, expected: Any, message: str = "") -> None:
    for one, two in zip(treadle.tree.leaves(actual), treadle.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(
            np.asarray(one), np.asarray(two), rtol=1e-9, atol=1e-11, err_msg=message
        )


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("reverse", [False, True])
def test_scan_and_loop_have_one_gradient(name: str, reverse: bool) -> None:
    expected = grad(looped(name, reverse), (0, 1, 2))(W, X, XS)
    gradient = grad(scanned(name, reverse), (0, 1, 2))
    assert_same(gradient(W, X, XS), expected)
    assert_same(jit(gradient)(W, X, XS), expected)


@pytest.mark.parametrize("name", [name for name in STEPS if name != "custom_vjp"])
def test_scan_and_loop_have_one_hessian_product(name: str) -> None:
    def product(function: Function) -> Function:
        return lambda *xs: jvp(grad(function, (0, 1, 2)), xs, (X, W, XS[::-1]))[1]

    expected = product(looped(name))(W, X, XS)
    assert_same(product(scanned(name))(W, X, XS), expected)
    assert_same(jit(product(scanned(name)))(W, X, XS), expected)


def rows_of(function: Function, dims: Sequence[int | None], arguments: Sequence[Any]) -> Any:
    """A function of rows, one at a time."""
    results = [
        function(
            *[
                x if d is None else np.take(x, row, axis=d)
                for x, d in zip(arguments, dims, strict=True)
            ]
        )
        for row in range(ROWS)
    ]
    leaves = zip(*[treadle.tree.leaves(result) for result in results], strict=True)
    return [np.stack([np.asarray(leaf) for leaf in each]) for each in leaves]


def staged(function: Function, arguments: Sequence[Any]) -> Any:
    """A function staged first and then run on NumPy: compiling each of so many would take minutes."""
    found = stage(lambda *xs: treadle.tree.leaves(function(*xs)), *[type_of(x) for x in arguments])
    with evaluating(ReferenceEvaluator()):
        return interpret(found.program, *[np.asarray(x) for x in found.captured], *arguments)


def stacked(x: Any, dim: int | None) -> Any:
    return x if dim is None else np.stack([x + 0.3 * row for row in range(ROWS)], axis=dim)


@pytest.mark.parametrize("name", STEPS)
def test_vectorised_gradient_of_a_scan_is_that_of_each_row(name: str) -> None:
    gradient = grad(scanned(name), (0, 1, 2))
    for dims in ((0, None, None), (None, 1, None), (1, None, 2), (None, None, 0), (0, 0, 1)):
        given = [stacked(x, d) for x, d in zip((W, X, XS), dims, strict=True)]
        expected = rows_of(gradient, dims, given)
        assert_same(staged(vmap(gradient, in_axes=dims), given), expected, str(dims))


@pytest.mark.parametrize("name", STEPS)
def test_gradient_of_a_vectorised_scan_is_that_of_each_row(name: str) -> None:
    """Cotangents of what all batch elements share are summed."""
    for dims in ((None, 0, None), (0, None, 1), (0, 0, 0)):
        given = [stacked(x, d) for x, d in zip((W, X, XS), dims, strict=True)]
        mapped = vmap(scanned(name), in_axes=dims)
        gradient = grad(lambda *xs, mapped=mapped: tnp.sum(mapped(*xs)), (0, 1, 2))
        actual = staged(gradient, given)
        each = rows_of(grad(scanned(name), (0, 1, 2)), dims, given)
        for ct, rows, dim in zip(actual, each, dims, strict=True):
            expected = rows.sum(axis=0) if dim is None else np.moveaxis(rows, 0, dim)
            assert_same(ct, expected, str(dims))


def halving(k: Any, w: Any, x: Any) -> Any:
    return lax.while_loop(
        lambda p: (p[0] < k) & (tnp.sum(p[1]) < 30.0),
        lambda p: (p[0] + 1, step(p[1], w) * 1.5),
        (0, x),
    )


def test_vectorised_while_is_each_rows_while() -> None:
    ks = np.array([0, 3, 5])
    for dims in itertools.product((0, None), (0, 1, None), (0, 1, None)):
        if dims == (None, None, None):
            continue
        given = [ks if dims[0] == 0 else 4, stacked(W, dims[1]), stacked(X, dims[2])]
        expected = rows_of(halving, dims, given)
        assert_same(staged(vmap(halving, in_axes=dims), given), expected, str(dims))


def test_pushing_tangents_through_a_vectorised_while() -> None:
    ks = np.array([0, 3, 5])

    def pushed(k: Any, w: Any) -> Any:
        return jvp(lambda w: halving(k, w, X)[1], (w,), (X,))

    assert_same(vmap(pushed, in_axes=(0, None))(ks, W), rows_of(pushed, (0, None), [ks, W]))


@pytest.mark.xla
def test_the_text_of_a_scan_does_not_grow() -> None:
    def lines(length: int) -> int:
        loss = grad(lambda c, xs: lax.scan(lambda c, x: (tnp.sin(c + x), c), c, xs)[0])
        return len(jit(loss).lower(0.5, tnp.zeros(length)).as_text().splitlines())

    assert lines(10) == lines(10_000)


@pytest.mark.xla
def test_a_long_scan_runs_compiled_and_not() -> None:
    xs = np.linspace(0, 1, 10_000)
    eager = lax.scan(lambda c, x: (tnp.sin(c + x), c), 0.5, xs)[0]
    compiled = jit(lambda c: lax.scan(lambda c, x: (tnp.sin(c + x), c), c, xs)[0])(0.5)
    c = 0.5
    for x in xs:
        c = np.sin(c + x)
    assert_same([eager, compiled], [c, c])


@pytest.mark.xla
@pytest.mark.parametrize("kind", ["fori_loop", "cond"])
def test_deep_nesting(kind: str) -> None:
    def around(f: Function) -> Function:
        if kind == "cond":
            return lambda c: lax.cond(c > 100.0, lambda c: c, f, c)
        return lambda c: lax.fori_loop(0, 1, lambda i, c: f(c), c)

    function: Function = tnp.sin
    for _ in range(100):
        function = around(function)
    assert_same(jit(function)(0.5), np.sin(0.5))
    assert_same(vmap(function)(np.array([0.5, 1.0])), np.sin([0.5, 1.0]))
    assert_same(jvp(function, (0.5,), (1.0,))[1], np.cos(0.5))
