"""Traces of a library's own: operations under JAX's names, and what they are bound to again."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.core import Trace, Tracer
from treadle.errors import ArgumentError
from treadle.extend.core import Primitive, find_top_trace, set_current_trace
from treadle.extend.linear_util import WrappedFun, wrap_init


class Boxed(Tracer):
    """A value of the trace below."""

    def __init__(self, trace, value):
        super().__init__(trace, treadle.typeof(value))
        self.value = value


class Recording(Trace):
    """Computes under the trace around it, and keeps the names of the operations."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def process_primitive(self, primitive, tracers, params):
        self.seen.append(str(primitive))
        values = [x.value if isinstance(x, Boxed) else x for x in tracers]
        avals = [treadle.typeof(x) for x in values]
        found = primitive.bind_with_trace(self.parent, values, avals, params)
        if primitive.multiple_results:
            return [Boxed(self, each) for each in found]
        return Boxed(self, found)


def recorded(function, *arguments, trace=None):
    """The result of a function under such a trace, and what was seen."""
    trace = Recording() if trace is None else trace
    boxed = [Boxed(trace, tnp.asarray(x)) for x in arguments]
    with set_current_trace(trace):
        result = function(*boxed)
    trace.invalidate()
    return treadle.tree.map(lambda x: x.value, result), trace.seen


X = np.array([0.5, 1.0, 2.0], np.float32)
FUNCTIONS = {
    "elementwise": (lambda x: tnp.sin(x) * 3 + x, ["sin", "mul", "add"]),
    "reduction": (lambda x: lax.reduce_sum(x, axes=(0,)), ["reduce_sum"]),
    "jit": (lambda x: treadle.jit(lambda y: lax.exp(y) * y)(x), ["jit"]),
    "several results": (lambda x: lax.sort([x, -x], num_keys=1), ["neg", "sort"]),
    "reordered operands": (lambda x: lax.select(x > 1, x, -x), ["gt", "neg", "select_n"]),
    "branches": (lambda x: lax.cond(True, lax.sin, lax.cos, x), ["cond"]),
    "a loop": (lambda x: lax.scan(lambda c, y: (c + y, c * y), tnp.float32(0), x), ["scan"]),
}


