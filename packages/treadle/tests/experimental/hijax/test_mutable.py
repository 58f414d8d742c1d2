"""Values of a library's own types that change: what they hold goes in and out of jit, loops, branches and `vmap`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import (
    ArgumentError,
    EscapedTracerError,
    MissingRuleError,
    ShapeError,
    StructureError,
)
from treadle.experimental import cur_qdd
from treadle.experimental.hijax import AvalQDD, HiPrimitive, MutableHiType, register_hitype

ONE = np.float32(1)


def numbers(box):
    return np.asarray(box.arrays, np.float64).tolist()


def test_a_jitted_function_changes_its_argument(lib):
    box = lib.Box(ONE, np.arange(3.0, dtype=np.float32))

    @treadle.jit
    def f(box, x):
        one, three = box.get()
        box.put(one + x, three * x)
        return one

    assert f(box, 2.0) == 1
    assert f(box, 2.0) == 3
    np.testing.assert_array_equal(box.arrays[1], [0, 4, 8])
    assert box.arrays[0] == 5


def test_it_is_traced_once_for_what_is_known(lib):
    traced = 0

    @treadle.jit
    def f(box):
        nonlocal traced
        traced += 1
        box.grow(2.0)

    box, other = lib.Box(ONE), lib.Box(ONE)
    f(box)
    f(other)
    assert traced == 1
    f(box)
    assert traced == 2
    assert numbers(box) == [1, 2, 2]
    assert numbers(other) == [1, 2]


def test_what_a_function_closes_over_changes(lib):
    box = lib.Box(ONE)
    f = treadle.jit(lambda x: box.put(box.get() + x))
    f(2.0)
    f(3.0)
    assert numbers(box) == [6]
    outer = treadle.jit(lambda x: treadle.jit(lambda y: box.put(box.get() * y))(x))
    outer(2.0)
    assert numbers(box) == [12]


def test_values_made_within_live_within(lib):
    @treadle.jit
    def f(x):
        box = lib.new(x)
        treadle.jit(lambda box, y: box.put(box.get() * y))(box, x)
        box.grow(x)
        return box.get()

    assert [*map(float, f(3.0))] == [9, 3]
    with pytest.raises(ArgumentError, match="mutable value of type box"):
        treadle.jit(lib.new)(1.0)
    with pytest.raises(ArgumentError, match="returns a mutable value of type box"):
        treadle.jit(lambda box: box)(lib.Box(ONE))


def test_it_is_shown_as_its_type_while_it_is_traced(lib):
    box = lib.Box(ONE)
    seen = []

    @treadle.jit
    def f(inner):
        seen.append((treadle.typeof(inner), cur_qdd(inner), inner.type_state(), inner.has_qdd))
        assert isinstance(inner, treadle.core.Tracer)
        assert not isinstance(inner, (lib.Box, treadle.Array))
        with pytest.raises(AttributeError, match="arrays"):
            _ = inner.arrays
        with pytest.raises(ArgumentError):
            tnp.sin(inner)

    f(box)
    known = lib.Held((treadle.typeof(ONE),))
    assert seen == [(lib.BoxType(), known, known, True)]
    assert treadle.typeof(box) == lib.BoxType()
    assert cur_qdd(box) == box.cur_qdd()
    assert treadle.tree.leaves([box, 1]) == [box, 1]
    with pytest.raises(ArgumentError, match="MutableHiType"):
        cur_qdd(ONE)


@pytest.mark.parametrize("jit", [treadle.jit, lambda f: f])
def test_loops(lib, jit):
    box = lib.Box(np.float32(0))

    def add(x):
        box.put(box.get() + x)
        return box.get()

    def run():
        _, ys = lax.scan(lambda c, x: (c, add(x)), 0.0, tnp.arange(3.0))
        lax.fori_loop(0, 3, lambda i, c: (add(1.0), c)[1], 0.0)
        count = lax.while_loop(lambda c: box.get() < 20, lambda c: (add(5.0), c + 1)[1], 0)
        mapped = lax.map(add, tnp.arange(2.0))
        return ys, count, mapped

    ys, count, mapped = jit(run)()
    np.testing.assert_array_equal(ys, [0, 1, 3])
    assert count == 3
    np.testing.assert_array_equal(mapped, [21, 22])
    assert numbers(box) == [22]


def test_loops_keep_what_is_known(lib):
    box = lib.Box(ONE)
    with pytest.raises(StructureError, match="2 children"):
        lax.scan(lambda c, x: (c, box.grow(x)), 0.0, tnp.arange(3.0))
    assert numbers(box) == [1]
    weak = lib.Box(1.0)
    lax.scan(lambda c, x: (c, weak.put(weak.get() + x)), 0.0, tnp.arange(3.0))
    assert numbers(weak) == [4]
    assert not weak.arrays[0].weak_type
    with pytest.raises(ArgumentError, match="mutable value of type box"):
        lax.scan(lambda c, x: (c, None), box, tnp.arange(3.0))


@pytest.mark.parametrize("jit", [treadle.jit, lambda f: f])
@pytest.mark.parametrize("chosen", [True, False])
def test_branches(lib, jit, chosen):
    box = lib.Box(ONE)
    given = jit(
        lambda p, box: lax.cond(p, lambda b, x: b.put(b.get() + x), lambda b, x: None, box, 4.0)
    )
    given(chosen, box)
    assert numbers(box) == [5 if chosen else 1]
    jit(lambda p: lax.cond(p, lambda: box.grow(2.0), lambda: box.grow(3.0)))(chosen)
    assert numbers(box) == [5 if chosen else 1, 2 if chosen else 3]
    with pytest.raises(StructureError, match="3 children"):
        jit(lambda p: lax.cond(p, lambda: box.grow(2.0), lambda: None))(chosen)
    other = lib.Box(1.0)
    jit(lambda p: lax.cond(p, lambda: other.put(ONE), lambda: None))(chosen)
    lax.switch(1, [lambda b: None, lambda b: b.put(b.get() * 7)], other)
    assert numbers(other) == [7]


def test_vmap_shares_them(lib):
    box = lib.Box(ONE)
    np.testing.assert_array_equal(treadle.vmap(lambda x: box.get() * x)(tnp.arange(3.0)), [0, 1, 2])
    treadle.vmap(lambda b, x: (b.put(b.get() + 1), x)[1], in_axes=(None, 0))(box, tnp.arange(3.0))
    assert numbers(box) == [2]

    def own(x):
        box = lib.new(x)
        box.put(box.get() * x)
        return box.get()

    np.testing.assert_array_equal(treadle.vmap(own)(tnp.arange(3.0)), [0, 1, 4])
    with pytest.raises(EscapedTracerError, match="mutable value of type box"):
        treadle.vmap(lambda x: box.put(x))(tnp.arange(3.0))
    assert numbers(box) == [2]
    with pytest.raises(ShapeError, match="axes have no numbers"):
        treadle.vmap(lambda b: b.get())(lib.Box(np.arange(3.0)))


def test_derivatives_leave_them_alone(lib):
    box = lib.Box(ONE)

    def f(box, x):
        box.put(lax.stop_gradient(x * 2))
        return box.get() * x

    assert treadle.grad(f, argnums=1)(box, 3.0) == 6
    assert treadle.jit(treadle.grad(f, argnums=1))(box, 4.0) == 8
    assert treadle.grad(treadle.jit(f), argnums=1)(box, 5.0) == 10
    assert numbers(box) == [10]
    assert treadle.grad(lambda x: box.get() * x)(3.0) == 10
    with pytest.raises(EscapedTracerError, match="mutable value of type box"):
        treadle.grad(lambda x: (box.put(x), x)[1])(3.0)
    assert numbers(box) == [10]
    for derivative in (treadle.grad(lambda b: b.get()), lambda b: treadle.jvp(lib.get, (b,), (b,))):
        with pytest.raises(ArgumentError, match="mutable value of type box"):
            derivative(box)


def test_eval_shape_changes_nothing(lib):
    box = lib.Box(ONE)
    assert treadle.eval_shape(lib.new, 1.0) == lib.BoxType()
    assert treadle.eval_shape(lambda b: (b.put(7.0), b.get())[1], box).shape == ()
    assert treadle.eval_shape(lambda: (box.grow(7.0), box.get())[1])[1].dtype == np.float32
    assert numbers(box) == [1]


def test_a_value_is_given_once(lib):
    box = lib.Box(ONE)
    with pytest.raises(ArgumentError, match="given as"):
        treadle.jit(lambda a, b: a.put(b.get()))(box, box)
    with pytest.raises(ArgumentError, match="closes over it"):
        treadle.jit(lambda b: box.put(b.get()))(box)
    assert treadle.grad(treadle.checkpoint(lambda x: box.get() * x))(1.0) == 1.0


def test_a_failing_function_changes_nothing(lib):
    box = lib.Box(ONE)
    with pytest.raises(ZeroDivisionError):
        treadle.jit(lambda: (box.put(5.0), 1 / 0))()
    assert numbers(box) == [1]
    assert treadle.jit(lambda b: b.get())(box) == 1


def test_threads(lib):
    def count(_):
        box = lib.Box(np.float32(0))
        step = treadle.jit(lambda b, x: b.put(b.get() + x))
        for _ in range(20):
            step(box, 1.0)
        return numbers(box)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(count, range(4))) == [[20]] * 4


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("grow"), st.integers(-3, 3)),
        st.tuples(st.just("scale"), st.integers(-3, 3)),
        st.tuples(st.just("sum"), st.just(0)),
    ),
    max_size=6,
)


@settings(max_examples=25, deadline=None)
@given(OPERATIONS, st.sampled_from(["jit", "closed", "nested", "cond"]))
def test_like_the_object_itself(lib, operations, how):
    """Whatever is done to one within a transformation is what is done to one without."""

    def apply(box):
        for name, x in operations:
            found = box.get()
            found = found if isinstance(found, tuple) else (found,)
            if name == "grow":
                box.grow(np.float32(x))
            elif name == "scale":
                box.put(*[each * x for each in found])
            else:
                box.put(sum(found))

    plain, traced = lib.Box(ONE), lib.Box(ONE)
    apply(plain)
    {
        "jit": lambda: treadle.jit(apply)(traced),
        "closed": lambda: treadle.jit(lambda: apply(traced))(),
        "nested": lambda: treadle.jit(lambda b: treadle.jit(apply)(b))(traced),
        "cond": lambda: lax.cond(True, lambda: apply(traced), lambda: apply(traced)),
    }[how]()
    assert numbers(traced) == numbers(plain)


def test_a_type_lacks_what_is_asked_for():
    class Bare:
        pass

    register_hitype(Bare, lambda _: MutableHiType())
    with pytest.raises(MissingRuleError, match="cur_qdd"):
        treadle.jit(lambda b: HiPrimitive("x").bind(b))(Bare())
    for call in (
        lambda t: t.lo_ty_qdd(()),
        lambda t: t.new_from_loval(()),
        lambda t: t.read_loval((), None),
        lambda t: t.update_from_loval((), None),
        lambda t: t.to_tangent_aval(),
    ):
        with pytest.raises(MissingRuleError, match="MutableHiType"):
            call(MutableHiType())


def test_what_is_known_of_a_type(lib):
    known = AvalQDD(lib.BoxType(), lib.Held((treadle.typeof(ONE),)))
    assert known == AvalQDD(lib.BoxType(), lib.Held((treadle.typeof(ONE),)))
    assert hash(known) == hash(AvalQDD(lib.BoxType(), lib.Held((treadle.typeof(ONE),))))
    assert known.lo_ty() == [treadle.typeof(ONE)]
    box = known.new_from_loval(ONE)
    assert known.read_loval(box) == [ONE]
    assert known.to_tangent_aval() == known
    assert known != AvalQDD(lib.BoxType(), lib.Held(()))


def test_one_without_knowledge_is_as_any_other_type(lib):
    class Fixed:
        def __init__(self, x):
            self.x = x

    class FixedType(MutableHiType):
        has_qdd = False

        def lo_ty(self):
            return [treadle.typeof(ONE)]

        def lower_val(self, value):
            return [value.x]

        def raise_val(self, x):
            return Fixed(x)

        def __eq__(self, other):
            return type(other) is FixedType

        def __hash__(self):
            return 1

    class Double(HiPrimitive):
        def abstract_eval(self, value):
            return FixedType(), set()

        def to_lojax(self, value):
            return Fixed(value.x * 2)

    register_hitype(Fixed, lambda _: FixedType())
    assert treadle.jit(Double("double").bind)(Fixed(ONE)).x == 2


def test_tracers_have_the_operators_of_their_type(lib):
    class Scaled(MutableHiType):
        pass

    class Value:
        def cur_qdd(self):
            return ()

    Scaled.read_loval = lambda self, qdd, value: []
    Scaled.new_from_loval = lambda self, qdd: Value()
    Scaled.update_from_loval = lambda self, qdd, value: None
    Scaled._rmatmul = lambda self, value, x: x * 2  # of values of the type, as JAX calls it
    Scaled._eq = lambda self, value, other: other
    register_hitype(Value, lambda _: Scaled())
    assert treadle.jit(lambda v, x: x @ v)(Value(), 3.0) == 6
    assert treadle.jit(lambda v: v == 5)(Value()) == 5
    with pytest.raises(AttributeError, match="_add"):
        treadle.jit(lambda v: v + 1)(Value())


def test_a_traced_one_is_not_kept(lib):
    kept = []
    treadle.jit(lambda b: kept.append(b))(lib.Box(ONE))
    with pytest.raises(EscapedTracerError, match="mutable value of type box"):
        lib.get(kept[0])
