"""What a function reads besides its arguments is read again when Python would read it again.

Globals, cells of closures, attributes, defaults and containers may change between two calls. Transformed functions and
bodies of control flow see it at each call. A jitted function keeps what it saw while it was staged, once for each
signature. The truth is the function itself, called by Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle_ir import evaluating
from treadle_runtime import RuntimeEvaluator

X: Final = np.array([0.5, -1.5, 2.0], np.float32)
FACTOR: Any = 2.0
_START: Final = 2.0
Set = Callable[[Any], None]


@pytest.fixture(autouse=True)
def on_the_runtime(on_the_reference_evaluator: None) -> Iterator[None]:
    """These programs are a user's: they run as the facade runs them."""
    with evaluating(RuntimeEvaluator()), treadle.enable_x64(False):
        yield


# --- where a function reads a value from -------------------------------------------------------------


def scaled_by_global(x: Any) -> Any:
    return x * FACTOR


def helper() -> Any:
    return FACTOR


def scaled_by_helper(x: Any) -> Any:
    return x * helper()


def a_global() -> tuple[Any, Set]:
    return scaled_by_global, functools.partial(globals().__setitem__, "FACTOR")


def a_global_of_a_helper() -> tuple[Any, Set]:
    return scaled_by_helper, functools.partial(globals().__setitem__, "FACTOR")


def a_cell() -> tuple[Any, Set]:
    factor: Any = _START

    def change(value: Any) -> None:
        nonlocal factor
        factor = value

    return lambda x: x * factor, change


def a_cell_of_an_inner_function() -> tuple[Any, Set]:
    inner, change = a_cell()
    return lambda x: inner(x), change


def a_list() -> tuple[Any, Set]:
    factors = [_START]
    return lambda x: x * factors[0], functools.partial(factors.__setitem__, 0)


def a_dictionary() -> tuple[Any, Set]:
    table = {"factor": _START}
    return lambda x: x * table["factor"], functools.partial(table.__setitem__, "factor")


def a_numpy_array() -> tuple[Any, Set]:
    array = np.full(3, _START, np.float32)
    return lambda x: x * array[0], functools.partial(array.__setitem__, slice(None))


def a_default() -> tuple[Any, Set]:
    def function(x: Any, factor: Any = _START) -> Any:
        return x * factor

    def change(value: Any) -> None:
        function.__defaults__ = (value,)

    return function, change


def a_default_that_is_mutable() -> tuple[Any, Set]:
    factors = [_START]

    def function(x: Any, factors: Any = factors) -> Any:
        return x * factors[0]

    return lambda x: function(x), functools.partial(factors.__setitem__, 0)


class Model:
    """A user's object, whose methods and calls read an attribute."""

    def __init__(self) -> None:
        self.factor: Any = _START

    def __call__(self, x: Any) -> Any:
        return x * self.factor

    def method(self, x: Any) -> Any:
        return x * self.factor

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return x * cls.shared  # type: ignore[attr-defined]


def an_attribute() -> tuple[Any, Set]:
    holder = SimpleNamespace(factor=_START)
    return lambda x: x * holder.factor, functools.partial(setattr, holder, "factor")


def a_method() -> tuple[Any, Set]:
    model = Model()
    return model.method, functools.partial(setattr, model, "factor")


def a_callable_object() -> tuple[Any, Set]:
    model = Model()
    return model, functools.partial(setattr, model, "factor")


def a_class_attribute() -> tuple[Any, Set]:
    own: Any = type("Own", (Model,), {"shared": _START})
    return own.of_class, functools.partial(setattr, own, "shared")


def a_partial() -> tuple[Any, Set]:
    factors = [_START]
    bound = functools.partial(lambda factors, x: x * factors[0], factors)
    return bound, functools.partial(factors.__setitem__, 0)


def a_partial_of_a_method() -> tuple[Any, Set]:
    model = Model()
    return functools.partial(model.method), functools.partial(setattr, model, "factor")


SOURCES: Final = (
    *(a_global, a_global_of_a_helper, a_cell, a_cell_of_an_inner_function, a_list, a_dictionary),
    *(a_numpy_array, a_default, a_default_that_is_mutable, an_attribute, a_method),
    *(a_callable_object, a_class_attribute, a_partial, a_partial_of_a_method),
)


# --- how it is called ----------------------------------------------------------------------------------


