"""Rules made of other rules: values, first and second derivatives, compared with the function itself."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, UnsupportedError
from treadle.experimental.hijax import (
    HiPrim,
    instantiate_zeros,
    jvp_from_lin,
    linearize_from_jvp,
    vjp_from_jvp,
    vjp_from_lin,
)


class Base(HiPrim):
    def __init__(self, x, y):
        self.in_avals, self.out_aval, self.params = (x, y), x, {}
        super().__init__()

    def expand(self, x, y):
        return tnp.sin(x) * y


class Forward(Base):
    def jvp(self, primals, tangents):
        (x, y), (dx, dy) = primals, map(instantiate_zeros, tangents)
        return self(x, y), tnp.cos(x) * y * dx + tnp.sin(x) * dy


class ByLin(Forward):
    lin, linearized = linearize_from_jvp
    vjp_fwd, vjp_bwd_retval = vjp_from_lin


class ByJvp(Forward):
    vjp_fwd, vjp_bwd_retval = vjp_from_jvp


class Written(Base):
    def lin(self, nzs_in, x, y):
        return self(x, y), (tnp.cos(x) * y, tnp.sin(x))

    def linearized(self, kept, dx, dy):
        return kept[0] * instantiate_zeros(dx) + kept[1] * instantiate_zeros(dy)

    jvp = jvp_from_lin


class WrittenBack(Written):
    vjp_fwd, vjp_bwd_retval = vjp_from_lin


@pytest.mark.parametrize("cls", [ByLin, ByJvp, Written, WrittenBack])
def test_derivatives(cls):
    f = lambda x, y: cls(treadle.typeof(x), treadle.typeof(y))(x, y)  # noqa: E731
    plain = lambda x, y: tnp.sin(x) * y  # noqa: E731
    at = np.float32(0.3), np.float32(1.7)
    for ask in (
        lambda g: treadle.grad(g, argnums=(0, 1))(*at),
        lambda g: treadle.jit(treadle.grad(g))(*at),
        lambda g: treadle.grad(treadle.grad(g))(*at),
        lambda g: treadle.jvp(g, at, (np.float32(2), np.float32(3))),
        lambda g: treadle.jvp(lambda x: g(x, at[1]), at[:1], (np.float32(2),)),
        lambda g: treadle.linearize(g, *at)[1](np.float32(2), np.float32(3)),
        lambda g: treadle.hessian(g)(*at),
        lambda g: treadle.jacfwd(g, argnums=1)(*at),
    ):
        np.testing.assert_allclose(ask(f), ask(plain), rtol=1e-5)


def test_a_circle_is_refused():
    class Circle(Base):
        jvp = jvp_from_lin
        lin, linearized = linearize_from_jvp

    with pytest.raises(UnsupportedError, match="`jvp` is made of `lin`"):
        treadle.linearize(Circle(treadle.typeof(1.0), treadle.typeof(1.0)), 1.0, 2.0)


def test_a_pair_is_no_rule():
    with pytest.raises(ArgumentError, match="vjp_fwd, vjp_bwd_retval = vjp_from_jvp"):
        vjp_from_jvp(1)
    assert "linearize_from_jvp" in repr(linearize_from_jvp)


class Sum(HiPrim):
    """Linear, with a `jvp` that applies it to tangents."""

    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval, aval), aval, {}
        super().__init__()

    def expand(self, x, y):
        return x + y

    def jvp(self, primals, tangents):
        return self(*primals), self(*tangents)

    vjp_fwd, vjp_bwd_retval = vjp_from_jvp


class LinearizedSum(Sum):
    lin, linearized = linearize_from_jvp


class Endless(Sum):
    def jvp(self, primals, tangents):
        return self(*primals), self.jvp(primals, tangents)


class LinearizedEndless(Endless):
    lin, linearized = linearize_from_jvp


@pytest.mark.parametrize("operation", [Endless, LinearizedEndless])
def test_a_rule_that_recurses_by_itself_is_not_said_to_be_made_of_itself(operation):
    with pytest.raises(RecursionError):
        treadle.grad(lambda x: operation(treadle.typeof(x))(x, x))(1.0)


@pytest.mark.parametrize("operation", [Sum, LinearizedSum])
def test_a_rule_made_of_itself_is_refused(operation):
    def f(x):
        return operation(treadle.typeof(x))(x, x)

    assert treadle.jvp(f, (1.0,), (3.0,))[1] == 6
    with pytest.raises(UnsupportedError, match=r"(?s)Sum.*asks for itself.*fix: apply another"):
        treadle.grad(f)(1.0)
