from __future__ import annotations

import functools
import gc
import inspect
import pickle
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArgumentError, stage
from treadle_ir.errors import EscapedTracerError, RangeError
from treadle_ir.settings import X64
from treadle_ir.tree import register_pytree_node_class
from treadle_runtime import DeviceArray, Inline, disable_jit, from_host, jit, timings

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has

F4 = np.dtype("f4")


def _noted(notes: list[Any], note: Any, value: Any) -> Any:
    notes.append(note)
    return value


def array(*values: float, dtype: str = "f4") -> DeviceArray:
    return from_host(np.array(values, dtype))


def plus(x: Any, value: float) -> Any:
    return ops.add(x, ops.convert(np.float32(value), dtype=x.dtype))


class Counted:
    """A function that counts how often its Python runs."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.count = 0
        self.__name__ = "counted"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        return self.function(*args, **kwargs)


def test_jit04_one_trace_many_runs() -> None:
    body = Counted(lambda x: ops.add(x, x))
    f = jit(body)
    assert [f(array(i)).tolist() for i in range(5)] == [[0], [2], [4], [6], [8]]
    assert body.count == 1


def test_jit03_a_captured_python_value_is_frozen() -> None:
    box = [10.0]
    f = jit(lambda x: plus(x, box[0]))
    assert f(array(1)).tolist() == [11]
    box[0] = 99
    assert f(array(1)).tolist() == [11]
    assert f(array(5)).tolist() == [15]


def test_jit05_a_new_shape_traces_again() -> None:
    box = [1.0]
    body = Counted(lambda x: plus(x, box[0]))
    g = jit(body)
    assert g(array(1, 1)).tolist() == [2, 2]
    box[0] = 5
    assert g(array(1, 1, 1)).tolist() == [6, 6, 6]
    assert g(array(1, 1)).tolist() == [2, 2]
    assert body.count == 2


def test_works_as_a_decorator_in_both_forms() -> None:
    @jit
    def f(x: Any) -> Any:
        """Doubles."""
        return ops.add(x, x)

    @jit(static_argnames="n")
    def g(x: Any, n: int) -> Any:
        return plus(x, n)

    assert f(array(1)).tolist() == [2]
    assert g(array(1), 3).tolist() == [4]
    assert g(array(1), n=3).tolist() == [4]
    assert (vars(f)["__name__"], f.__doc__) == ("f", "Doubles.")
    assert f.__wrapped__(np.float32(1)) == 2


def test_trees_go_in_and_out() -> None:
    @jit
    def f(tree: Any, *, scale: Any) -> Any:
        return {"sum": ops.add(tree["a"], tree["b"][0]), "rest": (scale, None, [tree["a"]])}

    given = f({"a": array(1), "b": [array(2)]}, scale=array(3))
    assert given["sum"].tolist() == [3]
    assert given["rest"][0].tolist() == [3]
    assert given["rest"][1] is None
    assert given["rest"][2][0].tolist() == [1]


def test_positional_and_keyword_calls_are_told_apart() -> None:
    seen: list[tuple[Any, Any]] = []

    @jit
    def f(*args: Any, **kwargs: Any) -> Any:
        seen.append((len(args), sorted(kwargs)))
        return args[0][0] if isinstance(args[0], tuple) else args[0]

    f((array(1),), {"a": array(2)})
    f(array(1), a=array(2))
    assert seen == [(2, []), (1, ["a"])]


def test_python_scalars_are_weak_and_numpy_is_narrowed() -> None:
    body = Counted(lambda x: x)
    f: Any = jit(body)
    assert f(2).weak_type
    assert f(2).dtype == np.int32
    assert f(2.5).dtype == np.float32
    assert f(True).dtype == np.bool_
    assert f(np.float64(1)).dtype == np.float32
    assert f(np.ones(2)).dtype == np.float32
    assert body.count == 5  # i32*, f32*, bool, f32, f32[2]
    with X64.override(True):
        assert f(np.ones(2)).dtype == np.float64
        assert f(2).dtype == np.int64


def test_numpy_arguments_are_copied() -> None:
    mine = np.zeros(100_000, "f4")
    f = jit(lambda x: ops.add(x, x))
    result = f(mine)
    mine[:] = 1
    assert not np.asarray(result).any()


def test_results_may_be_arguments_constants_and_repeated() -> None:
    f: Any = jit(lambda x: (x, x, 3, np.ones(2), np.float64(2)))
    a, b, c, d, e = f(array(1))
    assert a.tolist() == b.tolist() == [1]
    assert (int(c), d.tolist(), float(e)) == (3, [1, 1], 2)
    assert (c.weak_type, d.dtype, e.dtype) == (True, np.float32, np.float32)


def test_captured_arrays_are_kept_and_are_no_constants() -> None:
    captured = array(*range(1000))
    f = jit(lambda x: ops.add(x, captured))
    assert f(array(*range(1000))).tolist() == [2 * i for i in range(1000)]
    assert "dense<" not in f.lower(array(*range(1000))).as_text()


def test_unused_arguments_are_dropped_unless_kept() -> None:
    def f(x: Any, y: Any) -> Any:
        return ops.add(x, x)

    assert (
        jit(f).lower(array(1), array(2)).as_text().count("%arg")
        == jit(f, keep_unused=True).lower(array(1), array(2)).as_text().count("%arg") - 1
    )
    assert jit(f)(array(1), array(2)).tolist() == [2]
    assert jit(f, keep_unused=True)(array(1), array(2)).tolist() == [2]


def test_a_function_without_arguments_or_results() -> None:
    assert jit(lambda: np.float32(2))().tolist() == 2
    assert jit(lambda x: None)(array(1)) is None
    assert jit(lambda: ())() == ()


def test_nested_jit_is_one_call_in_the_program() -> None:
    inner = Counted(lambda x: ops.add(x, x))
    f = jit(inner)
    staged = stage(lambda x: [f(f(x))], array(1).type)
    assert [e.primitive.name for e in staged.program.equations] == ["call", "call"]
    assert inner.count == 1
    g = jit(inner, inline=True)
    staged = stage(lambda x: [g(g(x))], array(1).type)
    assert [e.primitive.name for e in staged.program.equations] == ["add", "add"]


@pytest.mark.parametrize("inline", Inline)
def test_when_a_call_is_inlined(inline: Inline) -> None:
    inner = jit(lambda x: ops.add(ops.sine(x), x), inline=inline)
    outer = jit(lambda x: ops.negate(inner(x)))
    staged = stage(lambda x: [inner(x)], array(1).type)
    early = inline is Inline.JAX_EARLY
    names = [equation.primitive.name for equation in staged.program.equations]
    assert names == (["sine", "add"] if early else ["call"])
    text = outer.lower(np.float32(1)).as_text()
    if inline in {Inline.XLA_EARLY, Inline.XLA_LATE}:
        assert f'mhlo.frontend_attributes = {{inlineable = "{inline.value}"}}' in text
    else:
        assert "call @" not in text
    np.testing.assert_allclose(outer(np.float32(1)), -(np.sin(1) + 1), rtol=1e-6)
    with pytest.raises(ArgumentError, match="inline must be true or false"):
        jit(lambda x: x, inline="auto")  # type: ignore[call-overload]


def test_late_calls_are_in_place_however_long_they_are() -> None:
    def long(x: Any) -> Any:
        for _ in range(100):
            x = ops.sine(x)
        return x

    for inline, calls in ((Inline.AUTO, 2), (Inline.JAX_LATE, 0), (Inline.XLA_LATE, 2)):
        inner = jit(long, inline=inline)
        text = jit(lambda x, f=inner: ops.add(f(x), f(ops.negate(x)))).lower(1.0).as_text()
        assert text.count("call @") == calls


def test_captured_tracers_do_not_outlive_their_trace() -> None:
    inner = Counted(lambda y, x: ops.add(x, y))

    def outer(x: Any) -> Any:
        return [jit(lambda y: inner(y, x))(x)]

    x_type = array(1).type
    one, two = stage(outer, x_type), stage(outer, x_type)
    assert len(one.program.parameters) == len(two.program.parameters) == 1
    holder: list[Any] = []
    f = jit(lambda y: ops.add(y, holder[0]))

    def traced(x: Any) -> Any:
        holder[:] = [x]
        return [f(x)]

    for _ in range(2):
        assert len(stage(traced, x_type).program.parameters) == 1


def test_leaked_tracers_are_refused() -> None:
    kept: list[Any] = []

    @jit
    def leak(x: Any) -> Any:
        kept.append(x)
        return x

    leak(array(1))
    with pytest.raises(EscapedTracerError):
        leak(kept[0])
    with pytest.raises(EscapedTracerError):
        jit(lambda x: ops.add(x, kept[0]))(array(1))


def test_errors_in_the_function_leave_no_entry() -> None:
    body = Counted(lambda x: 1 / 0)
    f = jit(body)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            f(array(1))
    assert body.count == 2


# ---- methods and static arguments


class Plain:
    def __init__(self, x: Any, mul: bool) -> None:
        self.x = x
        self.mul = mul

    @jit
    def calc(self, y: Any) -> Any:
        return y


class Hashed:
    traces = 0

    def __init__(self, x: float, mul: bool) -> None:
        self.x = x
        self.mul = mul

    @jit(static_argnums=0)
    def calc(self, y: Any) -> Any:
        Hashed.traces += 1
        return plus(y, self.x) if not self.mul else ops.multiply(y, np.float32(self.x))

    def __hash__(self) -> int:
        return hash((self.x, self.mul))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashed) and (self.x, self.mul) == (other.x, other.mul)


def test_mth01_a_plain_jitted_method_raises_when_called() -> None:
    for mul in (True, False):
        with pytest.raises(
            TypeError, match=r"of type <class '.*Plain'> is not a valid treadle type"
        ) as caught:
            Plain(2, mul).calc(array(3))
        notes = "\n".join(caught.value.__notes__)
        assert "argument self of calc" in notes
        assert "static_argnums=0" in notes


def test_mth07_static_self_and_mth08_identity_hash() -> None:
    class Identity:
        def __init__(self, mul: bool) -> None:
            self.mul = mul

        @jit(static_argnums=0)
        def calc(self, y: Any) -> Any:
            return ops.multiply(y, np.float32(2)) if self.mul else y

    c = Identity(True)
    assert c.calc(array(3)).tolist() == [6]
    c.mul = False
    assert c.calc(array(3)).tolist() == [6]
    assert Identity(False).calc(array(3)).tolist() == [3]


def test_mth10_mth11_equal_values_share_a_trace() -> None:
    Hashed.traces = 0
    y = array(3)
    results = [
        Hashed(x, m).calc(y).tolist() for x, m in ((2, True), (5, True), (2, False), (2, True))
    ]
    assert results == [[6], [15], [5], [6]]
    assert Hashed.traces == 3


def test_mth12_a_mutated_static_value_is_met_as_it_is() -> None:
    c = Hashed(2, True)
    assert c.calc(array(3)).tolist() == [6]
    c.mul = False
    assert c.calc(array(3)).tolist() == [5]
    c.mul = True
    assert c.calc(array(3)).tolist() == [6]


def test_mth13_mth14_an_unhashable_static_value() -> None:
    c = Hashed(array(2), True)  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match="Non-hashable static arguments are not supported"
    ) as caught:
        c.calc(array(3))
    text = str(caught.value)
    assert "during a call to 'calc'" in text
    assert "while trying to hash an object of type <class " in text
    assert "Hashed'>" in text


def test_mth16_lists_and_dicts_cannot_be_static_tuples_can() -> None:
    f = jit(lambda x, s: plus(x, len(s)), static_argnums=1)
    for bad in ([1], {1: 1}):
        with pytest.raises(ValueError, match="Non-hashable"):
            f(array(1), bad)
    assert f(array(1), (1, 2)).tolist() == [3]


def test_equal_static_values_of_different_types_are_different() -> None:
    seen: list[Any] = []
    f = jit(lambda x, n: _noted(seen, n, x), static_argnums=1)
    for n in (1, 1.0, True, 1):
        f(array(1), n)
    assert [type(n) for n in seen] == [int, float, bool]


@pytest.mark.parametrize("numbers", [0, (0,), [0], -2])
def test_mth06_static_argnums_takes_an_int_or_a_sequence(numbers: Any) -> None:
    f = jit(lambda n, x: plus(x, n), static_argnums=numbers)
    assert f(2, array(1)).tolist() == [3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"static_argnums": 5}, "only accepts 2 positional"),
        ({"static_argnames": "z"}, "invalid argnames"),
        ({"donate_argnums": 2}, "only accepts 2 positional"),
        ({"static_argnums": 0, "donate_argnums": 0}, "cannot intersect"),
        ({"static_argnums": "x"}, "must be an int"),
    ],
)
def test_options_that_do_not_fit_the_function(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        jit(lambda x, y: x, **options)


def test_only_functions_can_be_jitted() -> None:
    with pytest.raises(TypeError, match="Expected a callable"):
        jit(3)  # type: ignore[call-overload]

    def generator() -> Any:
        yield 1

    with pytest.raises(TypeError, match="generator"):
        jit(generator)


def test_results_that_are_no_arrays() -> None:
    with pytest.raises(ArgumentError, match="is not a valid treadle type") as caught:
        jit(lambda x: "text")(array(1))
    assert any("returning from" in note for note in caught.value.__notes__)


def test_mth18_to_mth21_registered_classes() -> None:
    @register_pytree_node_class
    class Node:
        def __init__(self, x: Any, mul: bool) -> None:
            self.x = x
            self.mul = mul

        def tree_flatten(self) -> Any:
            return (self.x,), self.mul

        @classmethod
        def tree_unflatten(cls, mul: bool, children: Any) -> Any:
            return cls(children[0], mul)

        @jit
        def calc(self, y: Any) -> Any:
            traces.append(1)
            return ops.multiply(y, self.x) if self.mul else y

    traces: list[int] = []
    y = array(3)
    assert [Node(array(x), m).calc(y).tolist() for x, m in ((2, True), (7, True), (2, False))] == [
        [6],
        [21],
        [3],
    ]
    assert len(traces) == 2


# ---- threads, memory, bookkeeping


def test_two_threads_trace_once() -> None:
    barrier = threading.Barrier(4)

    def slow(x: Any) -> Any:
        time.sleep(0.05)
        return ops.add(x, x)

    body = Counted(slow)
    f = jit(body)
    results: list[Any] = []

    def call() -> None:
        barrier.wait()
        results.append(f(array(1)).tolist())

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert results == [[2]] * 4
    assert body.count == 1


def test_functions_that_trace_each_other_in_two_threads_do_not_deadlock() -> None:
    met = threading.Barrier(2, timeout=5)
    depth = threading.local()

    def body(other: str) -> Any:
        def function(x: Any) -> Any:
            if not getattr(depth, "inside", False):
                depth.inside = True
                met.wait()
                return functions[other](x)
            return x

        return function

    functions = {"a": jit(body("b")), "b": jit(body("a"))}
    results: list[Any] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(functions[n](array(1)).tolist()))
        for n in "ab"
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    for thread in threads:
        thread.join(10)
    assert results == [[1], [1]]


def test_recursion_on_other_types() -> None:
    @jit
    def total(x: Any) -> Any:
        if x.shape[0] == 1:
            return ops.reshape(x, shape=())
        first = ops.slice(x, start=(0,), limit=(1,), strides=(1,))
        rest = ops.slice(x, start=(1,), limit=x.shape, strides=(1,))
        return ops.add(ops.reshape(first, shape=()), total(rest))

    staged = stage(lambda x: [total(x)], array(1, 2, 3).type)
    assert staged.program.result_types[0] is array(1).type.with_shape(())


def test_entries_die_with_the_function() -> None:
    def use() -> weakref.ref[DeviceArray]:
        big = from_host(np.zeros(1000, "f4"))
        f = jit(lambda x: ops.add(x, big))
        f(from_host(np.ones(1000, "f4")))
        return weakref.ref(big)

    watch = use()
    gc.collect()
    assert watch() is None


def test_jit_of_the_same_function_again_shares_entries() -> None:
    body = Counted(lambda x: ops.add(x, x))
    for _ in range(3):
        jit(body)(array(1))
    assert body.count == 1
    jit(body, keep_unused=True)(array(1))
    assert body.count == 2


def test_disable_jit_runs_the_python() -> None:
    body = Counted(lambda x: ops.add(x, x))
    f = jit(body)
    f(array(1))
    with disable_jit():
        assert f(array(1)).tolist() == [2]
        assert f(array(1)).tolist() == [2]
        with disable_jit(False):
            f(array(1))
    f(array(1))
    assert body.count == 3


def test_clear_cache() -> None:
    body = Counted(lambda x: ops.add(x, x))
    f = jit(body)
    f(array(1))
    f.clear_cache()
    f(array(1))
    assert body.count == 2


def test_timings_say_what_each_signature_cost() -> None:
    f = jit(lambda x: ops.add(x, x))
    f(array(1))
    f(array(1))
    f(array(1, 2))
    one, two = timings(f)
    assert one.signature == "f32[1]"
    assert two.equations == 1
    for timing in (one, two):
        assert timing.trace > 0
        assert timing.lower
        assert timing.compile
        assert timing.first_run


@pytest.mark.timing
def test_ben06_dispatch_does_not_wait() -> None:
    f = jit(lambda x: ops.dot_general(ops.sine(x), x, contracting=((1,), (0,))))
    x = from_host(np.full((1200, 1200), 1e-3, "f4"))
    f(x).block_until_ready()
    started = time.perf_counter()
    y = f(x)
    returned = time.perf_counter() - started
    y.block_until_ready()
    assert returned < 0.5 * (time.perf_counter() - started)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.bool_, np.complex64])
def test_numpy_scalars_of_warm_calls_are_those_that_were_passed(kind: type[np.generic]) -> None:
    """Values are remembered by `==`, by which 0.0 is -0.0 and 1 is 1.0."""
    function = jit(lambda x: x)
    values = [
        kind(v) for v in ((3, -0.0, 0.0, 1, 3, -0.0) if kind is not np.int8 else (3, 0, 1, 3))
    ]
    for _ in range(3):
        for value in values:
            assert np.asarray(function(value)).tobytes() == value.tobytes()


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.bool_, np.complex64])
@pytest.mark.parametrize("count", [1, 4, 300])
def test_numpy_arrays_of_warm_calls_are_those_that_were_passed(
    kind: type[np.generic], count: int
) -> None:
    """Small ones are remembered by their elements: others in the same memory, and each view, count."""
    function = jit(lambda x: x)
    x = np.zeros((2, count), kind)
    results, wanted = [], []
    for step in range(100):
        x[step % 2] = step % 90
        x[1 - step % 2] = -x[step % 2] if kind is not np.bool_ else not step % 3
        for view in (x, x[::-1], np.asfortranarray(x)):
            results.append(function(view))
            wanted.append(view.tobytes())
    assert [np.asarray(each).tobytes() for each in results] == wanted


LARGEST = float(np.finfo(np.float32).max)


@pytest.mark.parametrize(
    "values",
    [
        (1.5, -0.0, 0.0, 1e-40, 1e-46, -LARGEST, LARGEST, 3.4028235e38, np.pi, np.inf, np.nan, 1.5),
        (3, 0, -1, 2**31 - 1, -(2**31), 3),
        (True, False, True),
    ],
)
@pytest.mark.parametrize("wide", [False, True])
def test_python_numbers_of_warm_calls_become_what_numpy_makes_of_them(
    values: tuple[float, ...], wide: bool
) -> None:
    function = jit(lambda x: x)
    with X64.override(wide):
        for _ in range(3):
            for value in values:
                result = np.asarray(function(value))
                assert result.dtype.itemsize == (1 if type(value) is bool else 8 if wide else 4)
                assert result.tobytes() == np.asarray(value, result.dtype).tobytes()


def test_python_numbers_of_warm_calls_that_do_not_fit() -> None:
    function = jit(lambda x: ops.add(x, x))
    for value in range(3):
        function(value)
    for value in (2**31, -(2**31) - 1, 2**63, 10**30):
        with pytest.raises(RangeError):
            function(value)
    half = jit(lambda x: ops.multiply(x, 0.5))
    for real in (1.0, 2.0, 3.0):
        half(real)
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert half(1e300).item() == np.inf


def test_objects_whose_attributes_have_the_names_of_our_methods():
    class Named:
        def __init__(self):
            self._call = self._run = None
            self.more = 3

        def __call__(self, x):
            return ops.add(x, x)

    jitted = jit(Named())
    assert np.asarray(jitted(np.ones(2, np.float32))).tolist() == [2.0, 2.0]
    assert jitted.more == 3


def test_the_signature_is_the_function_s_also_where_wrappers_are_not_followed() -> None:
    def f(x: Any, *, y: int = 2) -> Any:
        return x

    assert inspect.signature(jit(f), follow_wrapped=False) == inspect.signature(f)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = jit(f).nothing  # type: ignore[attr-defined]


def test_a_method_that_was_wrapped() -> None:
    def plain(function: Any) -> Any:
        @functools.wraps(function)
        def wrapped(*args: Any) -> Any:
            return function(*args)

        return wrapped

    class Scaled:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @plain
        def times(self, x: Any) -> Any:
            return ops.multiply(x, np.float32(self.factor))

    two, three = Scaled(2.0), Scaled(3.0)
    assert float(jit(two.times)(np.float32(5))) == 10
    assert float(jit(three.times)(np.float32(5))) == 15
    assert float(jit(two.times)(np.float32(5))) == 10


def _half(x: Any) -> Any:
    return ops.multiply(x, np.float32(0.5))


def test_the_class_prints_as_libraries_look_for_it_and_functions_pickle() -> None:
    jitted = jit(_half)
    assert "PjitFunction" in str(type(jitted))
    assert float(pickle.loads(pickle.dumps(jitted))(np.float32(5))) == 2.5
