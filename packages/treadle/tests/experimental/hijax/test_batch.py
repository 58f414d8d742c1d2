"""vmap and scan over values of user-defined types, compared with loops."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ShapeError
from treadle.experimental.hijax import HiPrim

XS = np.arange(24, dtype=np.float32).reshape(4, 2, 3) + 1


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def each(lib, xs=XS):
    return np.stack([np.asarray(lib.dequantise(lib.quantise(x))) for x in xs])


def test_specs_in_and_out(lib):
    qs = treadle.vmap(lib.quantise, out_axes=lib.Leading())(XS)
    assert treadle.typeof(qs) == lib.QuantisedType((4, 2, 3))
    for in_axes in (lib.Leading(), (lib.Leading(),)):
        got = treadle.vmap(lib.dequantise, in_axes=in_axes, axis_size=4)(qs)
        close(got, each(lib))
    close(treadle.vmap(treadle.jit(lib.dequantise), lib.Leading(), axis_size=4)(qs), each(lib))
    got = treadle.vmap(lambda x, q: x + lib.dequantise(q), (0, lib.Leading()))(XS, qs)
    close(got, XS + each(lib))


def test_within(lib):
    f = lambda x: lib.dequantise(lib.quantise(x))  # noqa: E731
    close(treadle.vmap(f)(XS), each(lib))
    close(
        treadle.vmap(f, in_axes=2, out_axes=2)(np.moveaxis(XS, 0, 2)), np.moveaxis(each(lib), 0, 2)
    )
    close(treadle.vmap(treadle.vmap(f))(XS[None]), each(lib)[None])
    close(treadle.vmap(treadle.grad(lambda x: tnp.sum(f(x) ** 2)))(XS), 2 * each(lib))
    close(treadle.grad(lambda xs: tnp.sum(treadle.vmap(f)(xs) ** 2))(XS), 2 * each(lib))


def test_what_all_share(lib, x, rounded):
    got = treadle.vmap(lambda x, q: x + lib.dequantise(q), in_axes=(0, None))(XS, lib.quantise(x))
    close(got, XS + rounded)


def test_a_spec_with_an_axis_for_each_part(lib):
    at = lib.pair(np.arange(3, dtype=np.float32), np.float32(5))
    swap = lambda t: lib.pair(lib.part(t, 1), lib.part(t, 0))  # noqa: E731
    got = treadle.vmap(swap, lib.PairSpec((0, None)), lib.PairSpec((None, 0)), axis_size=3)(at)
    close(got.parts[0], 5)
    close(got.parts[1], [0, 1, 2])


def test_numbers_are_no_specs(lib):
    with pytest.raises(ShapeError, match="whose axes have no numbers"):
        treadle.vmap(lib.quantise)(XS)
    qs = lib.quantise(XS)
    with pytest.raises(ShapeError, match="whose axes have no numbers"):
        treadle.vmap(lib.dequantise)(qs)
    with pytest.raises(ShapeError, match="axis_size"):
        treadle.vmap(lib.dequantise, in_axes=lib.Leading())(qs)


def test_scan_over_values(lib, x):
    qs = lib.quantise(XS)
    total, _ = lax.scan(lambda c, q: (c + tnp.sum(lib.dequantise(q)), None), 0.0, qs)
    close(total, each(lib).sum())
    step = lambda c, x: (lib.quantise(lib.dequantise(c) + x), lib.quantise(2 * x))  # noqa: E731
    carry, ys = lax.scan(step, lib.quantise(x), XS)
    assert treadle.typeof(carry) == lib.QuantisedType((2, 3))
    assert treadle.typeof(ys) == lib.QuantisedType((4, 2, 3))
    close(lib.dequantise(ys), each(lib, 2 * XS))
    batched = treadle.vmap(lambda x: lib.dequantise(lax.scan(step, lib.quantise(x), XS)[0]))(XS)
    alone = [lib.dequantise(lax.scan(step, lib.quantise(x), XS)[0]) for x in XS]
    close(batched, np.stack(alone))


class Multiply(HiPrim):
    """Batched by where its batch is."""

    def __init__(self, x, y):
        self.in_avals, self.out_aval, self.params = (x, y), x, {}
        super().__init__()

    def expand(self, x, y):
        return x * y

    def vjp_fwd(self, nzs_in, x, y):
        return self(x, y), (x if nzs_in[1] else None, y if nzs_in[0] else None)

    def vjp_bwd_retval(self, res, ct):
        x, y = res
        return (None if y is None else 10 * ct * y, None if x is None else 10 * ct * x)

    def jvp(self, primals, tangents):
        return self(*primals), sum(
            10 * primals[1 - i] * t for i, t in enumerate(tangents) if isinstance(t, treadle.Array)
        )

    def batch_dim_rule(self, axis_data, dims):
        return dims[1] if dims[0] is None else dims[0]


def multiply(x, y):
    return Multiply(treadle.typeof(x), treadle.typeof(y))(x, y)


def test_rules_are_mapped():
    """Derivatives are ten times too large on purpose: the body's derivatives would not be."""
    x, y = np.arange(3, dtype=np.float32), np.arange(3, dtype=np.float32) + 1
    two = np.float32(2)
    close(treadle.vmap(multiply)(x, y), x * y)
    close(treadle.vmap(multiply, (None, 0))(two, y), 2 * y)
    close(treadle.vmap(treadle.grad(multiply))(x, y), 10 * y)
    shared = treadle.vmap(multiply, (0, None))
    close(treadle.grad(lambda x: tnp.sum(shared(x, two)))(x), 10 * np.full(3, 2))
    close(treadle.grad(lambda y: tnp.sum(shared(x, y)))(two), 10 * x.sum())
    close(treadle.jvp(lambda y: shared(x, y), (two,), (np.float32(1),))[1], 10 * x)
    outer = treadle.vmap(shared, (None, 0))
    close(outer(x, y), y[:, None] * x)
    close(treadle.grad(lambda x: tnp.sum(outer(x, y)))(x), 10 * np.full(3, y.sum()))
    close(treadle.vmap(multiply, (1, 1), 1)(XS[0], XS[1]), XS[0] * XS[1])
