"""References under the compiler: jit with references as arguments, vmap."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import (
    ArgumentError,
    DTypeError,
    EscapedTracerError,
    ShapeError,
    UnsupportedError,
)
from treadle.extend.core import jaxpr_as_fun
from treadle.ref import (
    AbstractRef,
    Ref,
    addupdate,
    empty_ref,
    free_ref,
    freeze,
    get,
    new_ref,
    set,
    swap,
)
from treadle.sharding import PartitionSpec as P

X = np.arange(3, dtype=np.float32)


class TestEagerly:
    def test_reading_and_writing(self) -> None:
        ref: Any = new_ref(X)
        before = ref[...]
        ref[0] = 5.0
        ref[1:] += np.float32(1)
        np.testing.assert_array_equal(ref[...], [5, 2, 3])
        np.testing.assert_array_equal(before, X)  # who read it keeps what was read
        ref[...] = X
        np.testing.assert_array_equal(ref[np.array([2, 0])], [2, 0])
        assert (ref.shape, ref.dtype, ref.ndim, ref.size) == ((3,), np.float32, 1, 3)
        assert ref.aval == AbstractRef(X)
        assert "[0., 1., 2.]" in repr(ref)

    def test_its_type(self) -> None:
        found = treadle.typeof(new_ref(X))
        assert found == AbstractRef(X)
        assert repr(found) == "Ref{float32[3]}"
        assert (found.shape, found.ndim, found.size, found.weak_type) == ((3,), 1, 3, False)
        assert treadle.typeof(new_ref(1.0)).weak_type
        seen: list[object] = []
        treadle.jit(lambda r: seen.append(treadle.typeof(r)))(new_ref(X))
        assert seen == [found]

    def test_functions(self) -> None:
        ref = new_ref(X)
        assert swap(ref, 1, 7.0) == 1.0
        assert get(ref, 1) == 7.0
        set(ref, None, X)
        addupdate(ref, np.array([0, 0]), np.ones(2, np.float32))
        np.testing.assert_array_equal(get(ref), [2, 1, 2])
        np.testing.assert_array_equal(freeze(ref), [2, 1, 2])
        assert empty_ref(X).shape == (3,)
        free_ref(empty_ref(X))

    def test_the_element_type_stays(self) -> None:
        ref = new_ref(1.5)
        ref[...] = 2
        assert ref.dtype == ref[...].dtype == np.float32
        with pytest.raises(DTypeError, match="the reference holds f32"):
            ref[...] = np.int32(2)
        with pytest.raises(ShapeError, match="the part of the reference is f32"):
            ref[...] = X
        with pytest.raises(ShapeError, match="broadcast"):
            new_ref(X)[...] = 1.0

    def test_its_length_is_that_of_the_array_and_it_is_true(self) -> None:
        assert len(new_ref(tnp.zeros((2, 3)))) == 2
        assert new_ref(tnp.zeros(0))
        with pytest.raises(TypeError, match="scalar"):
            len(new_ref(1.0))

    def test_what_cannot_be_done(self) -> None:
        ref = new_ref(X)
        with pytest.raises(TypeError, match="not iterable"):
            list(ref)  # type: ignore[call-overload]
        with pytest.raises(ArgumentError, match="is not an array"):
            np.asarray(ref)
        with pytest.raises(ArgumentError, match="cannot be copied"):
            copy.deepcopy(ref)
        with pytest.raises(ArgumentError):
            tnp.sin(ref)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError):
            new_ref(ref)  # type: ignore[arg-type]
        with pytest.raises(UnsupportedError, match="memory_space"):
            new_ref(X, memory_space="host")  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="not a reference"):
            freeze(X)  # type: ignore[arg-type]
        freeze(ref)
        for use in (lambda: ref[...], lambda: freeze(ref), lambda: set(ref, 0, 1.0)):
            with pytest.raises(ArgumentError, match="after it was frozen"):
                use()
        assert "frozen" in repr(ref)


def test_jit_takes_references_and_writes_them() -> None:
    runs = []

    @treadle.jit
    def update(state: Any, x: Any, scale: float = 1.0) -> Any:
        runs.append(0)
        state["sum"][...] += scale * x
        state["last"][0] = x
        return state["sum"][...]

    state = {"sum": new_ref(np.float32(0)), "last": new_ref(X)}
    assert [float(update(state, x)) for x in (1.0, 2.0, 3.0)] == [1.0, 3.0, 6.0]
    assert len(runs) == 1
    assert state["sum"][...] == 6.0
    np.testing.assert_array_equal(state["last"][...], [3, 1, 2])
    assert update(state, 1.0, scale=2.0) == 8.0


def test_jit_finds_hundreds_that_its_function_closes_over() -> None:
    refs: list[Any] = [new_ref(np.float32(i)) for i in range(300)]

    @treadle.jit
    def update(x: Any) -> Any:
        for ref in refs:
            ref[...] += x
        return x

    update(1.0)
    update(1.0)
    np.testing.assert_array_equal([ref[...] for ref in refs], np.arange(300) + 2)


def test_jit_finds_what_its_function_closes_over() -> None:
    runs = []
    total: Any
    steps: Any
    total, steps = new_ref(np.float32(0)), new_ref(0)

    @treadle.jit
    def update(x: Any) -> Any:
        runs.append(0)
        total[...] += x
        steps[...] += 1
        return total[...] * 10

    assert [float(update(x)) for x in (1.0, 2.0, 3.0)] == [10.0, 30.0, 60.0]
    assert (total[...], steps[...], len(runs)) == (6.0, 3, 2)  # first without them, then with both
    total[...] = 0.0  # what it holds is looked up in each call
    assert update(1.0) == 10.0
    # In a loop it is a carry of the loop; read under grad it is a constant.
    treadle.jit(lambda: lax.fori_loop(0, 4, lambda i, c: (update(1.0), c)[1], 0))()
    assert (total[...], steps[...]) == (5.0, 8)
    assert treadle.grad(treadle.jit(lambda x: x * total[...]))(2.0) == 5.0

    def outer(x: Any) -> Any:
        ref = new_ref(0.0)

        @treadle.jit
        def inner(x: Any) -> Any:
            ref[...] += x

        inner(x)
        inner(x)
        return ref[...]

    for function in (outer, treadle.jit(outer), outer):
        assert function(3.0) == 6.0
    assert treadle.grad(outer)(3.0) == 2.0


def test_static_arguments_with_references() -> None:
    update = treadle.jit(lambda ref, n: ref.__setitem__(..., ref[...] + n), static_argnums=1)
    ref = new_ref(1)
    for n in (1, 2, 2):
        update(ref, n)
    assert ref[...] == 6


def test_jit_with_references_gives_its_function_the_containers_of_each_call() -> None:
    seen = []

    @treadle.jit
    def function(ref: Any, pair: Any) -> None:
        seen.append(type(pair))
        ref[...] += pair[0] + pair[1]

    ref = new_ref(0.0)
    function(ref, (1.0, 2.0))
    function(ref, [1.0, 2.0])
    assert seen == [tuple, list]
    assert ref[...] == 6


def test_jit_in_jit_and_in_loops() -> None:
    add = treadle.jit(lambda ref, x: ref.__setitem__(..., ref[...] + x))

    @treadle.jit
    def function(x: Any) -> Any:
        ref = new_ref(0.0)
        add(ref, x)
        lax.fori_loop(0, 3, lambda i, c: add(ref, x), None)
        return ref[...]

    assert function(2.0) == 8.0
    assert treadle.grad(function)(2.0) == 4.0
    np.testing.assert_array_equal(treadle.vmap(function)(X), 4 * X)


def test_vmap_with_references_made_inside() -> None:
    def function(x: Any, p: Any) -> Any:
        ref = new_ref(x)
        lax.cond(p, lambda: ref.__setitem__(..., 10 * ref[...]), lambda: None)
        lax.fori_loop(0, 2, lambda i, _: ref.__setitem__(..., ref[...] + 1), None)
        return freeze(ref)

    choices = np.array([True, False, True])
    expected = np.where(choices, 10 * X, X) + 2
    np.testing.assert_array_equal(treadle.vmap(function)(X, choices), expected)
    np.testing.assert_array_equal(treadle.jit(treadle.vmap(function))(X, choices), expected)
    gradient = treadle.vmap(treadle.grad(function))(X, choices)
    np.testing.assert_array_equal(gradient, np.where(choices, 10, 1))


def test_what_jit_refuses() -> None:
    ref = new_ref(X)
    with pytest.raises(
        ArgumentError, match=r"a reference to f32\[3\] is given as argument 0 and as argument 1"
    ):
        treadle.jit(lambda a, b: a[...] + b[...])(ref, ref)
    with pytest.raises(ArgumentError, match="returns a reference"):
        treadle.jit(lambda a: a)(ref)
    with pytest.raises(ArgumentError, match="which closes over it, too"):
        treadle.jit(lambda a: a[...] + ref[...])(ref)
    with pytest.raises(ArgumentError, match="which closes over it, too"):
        treadle.jit(lambda a: a[...] + ref[...]).lower(ref)
    left: list[Ref] = []
    treadle.jit(lambda a: left.append(a))(ref)
    with pytest.raises(EscapedTracerError):
        left[0][...]
    with pytest.raises(EscapedTracerError, match="vectorised"):
        treadle.vmap(lambda x: ref.__setitem__(0, x))(X)
    np.testing.assert_array_equal(ref[...], X)


def test_shard_map_takes_references_and_views() -> None:
    mesh = treadle.make_mesh((1,), ("x",))

    def add(ref: Any, x: Any) -> Any:
        ref[...] += x
        return ref[...] * 2

    divided = treadle.shard_map(add, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))
    whole = treadle.shard_map(add, mesh=mesh, in_specs=P(), out_specs=P())
    for change in (lambda f: f, treadle.jit):
        ref = new_ref(np.zeros(4, np.float32))
        np.testing.assert_array_equal(change(divided)(ref, 1.0), [2, 2, 2, 2])
        np.testing.assert_array_equal(ref[...], [1, 1, 1, 1])
        ref = new_ref(np.ones(4, np.float32))
        np.testing.assert_array_equal(change(whole)(ref.at[1:3], 2.0), [6, 6])
        np.testing.assert_array_equal(ref[...], [1, 3, 3, 1])


def test_without_jit_and_as_public_names() -> None:
    assert treadle.new_ref is new_ref
    add = treadle.jit(lambda ref, x: ref.__setitem__(..., ref[...] + x))
    ref = treadle.new_ref(tnp.float32(1.0))
    add(ref, 1.0)
    assert isinstance(ref, treadle.Ref)
    assert treadle.freeze(ref) == 2.0


def test_its_device() -> None:
    there = treadle.devices()[-1]
    ref = treadle.new_ref(treadle.device_put(X, there))
    assert ref.sharding == treadle.sharding.SingleDeviceSharding(there)
    with pytest.raises(AttributeError, match="sharding"):
        treadle.jit(lambda r: r.sharding)(ref)


class TestViews:
    """Expected values are JAX 0.12.0.1's where it has the view; through transposed ones it cannot read."""

    def test_parts_are_read_and_written(self) -> None:
        ref: Any = new_ref(tnp.arange(6.0).reshape(2, 3))
        row = ref.at[0]
        assert row.ref is ref
        ref.at[0][1] = 4.0
        np.testing.assert_array_equal(row[...], [0, 4, 2])
        row.set(tnp.ones(3))
        row.reshape(3, 1)[1, 0] = 5.0
        np.testing.assert_array_equal(ref[...], [[1, 5, 1], [3, 4, 5]])
        np.testing.assert_array_equal(row.swap(tnp.full(3, 3.0)), [1, 5, 1])
        row.at[1].set(8.0)
        ref.at[0][...] += 1
        np.testing.assert_array_equal(ref[...], [[4, 9, 4], [3, 4, 5]])
        row.at[1:][...] = tnp.zeros(2)
        ref.at[:, 1].T[0] = 7.0
        np.testing.assert_array_equal(ref[...], [[4, 7, 0], [3, 4, 5]])
        np.testing.assert_array_equal(ref.at[np.array([1, 0])].at[0][...], [3, 4, 5])
        row.addupdate(1.0, 0)
        assert ref[0, 0] == 5

    def test_functions_take_views(self) -> None:
        ref = new_ref(tnp.arange(6.0).reshape(2, 3))
        row = ref.at[1]
        assert get(row, 0) == 3
        set(row, 0, 9.0)
        assert swap(row, 0, 1.0) == 9
        addupdate(row, 0, 1.0)
        np.testing.assert_array_equal(get(row), [2, 4, 5])
        with pytest.raises(ArgumentError, match="not a reference"):
            freeze(row)  # type: ignore[arg-type]

    def test_under_jit_loops_and_gradients(self) -> None:
        @treadle.jit
        def f(x: Any, i: Any) -> Any:
            ref = new_ref(x)
            ref.at[i][...] = tnp.zeros(3)
            ref.T[0, 1] = 9.0

            def body(j: Any, carry: Any) -> Any:
                ref.at[j][...] = ref.at[j][...] * 2
                return carry

            lax.fori_loop(0, 2, body, 0)
            return ref[...]

        x = tnp.arange(6.0).reshape(2, 3)
        np.testing.assert_array_equal(f(x, 0), [[0, 0, 0], [18, 8, 10]])
        grads = treadle.grad(lambda x: f(x, 0).sum())(x)
        np.testing.assert_array_equal(grads, [[0, 0, 0], [0, 2, 2]])
        outer = new_ref(x)
        treadle.jit(lambda r: r.at[1].set(tnp.zeros(3)))(outer)
        np.testing.assert_array_equal(outer[...], [[0, 1, 2], [0, 0, 0]])

    def test_what_does_not_fit(self) -> None:
        ref: Any = new_ref(tnp.arange(6.0).reshape(2, 3))
        with pytest.raises(IndexError):
            ref.at[5]
        with pytest.raises(ShapeError):
            ref.at[1].set(0.0)
        with pytest.raises(DTypeError):
            ref.at[0].set(tnp.ones(3, complex))
        with pytest.raises(TypeError):
            ref.at[0] = 1

    def test_where_it_is(self) -> None:
        x = treadle.device_put(tnp.ones(2), treadle.devices()[0])
        ref = new_ref(x)
        assert ref.committed
        assert not new_ref(tnp.ones(2)).committed
        assert ref.format == x.format
        assert ref.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()


