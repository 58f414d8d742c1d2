"""Operations that change their arguments: which of their methods are called, and when."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, DTypeError, MissingRuleError, ShapeError
from treadle.experimental.hijax import AvalMutableQDD, AvalQDD, HiPrimitive, register_hitype

ONE = np.float32(1)


def test_an_operation_is_done_to_the_object_itself(lib):
    seen = []

    class Look(HiPrimitive):
        def to_lojax(self, box, x, *, by):
            seen.append((box, x, by))
            return box

    box = lib.Box(ONE)
    assert Look("look").bind(box, 2.0, by=3) is box
    assert seen == [(box, 2.0, 3)]


def test_abstract_eval_sees_what_is_known_and_says_what_is_then(lib):
    seen = []

    class Swap(HiPrimitive):
        """Puts an array into the box, and returns the array that it replaces."""

        def abstract_eval(self, box, x, *, log):
            seen.append((box.aval, box.mutable_qdd.init_val, box.mutable_qdd.cur_val, x, log))
            assert isinstance(box, AvalMutableQDD)
            (was,) = box.mutable_qdd.cur_val.types
            box.mutable_qdd.update(lib.Held((x,)))
            return was, set()

        def to_lojax(self, box, x, *, log):
            (was,) = box.arrays
            box.arrays = [x]
            return was

    box = lib.Box(np.int32(7))
    known = lib.Held((treadle.typeof(np.int32(7)),))
    was = treadle.jit(lambda b: Swap("swap").bind(b, tnp.ones(2), log={"not": "hashed"}))(box)
    assert was == 7
    np.testing.assert_array_equal(box.arrays[0], [1, 1])
    assert seen == [(lib.BoxType(), known, known, treadle.typeof(tnp.ones(2)), {"not": "hashed"})]


def test_a_change_needs_no_effect(lib):
    class Double(HiPrimitive):
        multiple_results = True

        def abstract_eval(self, *boxes):
            return [], set()

        def to_lojax(self, first, second):
            second.arrays = [second.arrays[0] * 2]
            return []

    one, two = lib.Box(ONE), lib.Box(ONE)
    treadle.jit(Double("double").bind)(one, two)
    assert float(one.arrays[0]) == 1
    assert float(two.arrays[0]) == 2


def test_results_of_all_kinds(lib, x, rounded):
    class Split(HiPrimitive):
        multiple_results = True

        def abstract_eval(self, q):
            types = lib.Held((treadle.core.ShapedArray((2, 3), "float32"),))
            return [q, AvalQDD(lib.BoxType(), types), types.types[0]], set()

        def to_lojax(self, q):
            x = lib.dequantise(q)
            return [q, lib.Box(x), 2 * x]

    @treadle.jit
    def f(q):
        q, box, x = Split("split").bind(q)
        return lib.dequantise(q), box.get(), x

    for found, times in zip(f(lib.quantise(x)), (1, 1, 2), strict=True):
        np.testing.assert_allclose(found, times * rounded, rtol=1e-6)


def test_what_is_wrong_is_said(lib):
    box = lib.Box(ONE)

    class Bare(HiPrimitive):
        pass

    with pytest.raises(MissingRuleError, match="to_lojax"):
        Bare("bare").bind(box)
    with pytest.raises(MissingRuleError, match="abstract_eval"):
        treadle.jit(Bare("bare").bind)(box)

    class Several(HiPrimitive):
        multiple_results = True

        def abstract_eval(self, x):
            return [x, x], set()

        def to_lojax(self, x):
            return [x]

    with pytest.raises(ArgumentError, match="has 1 results, but its `abstract_eval` says 2"):
        treadle.jit(Several("several").bind)(1.0)
    with pytest.raises(ArgumentError, match="given twice"):
        treadle.jit(lambda b: HiPrimitive("x").bind(b, b))(box)

    class Bad(HiPrimitive):
        """Whose rule returns something else than it does."""

        def abstract_eval(self, x):
            return x, set()

        def to_lojax(self, x):
            return x

        def jvp(self, primals, tangents):
            return tnp.ones(2), tangents[0]

    with pytest.raises(ShapeError, match="was declared"):
        treadle.grad(Bad("bad").bind)(1.0)
    assert repr(Bad("bad")) == "bad"
    assert Bad("bad").is_high()


@pytest.mark.parametrize("mapped", [lambda f: f, treadle.vmap])
def test_methods_that_return_something_else(mapped):
    two = np.ones(2, np.float32)  # which could be unpacked

    def refuses(message, error=ArgumentError, several=False, **methods):
        own = {"abstract_eval": lambda self, x: (x, set()), "to_lojax": lambda self, x: 2 * x}
        own["jvp"] = lambda self, primals, tangents: (self.bind(*primals), self.bind(*tangents))
        f = type("Op", (HiPrimitive,), {**own, **methods, "multiple_results": several})("op").bind
        with pytest.raises(error, match=message):
            treadle.jit(mapped(lambda x: treadle.grad(lambda x: tnp.sum(f(x)))(x)))(two[None])

    refuses("op.abstract_eval must return a pair", abstract_eval=lambda self, x: x)
    refuses("op.abstract_eval must return a pair", abstract_eval=lambda self, x: [x])
    refuses("op.abstract_eval must return a sequence of types", several=True)
    refuses("a result is", ShapeError, to_lojax=lambda self, x: tnp.ones(7))
    refuses("a result is", DTypeError, to_lojax=lambda self, x: x.astype(int))
    refuses("op.jvp must return a pair", jvp=lambda self, primals, tangents: primals[0])
    refuses("a tangent is", ShapeError, jvp=lambda self, primals, tangents: (*primals, tnp.ones(7)))
    refuses("op.transpose must return a sequence of cot", transpose=lambda self, ct, x: ct)
    refuses("a cotangent is", ShapeError, transpose=lambda self, ct, x: [tnp.ones(7)])
    both = {"abstract_eval": lambda self, x: ([x, x], set())}
    refuses("op.to_lojax must return a sequence of results", several=True, **both)


def test_methods_of_types_may_use_operations(lib):
    """Methods may change objects themselves, as in flax.nnx."""

    class Careful(lib.Box):
        pass

    class CarefulType(lib.BoxType):
        def read_loval(self, qdd, box):
            found = lib.get(box)
            return [*found] if isinstance(found, tuple) else [found]

        def new_from_loval(self, qdd, *arrays):
            box = Careful()
            lib.put(box, *arrays)
            return box

        def update_from_loval(self, qdd, box, *arrays):
            lib.put(box, *arrays)

    register_hitype(Careful, lambda box: CarefulType())
    box = Careful(ONE)
    treadle.jit(lambda b: b.put(b.get() + 1))(box)
    treadle.jit(lambda: box.grow(5.0))()
    assert [*map(float, box.arrays)] == [2, 5]
