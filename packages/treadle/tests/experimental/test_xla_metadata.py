"""`set_xla_metadata`: which operations get the attributes, under each transformation."""

from __future__ import annotations

import re

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError
from treadle.experimental.xla_metadata import (
    fuse_limit,
    must_fuse_call,
    set_xla_metadata,
    xla_metadata_call,
    xla_metadata_call2,
)

_X = np.arange(1.0, 5.0, dtype=np.float32)
_MARK = '{mhlo.frontend_attributes = {a = "b"}}'


def _marked(function, op, *args):
    """The attributes of each operation of a kind."""
    lines = re.findall(rf".*stablehlo\.{op} .*", treadle.jit(function).lower(*args).as_text())
    found = [re.search(r"frontend_attributes = \{([^}]*)\}", line) for line in lines]
    return ["" if each is None else each[1] for each in found]


def _sine(x):
    with set_xla_metadata(a="b"):
        y = tnp.sin(x)
    return tnp.negative(y)


@set_xla_metadata(a="b")
def _decorated(x):
    return tnp.sin(x)


def test_a_block_and_a_decorator():
    assert _marked(_sine, "sine", _X) == ['a = "b"']
    assert _marked(_sine, "negate", _X) == [""]
    assert _marked(_decorated, "sine", _X) == ['a = "b"']


def test_values_are_written_as_text():
    def f(x):
        with set_xla_metadata(flag=True, n=1, r=2.5, t="a b"):
            return tnp.sin(x)

    assert _marked(f, "sine", _X) == ['flag = "true", n = "1", r = "2.5", t = "a b"']


def test_blocks_within_one_another_add_up_and_none_takes_away():
    def f(x):
        with set_xla_metadata(a="b", c="d"), set_xla_metadata(a=None, e="f"):
            return tnp.sin(x)

    assert _marked(f, "sine", _X) == ['c = "d", e = "f"']


def test_derivatives_have_them_and_batches():
    assert _marked(treadle.grad(lambda x: _sine(x).sum()), "cosine", _X) == ['a = "b"']
    assert _marked(treadle.vmap(_sine), "sine", _X) == ['a = "b"']
    assert _marked(treadle.vmap(treadle.jit(_sine)), "sine", _X) == ['a = "b"']
    np.testing.assert_allclose(treadle.jit(_sine)(_X), -np.sin(_X), rtol=1e-5)
    np.testing.assert_allclose(
        treadle.grad(lambda x: _sine(x).sum())(_X), -np.cos(_X), rtol=1e-5, atol=1e-6
    )


def test_loops_and_branches_in_a_block_have_them_inside():
    @set_xla_metadata(a="b")
    def looped(x):
        return lax.scan(lambda c, x: (c + x, tnp.sin(c)), np.float32(0), x)[1]

    @set_xla_metadata(a="b")
    def branched(x):
        return lax.cond(x[0] > 0, tnp.sin, tnp.cos, x)

    assert _marked(looped, "sine", _X) == ['a = "b"']
    assert _marked(branched, "cosine", _X) == ['a = "b"']


def test_derivative_rules_of_users_have_them():
    @treadle.custom_vjp
    def f(x):
        return tnp.sin(x)

    f.defvjp(lambda x: (tnp.sin(x), x), lambda x, ct: (ct * tnp.cos(x),))
    g = set_xla_metadata(a="b")(f)
    assert _marked(treadle.grad(lambda x: g(x).sum()), "cosine", _X) == ['a = "b"']


def test_a_jitted_function_is_another_one_within_a_block():
    jitted = treadle.jit(lambda x: tnp.sin(x))
    assert _MARK not in jitted.lower(_X).as_text()
    with set_xla_metadata(a="b"):
        assert _MARK in jitted.lower(_X).as_text()
        np.testing.assert_allclose(jitted(_X), np.sin(_X), rtol=1e-5)
    assert _MARK not in jitted.lower(_X).as_text()


def test_exported_functions_have_them():
    exported = treadle.export.export(treadle.jit(_sine))(_X)
    assert _MARK in exported.mlir_module()


def test_effects_keep_their_order(capfd):
    @treadle.jit
    @set_xla_metadata(a="b")
    def f(x):
        for word in ("first", "second"):
            treadle.debug.print(word + " {}", x, ordered=True)
        return x

    f(1)
    treadle.effects_barrier()
    assert capfd.readouterr().out == "first 1\nsecond 1\n"