@pytest.mark.parametrize(("function", "names"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_operations_are_given_under_their_names_and_bound_again(function, names):
    found, seen = recorded(function, X)
    assert [name for name in seen if name in names] == names
    treadle.tree.map(np.testing.assert_array_equal, found, function(tnp.asarray(X)))


def test_functions_with_rules_are_interpreted_operation_by_operation():
    @treadle.custom_jvp
    def f(x):
        return tnp.sin(x) * x

    f.defjvp(lambda primals, tangents: (f(*primals), tangents[0]))
    found, seen = recorded(f, X)
    np.testing.assert_array_equal(found, f(X))
    assert seen == ["sin", "mul"]


class Keeping(Recording):
    """Binds functions with rules again, with the rules that they have."""

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, *, symbolic_zeros):
        return self.again(primitive, (fun, jvp), tracers, symbolic_zeros=symbolic_zeros)

    def process_custom_vjp_call(
        self, primitive, fun, fwd, bwd, tracers, *, out_trees, symbolic_zeros
    ):
        return self.again(
            primitive,
            (fun, fwd, bwd),
            tracers,
            out_trees=out_trees,
            symbolic_zeros=symbolic_zeros,
        )

    def again(self, primitive, functions, tracers, **params):
        assert isinstance(functions[0], WrappedFun)
        return self.process_primitive(primitive, tracers, {**params, "subfuns": functions})


@treadle.custom_jvp
def _forward_ruled(x, count):
    return {"scaled": tnp.sin(x) * count, "count": count}


@_forward_ruled.defjvp
def _(primals, tangents):
    out = _forward_ruled(*primals)
    return out, {"scaled": 100 * tangents[0], "count": tangents[1]}


@treadle.custom_vjp
def _backward_ruled(x, count):
    return {"scaled": tnp.sin(x) * count, "count": count}


_backward_ruled.defvjp(
    lambda x, count: (_backward_ruled(x, count), {"x": x}),
    lambda residuals, cotangents: (100 * cotangents["scaled"] + 0 * residuals["x"], None),
)
RULED = {
    "custom_jvp": (_forward_ruled, "custom_jvp_call"),
    "custom_vjp": (_backward_ruled, "custom_vjp_call"),
}


@pytest.mark.parametrize(("function", "name"), RULED.values(), ids=RULED)
def test_a_trace_may_keep_the_rules_of_functions(function, name):
    def f(x):
        found, seen = recorded(function, x, 3, trace=Keeping())
        assert seen == [name]
        return found["scaled"].sum()

    assert recorded(function, X, 3, trace=Keeping())[0]["count"] == 3
    np.testing.assert_allclose(f(X), 3 * np.sin(X).sum(), rtol=1e-6)
    rules = 100 * np.ones(3)
    np.testing.assert_array_equal(treadle.grad(f)(X), rules)
    np.testing.assert_array_equal(treadle.jit(treadle.grad(f))(X), rules)
    np.testing.assert_array_equal(treadle.grad(treadle.jit(f))(X), rules)
    rows = treadle.vmap(treadle.grad(f))(np.stack([X, X]))
    np.testing.assert_array_equal(rows, [rules, rules])


@pytest.mark.parametrize(("function", "name"), RULED.values(), ids=RULED)
def test_rules_run_under_a_trace(function, name):
    trace = Keeping()
    gradient = treadle.grad(lambda x: function(x, 3)["scaled"])
    found, seen = recorded(gradient, np.float32(1), trace=trace)
    assert found == 100
    assert "mul" in seen


def test_what_a_method_wraps_runs():
    calls = []

    class Wrapping(Keeping):
        def again(self, primitive, functions, tracers, **params):
            def noting(kind, function):
                def noted(*operands):
                    calls.append(kind)
                    return function.call_wrapped(*operands)

                return wrap_init(noted)

            kinds = ("function", "jvp") if len(functions) == 2 else ("function", "fwd", "bwd")
            wrapped = tuple(map(noting, kinds, functions))
            return super().again(primitive, wrapped, tracers, **params)

    for function, _ in RULED.values():
        treadle.grad(lambda x: recorded(function, x, 3, trace=Wrapping())[0]["scaled"])(1.0)  # noqa: B023
    assert [each for each in calls if each != "function"] == ["jvp", "fwd", "bwd"]


@pytest.mark.parametrize(("function", "name"), RULED.values(), ids=RULED)
def test_functions_with_rules_may_be_called_while_another_trace_is_current(function, name):
    class Elsewhere(Recording):
        def run(self, primitive, fun, *rest, **params):
            *_, tracers = rest
            self.seen.append(str(primitive))
            with set_current_trace(self.parent):
                return fun.call_wrapped(*tracers)

        process_custom_jvp_call = process_custom_vjp_call = run

    def f(x):
        found, seen = recorded(function, x, 3, trace=Elsewhere())
        assert seen[:2] == [name, "sin"]
        return found["scaled"]

    np.testing.assert_allclose(f(X), 3 * np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(treadle.jit(f)(X), 3 * np.sin(X), rtol=1e-6)


def test_operations_of_a_library_are_bound_again():
    twice_p = Primitive("twice")
    twice_p.def_impl(lambda x: 2 * x)
    twice_p.def_abstract_eval(lambda x: x)
    found, seen = recorded(twice_p.bind, X)
    np.testing.assert_array_equal(found, 2 * X)
    assert seen == ["twice"]


def test_changed_parameters_count():
    x = tnp.ones((2, 3))

    class Otherwise(Recording):
        def process_primitive(self, primitive, tracers, params):
            if str(primitive) == "reduce_sum":
                params["axes"] = (1,)
            return super().process_primitive(primitive, tracers, params)

    trace = Otherwise()
    with set_current_trace(trace):
        found = lax.reduce_sum_p.bind(Boxed(trace, x), axes=(0,))
    np.testing.assert_array_equal(found.value, [3, 3])


def test_under_jit_and_vmap_and_grad():
    def f(x):
        return recorded(lambda x: tnp.sum(tnp.sin(x) * x), x)[0]

    wanted = np.sum(np.sin(X) * X)
    np.testing.assert_allclose(treadle.jit(f)(X), wanted, rtol=1e-6)
    np.testing.assert_allclose(treadle.grad(f)(X), np.cos(X) * X + np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(treadle.vmap(f)(np.stack([X, X])), [wanted] * 2, rtol=1e-6)


def test_traces_of_threads_do_not_meet():
    seen = []

    def work():
        seen.append(recorded(FUNCTIONS["elementwise"][0], X)[1])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [["sin", "mul", "add"]] * 4


def test_results_that_are_no_list_are_refused():
    class One(Trace):
        def process_primitive(self, primitive, tracers, params):
            return tracers[0]

    trace, x = One(), tnp.ones(3)
    with (
        set_current_trace(trace),
        pytest.raises(ArgumentError, match="the results of sort must be a list"),
    ):
        lax.sort_p.bind(Boxed(trace, x), dimension=0, is_stable=True, num_keys=1)


def test_a_trace_without_its_method_is_none():
    with pytest.raises(TypeError, match="process_primitive"):
        type("Bare", (Trace,), {})()


def test_interpretations_of_treadle_s_own_are_traces():
    seen = []
    treadle.jit(lambda x: (seen.append(find_top_trace(x)), x)[1])(1.0)
    assert [isinstance(each, Trace) for each in (*seen, find_top_trace(1.0))] == [True, True]
    assert not isinstance(seen[0], Recording)
    assert isinstance(Recording(), Recording)


def test_a_trace_is_valid_until_it_is_over():
    trace = Recording()
    assert trace.is_valid()
    trace.invalidate()
    assert not trace.is_valid()