def with_forward_rule(f: Any) -> Any:
    own = treadle.custom_jvp(lambda x: f(x) * 1)
    own.defjvp(lambda primals, tangents: (f(primals[0]), f(tangents[0]) * 3))
    return lambda x: treadle.grad(lambda x: own(x).sum())(x) + own(x)


def with_backward_rule(f: Any) -> Any:
    own = treadle.custom_vjp(lambda x: f(x) * 1)
    own.defvjp(lambda x: (f(x), None), lambda _, ct: (f(ct) * 3,))
    return lambda x: treadle.grad(lambda x: own(x).sum())(x) + own(x)


USES: Final[dict[str, Callable[[Any], Callable[[Any], Any]]]] = {
    "plain": lambda f: f,
    "grad": lambda f: treadle.grad(lambda x: f(x * x).sum()),
    "grad of it": lambda f: lambda x: treadle.jacrev(f)(x),
    "value_and_grad": lambda f: lambda x: treadle.value_and_grad(lambda x: f(x).sum())(x)[1],
    "vmap": treadle.vmap,
    "vmap of grad": lambda f: treadle.vmap(treadle.grad(f)),
    "jvp": lambda f: lambda x: treadle.jvp(f, (x,), (x,))[1],
    "linearize": lambda f: lambda x: treadle.linearize(f, x)[1](x),
    "vjp": lambda f: lambda x: treadle.vjp(f, x)[1](x)[0],
    "checkpoint": treadle.checkpoint,
    "grad of checkpoint": lambda f: treadle.grad(lambda x: treadle.checkpoint(f)(x).sum()),
    "one checkpoint": lambda f: _with_one(treadle.checkpoint(f)),
    "custom_jvp": with_forward_rule,
    "custom_vjp": with_backward_rule,
    "scan": lambda f: lambda x: lax.scan(lambda c, e: (f(c) + e, f(e)), x, tnp.stack([x, x])),
    "while": lambda f: (
        lambda x: lax.while_loop(lambda p: p[0] < 2, lambda p: (p[0] + 1, f(p[1])), (0, x))
    ),
    "condition": lambda f: lambda x: lax.while_loop(lambda c: f(c).sum() < 50, lambda c: c + 1, x),
    "fori": lambda f: lambda x: lax.fori_loop(0, 2, lambda i, c: f(c) + i, x),
    "cond": lambda f: lambda x: lax.cond(x[0] > 0, f, lambda x: x, x),
    "switch": lambda f: lambda x: lax.switch(1, [lambda x: x, f, lambda x: -x], x),
    "map": lambda f: lambda x: lax.map(f, x),
    "associative_scan": lambda f: lambda x: lax.associative_scan(lambda a, b: f(a) + f(b), x),
    "grad of scan": lambda f: treadle.grad(
        lambda x: lax.scan(lambda c, e: (f(c) * e, None), x.sum(), x)[0]
    ),
}
DIRECT: Final = ("scan", "while", "cond", "switch", "map")  # bodies that are the function itself


def _with_one(f: Any) -> Any:
    return lambda x: f(x) + treadle.grad(lambda x: f(x).sum())(x)


def same(one: Any, other: Any) -> None:
    treadle.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), one, other)


def truth(use: str, factor: Any) -> Any:
    """The result for a factor that is written in the function."""
    return USES[use](lambda x: x * factor)(X)


@pytest.fixture(autouse=True)
def _start() -> Iterator[None]:
    globals()["FACTOR"] = _START
    yield
    globals()["FACTOR"] = _START


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_each_call_reads_again(source: Any, use: str) -> None:
    function, change = source()
    used = USES[use](function)
    for factor in (2.0, 5.0, 2.0, np.float32(3), 4):
        change(factor)
        same(used(X), truth(use, factor if source is not a_numpy_array else np.float32(factor)))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_jit_keeps_what_it_saw_for_each_signature(source: Any) -> None:
    function, change = source()
    compiled = treadle.jit(function)
    change(2.0)
    same(compiled(X), X * 2)
    change(5.0)
    same(compiled(X), X * 2)  # not staged again
    same(compiled(X[:2]), X[:2] * 5)  # another signature
    change(7.0)
    same(compiled(X), X * 2)
    same(compiled(X[:2]), X[:2] * 5)
    same(function(X), X * 7)
    same(treadle.jit(lambda x: function(x))(X), X * 7)  # another function
    compiled.clear_cache()
    same(compiled(X), X * 7)


