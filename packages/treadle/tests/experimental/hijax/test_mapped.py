"""What batch rules are written with."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, DTypeError, ShapeError, UnsupportedError
from treadle.experimental.hijax import (
    GradAccum,
    HiPrim,
    ShapedArray,
    bdims_at_front,
    instantiate_zeros,
    unmap_avals,
    vmap_rule,
)
from treadle.interpreters.batching import AxisData


class Total(HiPrim):
    """Batched with what there is for batch rules."""

    def __init__(self, x, y):
        self.in_avals, self.out_aval, self.params = (x, y), ShapedArray((), "float32"), {}
        super().__init__()

    def expand(self, x, y):
        return tnp.sum(x) * tnp.sum(y)

    def batch(self, axis_data, args, dims):
        x, y = bdims_at_front(axis_data, args, dims)
        avals = unmap_avals(axis_data, (treadle.typeof(x), treadle.typeof(y)), (0, 0))
        assert avals == self.in_avals
        return vmap_rule(axis_data, self.expand, (0, 0), 0)(x, y), 0


def test_a_rule_written_with_them():
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(2, np.float32)
    aval = ShapedArray((2,), "float32")
    total = Total(aval, aval)
    np.testing.assert_allclose(treadle.vmap(total, (1, None))(x, y), 2 * x.sum(0))


def test_values_have_no_numbered_axes(lib, x):
    with pytest.raises(UnsupportedError, match="bdims_at_front"):
        bdims_at_front(AxisData("i", 2), (lib.quantise(x),), (None,))


class Product(HiPrim):
    """`x sin(y)`, batched by its other rules, which classes derived from it have."""

    def __init__(self, x, y):
        self.in_avals, self.out_aval, self.params = (x, y), y, {}
        super().__init__()

    def expand(self, x, y):
        return x * tnp.sin(y)

    def batch_dim_rule(self, axis_data, dims):
        return dims[1]


class ByJvp(Product):
    def jvp(self, primals, tangents):
        (x, y), (dx, dy) = primals, map(instantiate_zeros, tangents)
        return self(x, y), dx * tnp.sin(y) + x * tnp.cos(y) * dy


class ByLin(Product):
    def lin(self, nzs_in, x, y):
        return self(x, y), (x, y)

    def linearized(self, kept, dx, dy):
        x, y = kept
        return instantiate_zeros(dx) * tnp.sin(y) + x * tnp.cos(y) * instantiate_zeros(dy)


class ByAccumulators(Product):
    def vjp_fwd(self, nzs_in, x, y):
        return self(x, y), (x, y)

    def vjp_bwd(self, kept, ct, by_x, by_y):
        x, y = kept
        by_x.accum(tnp.sum(ct * tnp.sin(y)))
        by_y.accum(ct * x * tnp.cos(y))


@pytest.mark.parametrize("dims", [(None, 0), (0, 0), (None, 1), (0, 1)])
@pytest.mark.parametrize("operation", [ByJvp, ByLin, ByAccumulators])
def test_derivatives_of_all_batch_elements_by_whatever_rule(operation, dims):
    x = np.float32(3) if dims[0] is None else np.arange(3, dtype=np.float32)
    y = np.arange(6, dtype=np.float32).reshape((3, 2) if dims[1] == 0 else (2, 3))

    def value(f, x, y):
        once = treadle.vmap(f, dims)
        twice = treadle.vmap(treadle.vmap(f, dims), (None, None), axis_size=2)
        return tnp.sum(once(x, y) ** 2) + tnp.sum(twice(x, y))

    def of_library(x, y):
        return operation(treadle.typeof(x), treadle.typeof(y))(x, y)

    def plain(x, y):
        return x * tnp.sin(y)

    for argnums in (0, 1, (0, 1)):
        found, truth = [
            treadle.grad(lambda x, y: value(f, x, y), argnums)(x, y)  # noqa: B023
            for f in (of_library, plain)
        ]
        treadle.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), found, truth)
    if operation is not ByAccumulators:
        slope = treadle.linearize(treadle.vmap(of_library, dims), x, y)[1]
        truth = treadle.linearize(treadle.vmap(plain, dims), x, y)[1]
        np.testing.assert_allclose(slope(x, 2 * y), truth(x, 2 * y), rtol=1e-5)


class Dot(Product):
    """`sum(x y)` of a vector and what it is linear in."""

    def __init__(self, x, y):
        super().__init__(x, y)
        self.out_aval = ShapedArray((), "float32")
        HiPrim.__init__(self)

    def expand(self, x, y):
        return tnp.sum(x * y)

    def batch_dim_rule(self, axis_data, dims):
        return None if dims == (None, None) else 0

    def transpose(self, ct, x, y):
        if isinstance(x, GradAccum):
            x.accum(ct * y)
        else:
            y.accum(ct * x)


@pytest.mark.parametrize("dims", [(0, None), (None, 1), (1, 0)])
@pytest.mark.parametrize("linear_in", [0, 1])
def test_transposes_of_all_batch_elements(dims, linear_in):
    shapes = {None: (4,), 0: (3, 4), 1: (4, 3)}
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=shapes[dim]).astype(np.float32) for dim in dims)
    ct = np.arange(3, dtype=np.float32)
    aval = ShapedArray((4,), "float32")
    found, truth = [
        treadle.linear_transpose(
            lambda z: treadle.vmap(f, dims)(*((z, y) if linear_in == 0 else (x, z))),  # noqa: B023
            (x, y)[linear_in],
        )(ct)[0]
        for f in (Dot(aval, aval), tnp.dot)
    ]
    np.testing.assert_allclose(found, truth, rtol=1e-5)


def test_rules_that_return_something_else():
    def f(operation):
        return lambda x: operation(treadle.typeof(x), treadle.typeof(x))(x, x)

    class NoPair(Product):
        def jvp(self, primals, tangents):
            return self(*primals)

    class Kept(NoPair):
        def vjp_fwd(self, nzs_in, x, y):
            return self(x, y)

    class Flat(Product):
        def jvp(self, primals, tangents):
            return self(*primals), tnp.ones(7)

    class NotAPair(Product):
        def jvp(self, primals, tangents):
            return self(*primals), tnp.ones(2, "int32")

    two = np.ones(2, np.float32)  # which could be unpacked
    for mapped in (lambda g: g, treadle.vmap):
        with pytest.raises(ArgumentError, match=r"NoPair.*\.jvp must return a pair"):
            treadle.jvp(mapped(f(NoPair)), (two,), (two,))
        with pytest.raises(ArgumentError, match=r"Kept.*\.vjp_fwd must return a pair"):
            treadle.grad(lambda x: tnp.sum(mapped(f(Kept))(x)))(two)  # noqa: B023
    for operation, error in ((Flat, ShapeError), (NotAPair, DTypeError)):
        for derivative in (treadle.jacfwd, treadle.jacrev):
            with pytest.raises(error, match=f"{operation.__name__}.*a tangent is"):
                derivative(f(operation))(two)