def test_references_in_a_block():
    @treadle.jit
    @set_xla_metadata(a="b")
    def f(x):
        ref = treadle.ref.new_ref(x)
        ref[0] += ref[1]
        return ref[...]

    np.testing.assert_array_equal(f(_X), [3, 2, 3, 4])


def _of_value(x):
    return tnp.negative(set_xla_metadata(tnp.sin(x), a="b"))


def test_an_array_of_its_own():
    assert _marked(_of_value, "sine", _X) == ['a = "b"']
    assert _marked(_of_value, "negate", _X) == [""]
    np.testing.assert_allclose(treadle.jit(_of_value)(_X), -np.sin(_X), rtol=1e-5)
    np.testing.assert_allclose(_of_value(_X), -np.sin(_X), rtol=1e-5)


def test_a_tree_of_arrays():
    def f(x):
        return set_xla_metadata({"s": tnp.sin(x), "c": tnp.cos(x)}, n=1)

    assert _marked(f, "sine", _X) == _marked(f, "cosine", _X) == ['n = "1"']


def test_an_array_under_transformations():
    assert _marked(treadle.vmap(_of_value), "sine", _X) == ['a = "b"']
    slope = treadle.grad(lambda x: _of_value(x).sum())
    assert _marked(
        treadle.grad(lambda x: set_xla_metadata(tnp.sin(x), a="b") ** 2), "sine", 1.0
    ) == ['a = "b"']
    assert _marked(slope, "cosine", _X) == [""]
    np.testing.assert_allclose(slope(_X), -np.cos(_X), rtol=1e-5, atol=1e-6)

    def looped(x):
        return lax.scan(lambda c, _: (set_xla_metadata(tnp.sin(c), a="b"), None), x, length=3)[0]

    assert _marked(looped, "sine", _X) == ['a = "b"']


def test_attributes_of_an_array_within_a_block():
    def f(x):
        with set_xla_metadata(c="d", a="z"):
            return set_xla_metadata(tnp.sin(x), a="b")

    assert _marked(f, "sine", _X) == ['a = "z", c = "d"']  # the block is the innermost

    def twice(x):
        return set_xla_metadata(set_xla_metadata(tnp.sin(x), a="b", e="f"), a="g")

    assert _marked(twice, "sine", _X) == ['a = "b", e = "f"']


def test_one_of_several_results_speaks_for_the_operation():
    def f(x):
        total, each = lax.scan(lambda c, x: (c + x, tnp.sin(c)), np.float32(0), x)
        return set_xla_metadata(total, a="b"), each

    assert _marked(f, "sine", _X) == ['a = "b"']


def test_keys_and_small_types():
    def key(k):
        return treadle.random.bits(set_xla_metadata(treadle.random.fold_in(k, 3), a="b"))

    assert 'a = "b"' in treadle.jit(key).lower(treadle.random.key(0)).as_text()

    def small(x):
        return set_xla_metadata(tnp.sin(x), a="b") + x

    x = tnp.ones(3, tnp.float8_e4m3fn)
    assert 'a = "b"' in treadle.jit(small).lower(x).as_text()


def test_what_nothing_makes_has_none():
    assert 'a = "b"' not in treadle.jit(lambda x: set_xla_metadata(x, a="b")).lower(_X).as_text()


def test_a_function_with_attributes():
    @xla_metadata_call(a="b")
    def f(x):
        return tnp.sin(x)

    assert _marked(lambda x: -f(x), "sine", _X) == ['a = "b"']
    assert _marked(lambda x: -f(x), "negate", _X) == [""]
    assert _marked(xla_metadata_call(tnp.sin, a="b"), "sine", _X) == ['a = "b"']
    np.testing.assert_allclose(f(_X), np.sin(_X), rtol=1e-5)
    with pytest.raises(ArgumentError, match=r"^xla_metadata_call: f must be"):
        xla_metadata_call(3)


def _of_grad(**options):
    """The attributes of the forward pass's cosine, and of the backward pass's product."""

    @xla_metadata_call2({"a": "b"}, **options)
    def f(x):
        return tnp.sin(x)

    slope = treadle.grad(lambda x: f(x).sum())
    np.testing.assert_allclose(slope(_X), np.cos(_X), rtol=1e-5, atol=1e-6)
    return _marked(slope, "cosine", _X), _marked(slope, "multiply", _X)


