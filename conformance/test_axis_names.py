"""A function that names mapped axes gives in each surrounding what a fresh function gives there.

One function object - jitted, checkpointed, with a rule of its own, or with a body of control flow - is used under axes
of other names, sizes and nesting, in turn. What is kept of one surrounding must not be used in another.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle_ir import evaluating
from treadle_ir.errors import AxisNameError
from treadle_runtime import RuntimeEvaluator

X: Final = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4) / 8


@pytest.fixture(autouse=True)
def on_the_runtime(on_the_reference_evaluator: None) -> Iterator[None]:
    """These programs are a user's: they run as the facade runs them."""
    with evaluating(RuntimeEvaluator()), treadle.enable_x64(False):
        yield


BODIES: Final[dict[str, Callable[[Any], Any]]] = {
    "psum": lambda x: x / lax.psum(x, "i"),
    "index": lambda x: x * (lax.axis_index("i") + 1),
    "size": lambda x: x * lax.axis_size("i"),
    "shape": lambda x: x + tnp.ones(lax.axis_size("i")).sum(),
    "pmean": lambda x: x - lax.pmean(x, "i"),
    "pmax": lambda x: x * lax.pmax(lax.stop_gradient(x), "i"),
    "all_gather": lambda x: lax.all_gather(x, "i").sum(0) * x,
}


def _with_forward_rule(f: Any) -> Any:
    own = treadle.custom_jvp(lambda x: f(x))
    own.defjvp(lambda xs, dxs: (f(xs[0]), dxs[0] * lax.axis_size("i") * lax.axis_index("i")))
    return own


def _with_backward_rule(f: Any) -> Any:
    own = treadle.custom_vjp(lambda x: f(x))
    own.defvjp(lambda x: (f(x), None), lambda _, ct: (ct * lax.axis_size("i"),))
    return own


WRAPPERS: Final[dict[str, Callable[[Any], Any]]] = {
    "plain": lambda f: f,
    "jit": treadle.jit,
    "jit of jit": lambda f: treadle.jit(treadle.jit(f)),
    "checkpoint": treadle.checkpoint,
    "jit of checkpoint": lambda f: treadle.jit(treadle.checkpoint(f)),
    "custom_jvp": _with_forward_rule,
    "custom_vjp": _with_backward_rule,
    "jit of custom_jvp": lambda f: treadle.jit(_with_forward_rule(f)),
    "jit of grad": lambda f: treadle.jit(treadle.grad(lambda x: (f(x) ** 2).sum())),
    "scan": lambda f: lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0],
    "cond": lambda f: lambda x: lax.cond(True, f, lambda x: x, x),
}

# The axes of X that are mapped, outermost first, by name; the bodies name "i".
SURROUNDINGS: Final[tuple[tuple[tuple[str, int], ...], ...]] = (
    (("i", 0),),
    (("i", 2),),
    (("j", 0), ("i", 1)),
    (("i", 0), ("j", 1)),
    (("i", 1), ("j", 0)),
    (("i", 0), ("i", 0)),  # the inner one hides the outer one
    (("k", 0), ("i", 1), ("j", 0)),
)


def surrounded(f: Any, axes: tuple[tuple[str, int], ...]) -> Any:
    for name, axis in reversed(axes):
        f = treadle.vmap(f, in_axes=axis, axis_name=name)
    return f


def repeated(f: Any, times: int) -> Any:
    def function(x: Any) -> Any:
        for _ in range(times):
            x = f(x)
        return x

    return function


def same(one: Any, other: Any) -> None:
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("body", BODIES)
def test_one_function_in_many_surroundings(body: str, wrapper: str) -> None:
    function = BODIES[body]
    reused = WRAPPERS[wrapper](function)
    for axes in (*SURROUNDINGS, *SURROUNDINGS[::-1]):
        fresh = WRAPPERS[wrapper](lambda x: function(x))
        same(surrounded(reused, axes)(X), surrounded(fresh, axes)(X))


@pytest.mark.parametrize(
    "wrapper", ["jit", "checkpoint", "jit of checkpoint", "custom_jvp", "scan", "cond"]
)
def test_against_the_body_itself(wrapper: str) -> None:
    reused = {name: WRAPPERS[wrapper](body) for name, body in BODIES.items()}
    for axes, name in itertools.product(SURROUNDINGS, BODIES):
        times = 2 if wrapper == "scan" else 1
        same(surrounded(reused[name], axes)(X), surrounded(repeated(BODIES[name], times), axes)(X))