def _stepped(ref, x):
    ref[...] = ref[...] * x
    return {"sum": ref[...] + x}


def test_make_jaxpr_shows_what_a_reference_holds():
    ref, x = treadle.new_ref(np.float32(2)), np.float32(3)
    program, shapes = treadle.make_jaxpr(_stepped, return_shape=True)(ref, x)
    assert shapes == {"sum": treadle.ShapeDtypeStruct((), np.float32)}
    # the parameters are in the order of the arguments; then come the results, and what is written
    assert jaxpr_as_fun(program)(np.float32(5), x) == [18, 15]
    assert ref[...] == 2


def test_make_jaxpr_of_a_function_that_closes_over_a_reference():
    ref = treadle.new_ref(np.float32(2))
    program = treadle.make_jaxpr(lambda x: _stepped(ref, x)["sum"])(np.float32(3))
    assert jaxpr_as_fun(program)(np.float32(3), np.float32(5)) == [18, 15]
    assert ref[...] == 2


def test_make_jaxpr_takes_a_reference_once():
    ref = treadle.new_ref(np.float32(2))
    with pytest.raises(ArgumentError, match="is given as argument 0 and as argument 1"):
        treadle.make_jaxpr(lambda r, s: r[...] + s[...])(ref, ref)


def test_eval_shape_of_a_jitted_function_takes_references():
    ref, x = treadle.new_ref(np.float32(2)), np.ones(3, np.float32)
    shape = treadle.jit(lambda r, x: r[...] + x).eval_shape(ref, x)
    assert shape == treadle.ShapeDtypeStruct((3,), np.float32)
    assert treadle.jit(_stepped).eval_shape(ref, np.float32(3)) == {
        "sum": treadle.ShapeDtypeStruct((), np.float32)
    }
    assert ref[...] == 2
