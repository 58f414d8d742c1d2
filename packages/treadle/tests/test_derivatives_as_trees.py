"""The functions that `vjp` and `linearize` return are trees of their residuals: they go where arrays go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ShapeError

X = np.arange(3, dtype=np.float32) + 0.5
ONES = np.ones(3, np.float32)


def test_residuals_are_the_leaves() -> None:
    _, pullback = treadle.vjp(tnp.sin, X)
    np.testing.assert_allclose(treadle.tree.leaves(pullback), [np.cos(X)], rtol=1e-6)
    _, pushforward = treadle.linearize(tnp.sin, X)
    np.testing.assert_allclose(treadle.tree.leaves(pushforward), [np.cos(X)], rtol=1e-6)


def test_a_jitted_function_returns_and_takes_them() -> None:
    for transformed in (treadle.vjp, treadle.linearize):
        passes = treadle.jit(lambda x, transformed=transformed: transformed(tnp.sin, x)[1])
        first, second = passes(X), passes(2 * X)
        (found,) = treadle.tree.leaves(treadle.jit(lambda f, t: f(t))(first, ONES))
        np.testing.assert_allclose(found, np.cos(X), rtol=1e-6)
        (found,) = treadle.tree.leaves(second(ONES))
        np.testing.assert_allclose(found, np.cos(2 * X), rtol=1e-6)
        assert treadle.tree.structure(first) == treadle.tree.structure(second)


def test_loops_and_batches_stack_them() -> None:
    _, stacked = lax.scan(lambda c, x: (c, treadle.vjp(tnp.sin, x)[1]), 0.0, X)
    np.testing.assert_allclose(
        treadle.vmap(lambda pullback: pullback(np.float32(1))[0])(stacked), np.cos(X), rtol=1e-6
    )
    mapped = treadle.vmap(lambda x: treadle.vjp(tnp.sin, x)[1])(X)
    np.testing.assert_allclose(
        treadle.vmap(lambda pullback: pullback(np.float32(1))[0])(mapped), np.cos(X), rtol=1e-6
    )


def test_they_are_residuals_of_a_rule() -> None:
    @treadle.custom_vjp
    def f(x):
        return tnp.sin(x)

    f.defvjp(lambda x: treadle.vjp(tnp.sin, x), lambda pullback, ct: pullback(2 * ct))
    for gradient in (
        treadle.grad(lambda x: f(x).sum()),
        treadle.jit(treadle.grad(lambda x: f(x).sum())),
    ):
        np.testing.assert_allclose(gradient(X), 2 * np.cos(X), rtol=1e-6)


def test_integers_are_cotangents_of_integers_and_count_as_zero() -> None:
    _, pullback = treadle.vjp(lambda x, n: (2 * x, n), X, np.int32(3))
    gradient, none = pullback((X, np.int32(3)))
    np.testing.assert_array_equal(gradient, 2 * X)
    assert none.dtype == treadle.float0
    with pytest.raises(ShapeError):
        pullback((X, np.int16(3)))


@pytest.mark.parametrize(("primal", "weak"), [(1.0, True), (np.float32(1), False)])
def test_a_transpose_is_as_weak_as_its_primals(primal: float, weak: bool) -> None:
    for cotangent in (3.0, np.float32(3)):
        (ct,) = treadle.linear_transpose(lambda x: x * 2, primal)(cotangent)
        assert (float(ct), ct.weak_type) == (6, weak)


def test_second_derivatives_that_are_0_are_as_weak_as_others() -> None:
    for f in (lambda x: x * 2, lambda x: x**3):
        assert treadle.hessian(f)(1.0).weak_type
        assert not treadle.hessian(f)(np.float32(1)).weak_type


def test_parameters_that_are_not_saved_leave_no_jitted_function() -> None:
    w = tnp.array([2.0, 3.0, 4.0])
    layer = treadle.jit(lambda x, w: tnp.sin(x) * w)
    forward = treadle.jit(lambda x, w: treadle.vjp(layer, x, w, saveable_args=(True, False))[1])
    f_vjp = forward(X, w)
    assert len(treadle.tree.leaves(f_vjp)) == 2  # the cosine and the sine, not w
    f_vjp.args_res[1] = w
    backward = treadle.jit(lambda f_vjp, ct: f_vjp(ct))
    for gradient, expected in zip(
        backward(f_vjp, ONES), treadle.vjp(layer, X, w)[1](ONES), strict=True
    ):
        np.testing.assert_allclose(gradient, expected, rtol=1e-6)


def test_cotangents_are_added_to_references_in_jitted_functions() -> None:
    total = treadle.new_ref(tnp.zeros(3))

    @treadle.jit
    def add(ref: treadle.Ref, x: treadle.Array) -> None:
        treadle.vjp(tnp.sin, x)[1].with_refs(ref)(tnp.ones(3))

    add(total, tnp.asarray(X))
    add(total, tnp.asarray(X))
    np.testing.assert_allclose(total[...], 2 * np.cos(X), rtol=1e-6)


def test_the_program_that_is_transposed() -> None:
    jaxpr = treadle.vjp(tnp.sin, X)[1].jaxpr
    assert [str(each) for each in jaxpr.in_avals] == ["float32[3]", "float32[3]"]
    assert [equation.primitive.name for equation in jaxpr.eqns] == ["mul"]


@pytest.mark.parametrize(
    "wrap", [treadle.jit, treadle.checkpoint, lambda f: lambda x: lax.cond(True, f, f, x)]
)
def test_linear_functions_of_integers_are_transposed_within_calls(wrap: Any) -> None:
    def f(x: Any) -> Any:
        return 3 * x[::-1], x.sum()

    x = treadle.ShapeDtypeStruct((3,), np.int32)
    (found,) = treadle.linear_transpose(wrap(f), x)((tnp.array([1, 2, 3]), tnp.int32(4)))
    assert (found.dtype, found.tolist()) == (np.int32, [13, 10, 7])
