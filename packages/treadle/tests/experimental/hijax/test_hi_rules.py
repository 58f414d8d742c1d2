"""Derivatives and `vmap` of operations that change their arguments, compared with the same function without them."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import MissingRuleError, UnsupportedError
from treadle.experimental.hijax import HiPrimitive, is_undefined_primal

TRANSFORMED = {
    "grad": treadle.grad,
    "jit grad": lambda f: treadle.jit(treadle.grad(f)),
    "grad jit": lambda f: treadle.grad(treadle.jit(f)),
    "jacfwd": treadle.jacfwd,
    "checkpoint": lambda f: treadle.grad(treadle.checkpoint(f)),
    "grad of grad": lambda f: treadle.grad(treadle.grad(f)),
    "hessian": treadle.hessian,
    "vmap grad": lambda f: lambda x: treadle.vmap(treadle.grad(f))(tnp.stack([x, x + 1]))[0],
    "grad vmap": lambda f: treadle.grad(lambda x: treadle.vmap(f)(x[None])[0]),
}


def in_a_box(lib, x):
    """Return x ** 4, computed in a box that also holds an integer count."""
    box = lib.new(x, tnp.int32(3))
    found, count = box.get()
    box.put(found * x, count + 1)
    lax.fori_loop(0, 1, lambda i, c: (box.put(box.get()[0] * x, box.get()[1]), c)[1], 0)
    treadle.jit(lambda b, y: b.put(b.get()[0] * y, b.get()[1]))(box, x)
    lax.cond(x > 0, lambda: box.grow(x), lambda: box.grow(-x))
    return box.get()[0]


@pytest.mark.parametrize("how", TRANSFORMED)
def test_derivatives_go_through_what_is_held(lib, how):
    found = TRANSFORMED[how](lambda x: in_a_box(lib, x))(tnp.float32(1.5))
    second = how in ("grad of grad", "hessian")
    np.testing.assert_allclose(found, 12 * 1.5**2 if second else 4 * 1.5**3, rtol=1e-6)


def test_of_one_that_held_a_constant(lib):
    def f(x):
        box = lib.new(tnp.float32(1))
        box.put(x * x)
        return box.get()

    assert treadle.grad(f)(3.0) == 6
    assert treadle.jvp(f, (3.0,), (1.0,))[1] == 6


class Square(HiPrimitive):
    """A square whose rules are wrong on purpose, to distinguish them from the rules of its body."""

    def abstract_eval(self, x):
        return x, set()

    def to_lojax(self, x):
        return x * x

    def jvp(self, primals, tangents):
        (x,), (dx,) = primals, tangents
        return self.bind(x), Scale("scale").bind(dx, by=3.0) * x


class Scale(HiPrimitive):
    def abstract_eval(self, x, *, by):
        return x, set()

    def to_lojax(self, x, *, by):
        return x * by

    def jvp(self, primals, tangents, *, by):
        return self.bind(*primals, by=by), self.bind(*tangents, by=by)

    def transpose(self, ct, x, *, by):
        assert is_undefined_primal(x)
        return [ct * (by + 2)]


@pytest.mark.parametrize("jit", [treadle.jit, lambda f: f])
def test_its_own_rules_are_asked(jit):
    square = jit(Square("square").bind)
    assert treadle.jvp(square, (2.0,), (1.0,))[1] == 6
    assert jit(treadle.grad(square))(2.0) == 10
    np.testing.assert_array_equal(treadle.vmap(square)(tnp.arange(3.0)), [0, 1, 4])
    np.testing.assert_array_equal(treadle.vmap(treadle.grad(square))(tnp.arange(3.0)), [0, 5, 10])


def test_its_own_derivative_is_asked_for_behind_vmap():
    square, at = treadle.vmap(Square("square").bind), np.arange(3.0, dtype=np.float32)
    for f in (square, treadle.jit(square)):
        np.testing.assert_array_equal(treadle.jvp(f, (at,), (tnp.ones(3),))[1], 3 * at)
        np.testing.assert_array_equal(treadle.grad(lambda x: f(x).sum())(at), 3 * at)  # noqa: B023
    twice = treadle.vmap(square)
    np.testing.assert_array_equal(
        treadle.jvp(twice, (at[None],), (at[None],))[1], 3 * at[None] ** 2
    )


def test_what_is_not_linear_has_no_transpose():
    class Cube(Square):
        def to_lojax(self, x):
            return x**3

    with pytest.raises(MissingRuleError, match="not linear"):
        treadle.linear_transpose(Cube("cube").bind, 1.0)(1.0)


class Stash(HiPrimitive):
    """Returns its argument, and puts the tangent in a box."""

    effects: frozenset[str] = frozenset({"stash"})

    def abstract_eval(self, box, x):
        return x, self.effects

    def to_lojax(self, box, x):
        return x

    def jvp(self, primals, tangents):
        box, x = primals
        box.put(tangents[1])
        return x, tangents[1]


@pytest.mark.parametrize("jit", [treadle.jit, lambda f: f])
def test_a_rule_may_change_what_the_operation_does_not(lib, jit):
    box = lib.Box(np.float32(0))
    assert treadle.jvp(jit(lambda x: Stash("stash").bind(box, x)), (3.0,), (5.0,))[1] == 5
    assert float(box.arrays[0]) == 5
    with pytest.raises(UnsupportedError, match="depends on a tangent"):
        treadle.grad(lambda x: Stash("stash").bind(box, x))(3.0)
    silent = Stash("silent")
    silent.effects = frozenset()
    with pytest.raises(UnsupportedError, match="tell of an effect"):
        treadle.jvp(lambda x: silent.bind(box, x), (3.0,), (5.0,))


def test_rules_that_are_missing(lib):
    class Bare(Square):
        jvp = HiPrimitive.jvp

    with pytest.raises(MissingRuleError, match="Bare must override `jvp`"):
        treadle.grad(Bare("bare").bind)(1.0)
    box = lib.Box(np.float32(1))
    assert treadle.grad(lambda x: Bare("bare").bind(2.0) * box.get() * x)(1.0) == 4


def test_a_value_of_another_type_through_an_operation(lib, x, rounded):
    """The type of its tangents differs from its own."""

    class Same(HiPrimitive):
        def abstract_eval(self, q):
            return q, set()

        def to_lojax(self, q):
            return q

        def jvp(self, primals, tangents):
            return self.bind(*primals), 2 * tangents[0]

    def f(x):
        return (lib.dequantise(Same("same").bind(lib.quantise(x))) ** 2).sum()

    np.testing.assert_allclose(treadle.grad(f)(x), 4 * rounded, rtol=1e-6)


def test_finite_differences(lib):
    x = np.float64(1.5)
    with treadle.enable_x64(True):
        found = treadle.grad(lambda x: in_a_box(lib, x))(x)
        step = 1e-6
        ahead, behind = (float(in_a_box(lib, tnp.asarray(x + d))) for d in (step, -step))
    np.testing.assert_allclose(found, (ahead - behind) / (2 * step), rtol=1e-6)