@pytest.mark.parametrize("wrapper", ["jit", "checkpoint", "custom_jvp", "custom_vjp", "cond"])
@pytest.mark.parametrize("body", ["psum", "index", "size", "all_gather"])
def test_derivatives_in_many_surroundings(body: str, wrapper: str) -> None:
    function = BODIES[body]
    reused = WRAPPERS[wrapper](function)

    def gradient(f: Any, axes: Any) -> Any:
        return treadle.grad(lambda x: (surrounded(f, axes)(x) ** 2).sum())(X)

    for axes in (*SURROUNDINGS[:5], SURROUNDINGS[0]):
        same(gradient(reused, axes), gradient(WRAPPERS[wrapper](lambda x: function(x)), axes))
        compiled = treadle.jit(lambda: gradient(reused, axes))  # noqa: B023 - it is called at once
        same(compiled(), gradient(reused, axes))


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("body", BODIES)
def test_an_unbound_name_is_refused_each_time(body: str, wrapper: str) -> None:
    reused = WRAPPERS[wrapper](BODIES[body])
    for _ in range(2):
        with pytest.raises(AxisNameError, match="'i'"):
            reused(X)
        with pytest.raises(NameError):
            treadle.vmap(reused, axis_name="other")(X)
        surrounded(reused, SURROUNDINGS[0])(X)  # and what works does not make it work elsewhere


def test_sizes_are_pythons_integers_of_the_surrounding() -> None:
    seen: list[int] = []

    def f(x: Any) -> Any:
        seen.append(lax.axis_size("i"))
        return x.sum()

    compiled = treadle.jit(f)
    for axis in (0, 1, 2, 0, 1, 2):
        treadle.vmap(compiled, in_axes=axis, axis_name="i")(X)
    assert seen[:3] == [2, 3, 4]
    assert set(seen) == {2, 3, 4}


MAPPED: Final[dict[str, Callable[[Callable[[Any], Any]], Any]]] = {
    "vmap": lambda f: treadle.vmap(f, axis_name="i")(X[0]),
    "jit": lambda f: treadle.jit(treadle.vmap(f, axis_name="i"))(X[0]),
    "scan": lambda f: treadle.vmap(
        lambda x: lax.scan(lambda c, _: (f(c), None), x, length=1)[0], axis_name="i"
    )(X[0]),
    "grad": lambda f: treadle.vmap(treadle.grad(lambda x: f(x).sum()), axis_name="i")(X[0]),
}


@pytest.mark.parametrize("surrounding", MAPPED)
def test_a_sum_of_a_number_is_a_number(surrounding: str) -> None:
    # `psum(1, name)` is how many programs ask for the size of an axis, and then count to it.
    def f(x: Any) -> Any:
        count, half = lax.psum(1, "i"), lax.psum(0.5, "i")
        assert (type(count), type(half)) == (int, float)
        assert lax.psum((1, x), "i")[0] == count == 3
        assert lax.psum(2, "i", axis_index_groups=[[0, 1, 2]]) == 6
        return sum(x for _ in range(count)) * half

    got = MAPPED[surrounding](f)
    np.testing.assert_allclose(
        got, np.full_like(X[0], 4.5) if surrounding == "grad" else 4.5 * X[0]
    )


def test_a_sum_of_a_number_leaves_narrow_types() -> None:
    narrow = tnp.arange(3, dtype=tnp.int8)
    assert treadle.vmap(lambda x: x * lax.psum(1, "i"), axis_name="i")(narrow).dtype == tnp.int8


def test_sums_and_means_count_booleans() -> None:
    booleans = np.array([True, False, True])
    both = treadle.vmap(lambda x: (lax.psum(x, "i"), lax.pmean(x, "i")), axis_name="i")
    for got in (both(booleans), treadle.jit(both)(booleans)):
        np.testing.assert_array_equal(got[0], [2, 2, 2])
        assert got[0].dtype == np.int32
        np.testing.assert_allclose(got[1], np.full(3, 2 / 3), rtol=1e-6)
    same = treadle.vmap(lambda x: x + lax.pmean(True, "i"), axis_name="i")(np.zeros(3))
    np.testing.assert_array_equal(same, np.ones(3))