@pytest.mark.parametrize(
    "use", ["grad", "vmap", "custom_jvp", "custom_vjp", "scan", "cond", "checkpoint"]
)
def test_one_body_under_jit_is_staged_once(use: str) -> None:
    function, change = a_cell()
    compiled = treadle.jit(USES[use](function))
    change(2.0)
    same(compiled(X), truth(use, 2.0))
    change(5.0)
    same(compiled(X), truth(use, 2.0))
    same(USES[use](function)(X), truth(use, 5.0))


@pytest.mark.parametrize("use", USES)
def test_arrays_and_tracers_that_change(use: str) -> None:
    """Values that are captured need not be numbers: arrays, and tracers of an outer derivative."""
    function, change = a_list()
    used = USES[use](function)
    for factor in (np.float32(2), tnp.float32(3), np.float32(2)):
        change(factor)
        same(used(X), truth(use, float(factor)))
    if use in ("custom_jvp", "custom_vjp"):  # their rules speak of their arguments only

        def outer_of_rule(w: Any) -> Any:
            change(w)
            return used(X).sum()

        with pytest.raises(treadle.errors.EscapedTracerError, match="covers its arguments only"):
            treadle.grad(outer_of_rule)(2.0)
    elif use not in ("while", "condition"):

        def outer(w: Any) -> Any:
            change(w)
            return sum(leaf.sum() for leaf in treadle.tree.leaves(used(X)))

        def direct(w: Any) -> Any:
            result = USES[use](lambda x: x * w)(X)
            return sum(leaf.sum() for leaf in treadle.tree.leaves(result))

        for w in (2.0, 3.0):
            same(treadle.grad(outer)(w), treadle.grad(direct)(w))
        same(treadle.vmap(outer)(X), treadle.vmap(direct)(X))
    change(4.0)
    same(used(X), truth(use, 4.0))


def _times_by_jvp(w: Any) -> Any:
    @treadle.custom_jvp
    def times(x: Any) -> Any:
        return w * tnp.sin(x)

    times.defjvp(lambda xs, dxs: (times(*xs), 2 * w * dxs[0]))
    return times


def _times_by_vjp(w: Any) -> Any:
    @treadle.custom_vjp
    def times(x: Any) -> Any:
        return w * tnp.sin(x)

    times.defvjp(lambda x: (times(x), None), lambda _, ct: (2 * w * ct,))
    return times


OVER_A_BATCH: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "values": lambda times, x: times(x),
    "gradient": lambda times, x: treadle.grad(times)(x),
    "gradient of a number": lambda times, x: treadle.grad(times)(2.0),
    "gradient of jit": lambda times, x: treadle.grad(treadle.jit(times))(x),
    "gradient of a loop": lambda times, x: treadle.grad(
        lambda x: lax.fori_loop(0, 3, lambda i, y: times(y), x)
    )(x),
    "gradient of a checkpoint": lambda times, x: treadle.grad(treadle.checkpoint(times))(x),
    "branch": lambda times, x: lax.cond(x > 0, times, lambda x: x, x),
    "second vmap": lambda times, x: treadle.vmap(treadle.grad(times))(x * tnp.arange(1.0, 4.0)),
}


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("kind", [_times_by_jvp, _times_by_vjp])
@pytest.mark.parametrize("use", OVER_A_BATCH)
def test_rules_close_over_what_vmap_batches(
    use: str, kind: Callable[[Any], Any], jitted: bool
) -> None:
    """The truth is the same of one element after the other."""

    def each(w: Any, x: Any) -> Any:
        return OVER_A_BATCH[use](kind(w), x)

    w = np.array([2.0, 3.0, -0.5], np.float32)
    batched = treadle.vmap(each)
    found = (treadle.jit(batched) if jitted else batched)(w, X)
    expected = np.stack([np.asarray(each(a, x)) for a, x in zip(w, X, strict=True)])
    same(found, expected)
    as_argument = treadle.vmap(treadle.grad(lambda w, x: kind(w)(x), argnums=1))(w, X)
    same(as_argument, 2 * w)


@pytest.mark.parametrize("use", USES)
def test_two_threads_with_values_of_their_own(use: str) -> None:
    pairs = [a_list() for _ in range(2)]

    def work(number: int) -> list[Any]:
        function, change = pairs[number]
        used = USES[use](function)
        results = []
        for i in range(4):
            change(float(1 + number * 10 + i))
            results.append(used(X))
        return results

    with ThreadPoolExecutor(2) as pool:
        for number, results in enumerate(pool.map(work, range(2))):
            for i, result in enumerate(results):
                same(result, truth(use, float(1 + number * 10 + i)))
