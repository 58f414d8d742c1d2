"""Derivatives of operations on values of user-defined types, compared with derivatives of arrays."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import UnsupportedError
from treadle.experimental.hijax import HiPrim, NullAccum, ShapedArray, Zero, instantiate_zeros


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_through_a_value(lib, x, rounded):
    f = lambda x: tnp.sum(lib.dequantise(lib.quantise(x)) ** 2)  # noqa: E731
    close(treadle.grad(f)(x), 2 * rounded)
    close(treadle.jit(treadle.grad(f))(x), 2 * rounded)
    close(treadle.grad(treadle.jit(f))(x), 2 * rounded)
    close(treadle.grad(treadle.checkpoint(f))(x), 2 * rounded)


def test_with_respect_to_a_value(lib, x, rounded):
    q = lib.quantise(x)
    f = lambda q: tnp.sum(lib.dequantise(q) ** 2)  # noqa: E731
    close(treadle.grad(f)(q), 2 * rounded)
    value, gradients = treadle.value_and_grad(lambda t: f(t["q"]) * t["s"])({"q": q, "s": 3.0})
    close(value, 3 * np.sum(rounded**2))
    close(gradients["q"], 6 * rounded)
    close(gradients["s"], np.sum(rounded**2))


def test_of_both_operands(lib, x, rounded):
    y = np.arange(8, dtype=np.float32).reshape(4, 2) - 3
    f = lambda y, q: tnp.sum(lib.product(y, q) ** 2)  # noqa: E731
    got = treadle.grad(f, argnums=(0, 1))(y, lib.quantise(x))
    wanted = treadle.grad(lambda y, w: tnp.sum((y @ w) ** 2), argnums=(0, 1))(y, rounded)
    for each, other in zip(got, wanted, strict=True):
        close(each, other)


def test_forward(lib, x, rounded):
    dx = np.ones_like(x)
    q = lib.quantise(x)
    y, dy = treadle.jvp(lambda x: 2 * lib.dequantise(lib.quantise(x)), (x,), (dx,))
    close(y, 2 * rounded)
    close(dy, 2 * dx)
    close(treadle.jvp(lib.dequantise, (q,), (dx,))[1], dx)
    result, tangent = treadle.jvp(lib.quantise, (x,), (3 * dx,))
    np.testing.assert_array_equal(result.values, q.values)
    close(tangent, 3 * dx)


def test_pullbacks_take_and_give_tangents_of_values(lib, x):
    q = lib.quantise(x)
    close(treadle.vjp(lib.dequantise, q)[1](np.ones_like(x))[0], np.ones_like(x))
    result, pull = treadle.vjp(lib.quantise, x)
    assert isinstance(result, lib.Quantised)
    close(pull(2 * np.ones_like(x))[0], 2 * np.ones_like(x))
    close(treadle.linearize(lambda q: 3 * lib.dequantise(q), q)[1](x), 3 * x)


def test_of_loops_and_branches(lib, x):
    q = lib.quantise(x)
    xs = np.arange(24, dtype=np.float32).reshape(4, 2, 3) + 1

    def f(xs):
        carry, _ = lax.scan(lambda c, x: (lib.quantise(lib.dequantise(c) + x), None), q, xs)
        return tnp.sum(lib.dequantise(carry))

    close(treadle.grad(f)(xs), np.ones_like(xs))
    branch = lambda x: tnp.sum(  # noqa: E731
        lib.dequantise(
            lax.cond(
                True, lambda q: lib.quantise(2 * lib.dequantise(q)), lambda q: q, lib.quantise(x)
            )
        )
    )
    close(treadle.grad(branch)(x), 2 * np.ones_like(x))


def test_custom_rules_of_functions_of_values(lib, x, rounded):
    q = lib.quantise(x)

    @treadle.custom_vjp
    def f(q):
        return 2 * lib.dequantise(q)

    f.defvjp(lambda q: (f(q), q), lambda q, ct: (ct * lib.dequantise(q),))
    close(treadle.grad(lambda q: f(q).sum())(q), rounded)

    @treadle.custom_jvp
    def g(q):
        return 2 * lib.dequantise(q)

    g.defjvp(lambda primals, tangents: (g(*primals), 7 * tangents[0]))
    close(treadle.jvp(g, (q,), (np.ones_like(x),))[1], 7 * np.ones_like(x))
    close(treadle.grad(lambda q: g(q).sum())(q), 7 * np.ones_like(x))


def test_values_whose_tangents_are_values(lib):
    at = lib.pair(np.arange(3, dtype=np.float32), np.float32(5))
    gradient = treadle.grad(lambda t: tnp.sum(lib.part(t, 0) ** 2) * lib.part(t, 1))(at)
    close(gradient.parts[0], [0, 10, 20])
    close(gradient.parts[1], 5)
    f = lambda y: lib.part(  # noqa: E731
        treadle.grad(lambda t: lib.part(t, 0) ** 3 * lib.part(t, 1))(lib.pair(y, y)), 0
    )
    close(treadle.grad(f)(2.0), 36.0)  # of 3 y**3

    def looped(x):
        step = lambda t, _: (lib.pair(lib.part(t, 1) * lib.part(t, 0), lib.part(t, 0)), None)  # noqa: E731
        return lib.part(lax.scan(step, lib.pair(x, 2.0), None, length=3)[0], 0)

    close(treadle.grad(looped)(3.0), 108.0)  # of 4 x**3


class Sum(HiPrim):
    """Of two leaves of a tree, and the first alone; rules note what they were given."""

    def __init__(self, avals):
        self.in_avals, self.params, self.seen = (avals,), {}, []
        self.out_aval = {"sum": avals["x"], "first": avals["x"]}
        super().__init__()

    def expand(self, t):
        return {"sum": t["x"] + t["y"], "first": t["x"]}

    def vjp_fwd(self, nzs_in, t):
        self.seen.append(nzs_in)
        return self(t), None

    def vjp_bwd_retval(self, _, ct):
        self.seen.append(ct)
        total = instantiate_zeros(ct["sum"])
        return ({"x": total + instantiate_zeros(ct["first"]), "y": total},)


def test_rules_see_trees_and_zeros():
    aval = ShapedArray((), "float32")
    prim = Sum({"x": aval, "y": aval})
    y = np.float32(2)
    assert treadle.grad(lambda x: prim({"x": x, "y": y})["first"])(np.float32(1)) == 1.0
    flags, ct = prim.seen
    assert flags == ({"x": True, "y": False},)
    assert isinstance(ct["sum"], Zero)
    assert not isinstance(ct["first"], Zero)


class Third(HiPrim):
    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval, aval), ShapedArray((), aval.dtype), {}
        super().__init__()

    def expand(self, x, y):
        return x[2] + y[2]

    def vjp_fwd(self, nzs_in, x, y):
        return self(x, y), None

    def vjp_bwd(self, _, ct, of_x, of_y):
        assert isinstance(of_y, NullAccum)
        of_x.accum(tnp.zeros(of_x.aval.shape).at[2].add(ct))
        of_x.accum(tnp.zeros(of_x.aval.shape).at[2].add(ct))
        of_y.accum(None)


def test_accumulators():
    x = np.arange(4, dtype=np.float32)
    close(treadle.grad(Third(treadle.typeof(x)))(x, x), [0, 0, 2, 0])


def test_what_values_have_not(lib, x):
    q = lib.quantise(x)
    with pytest.raises(TypeError):
        treadle.jacrev(lib.dequantise)(q)
    with pytest.raises(UnsupportedError, match="no Jacobian"):
        treadle.jacrev(lib.quantise)(x)
    with pytest.raises(UnsupportedError, match="use vjp"):
        treadle.linear_transpose(lib.dequantise, q)


class OnlyForward(HiPrim):
    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval,), aval, {}
        super().__init__()

    def expand(self, x):
        return tnp.sin(x)

    def jvp(self, primals, tangents):
        return self(*primals), tnp.cos(primals[0]) * tangents[0]


def test_a_forward_rule_is_enough():
    """JAX asks for `vjp_fwd` here; the transpose of `jvp` is the same derivative."""
    prim = OnlyForward(ShapedArray((), "float32"))
    close(treadle.grad(prim)(np.float32(0.5)), np.cos(0.5))
    close(treadle.jacfwd(treadle.grad(prim))(np.float32(0.5)), -np.sin(0.5))


@pytest.mark.parametrize(
    ("ask", "method"),
    [
        (lambda f: treadle.grad(f)(1.0), "vjp_fwd"),
        (lambda f: treadle.jvp(f, (1.0,), (1.0,)), "jvp"),
        (lambda f: treadle.vmap(f)(np.ones(2, np.float32)), "batch"),
    ],
)
def test_a_rule_that_lacks(ask, method):
    class Bare(HiPrim):
        def __init__(self):
            aval = ShapedArray((), "float32")
            self.in_avals, self.out_aval, self.params = (aval,), aval, {}
            super().__init__()

        def expand(self, x):
            return x

    with pytest.raises(NotImplementedError, match=f"must implement `{method}`"):
        ask(Bare())