def test_attributes_of_derivatives():
    assert _of_grad() == (['a = "b"'], ['a = "b"'])
    assert _of_grad(ad_metadata="same") == (['a = "b"'], ['a = "b"'])
    assert _of_grad(ad_metadata="drop") == (['a = "b"'], [""])
    assert _of_grad(ad_metadata={"c": 2}) == (['a = "b"'], ['c = "2"'])


def test_attributes_of_derivatives_within_others():
    f = xla_metadata_call2(tnp.sin, {"a": "b"}, ad_metadata={"c": "d"})

    @set_xla_metadata(e="f")
    def around(x):
        return f(x)

    slope = treadle.grad(lambda x: around(x).sum())
    assert _marked(slope, "cosine", _X) == ['a = "b", e = "f"']
    assert _marked(slope, "multiply", _X) == ['c = "d", e = "f"']

    def inside(x):
        return treadle.jit(set_xla_metadata(e="f")(tnp.sin))(x)

    slope = treadle.grad(lambda x: xla_metadata_call2(inside, ad_metadata={"c": "d"})(x).sum())
    assert _marked(slope, "cosine", _X) == ['e = "f"']
    assert _marked(slope, "multiply", _X) == ['c = "d", e = "f"']


def test_forward_mode_keeps_the_attributes_of_the_function():
    f = xla_metadata_call2(tnp.sin, {"a": "b"}, ad_metadata="drop")
    assert _marked(lambda x: treadle.jvp(f, (x,), (x,)), "multiply", _X) == ['a = "b"']
    assert _marked(treadle.vmap(f), "sine", _X) == ['a = "b"']
    assert _marked(lambda x: treadle.linearize(f, x)[1](x), "multiply", _X) == [""]


def test_a_second_derivative_of_a_dropped_one():
    f = xla_metadata_call2(lambda x: tnp.sin(x), {"a": "b"}, ad_metadata={"c": "d"})
    second = treadle.grad(lambda x: treadle.grad(f)(x))
    np.testing.assert_allclose(second(1.0), -np.sin(1.0), rtol=1e-6)


def test_the_ways_to_give_attributes():
    for f in (
        xla_metadata_call2(tnp.sin, {"a": "b"}),
        xla_metadata_call2({"a": "b"})(tnp.sin),
        xla_metadata_call2(metadata={"a": "b"})(tnp.sin),
    ):
        assert _marked(f, "sine", _X) == ['a = "b"']
    assert _marked(xla_metadata_call2(tnp.sin), "sine", _X) == [""]
    with pytest.raises(ArgumentError, match="ad_metadata is 'x', but must be 'same', 'drop'"):
        xla_metadata_call2({"a": 1}, ad_metadata="x")
    with pytest.raises(ArgumentError, match="a is of type object, but an attribute is"):
        xla_metadata_call2({"a": object()})


def test_what_xla_is_to_fuse():
    f = must_fuse_call("1")(lambda x: tnp.sin(x) * 2)
    assert _marked(lambda x: -f(x), "sine", _X) == ['MUST_FUSE = "1"']
    assert _marked(lambda x: -f(x), "negate", _X) == [""]
    np.testing.assert_allclose(f(_X), np.sin(_X) * 2, rtol=1e-5)

    def limited(x):
        with fuse_limit():
            y = tnp.sin(x)
        return -y

    assert _marked(limited, "sine", _X) == ['FUSE_LIMIT = "true"']
    assert _marked(limited, "negate", _X) == [""]


def test_arrays_that_a_function_closes_over_and_trees():
    def loss(w):
        return xla_metadata_call2(lambda x: {"y": x["x"] * w}, {"a": "b"})({"x": _X})["y"].sum()

    np.testing.assert_allclose(treadle.grad(loss)(2.0), _X.sum())
    assert _marked(loss, "multiply", 2.0) == ['a = "b"']


def test_what_is_no_array_is_refused():
    with pytest.raises(ArgumentError):
        set_xla_metadata("text", a="b")


def test_other_values_are_refused():
    with pytest.raises(ArgumentError, match="a is of type list, but an attribute is a string"):
        set_xla_metadata(a=[1])
