"""`set_xla_metadata`: which operations get the attributes, under each transformation."""

from __future__ import annotations

import re

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, UnsupportedError
from treadle.experimental.xla_metadata import set_xla_metadata

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


def test_an_array_is_refused():
    with pytest.raises(UnsupportedError, match="attributes of a single value"):
        set_xla_metadata(_X, a="b")


def test_other_values_are_refused():
    with pytest.raises(ArgumentError, match="a is of type list, but an attribute is a string"):
        set_xla_metadata(a=[1])
