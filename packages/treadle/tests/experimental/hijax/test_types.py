"""Values of user-defined types in trees, jit, loops and branches, compared with NumPy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, UnsupportedError
from treadle.experimental.hijax import (
    HiPspec,
    HiType,
    ShapedArray,
    aval_method,
    aval_property,
    register_hitype,
)
from treadle_ir.tree import flatten_leaves_and_structure


def test_typeof_is_the_type(lib, x):
    assert treadle.typeof(lib.quantise(x)) == lib.QuantisedType((2, 3))
    seen = []
    treadle.jit(lambda q: (seen.append(treadle.typeof(q)), q)[1])(lib.quantise(x))
    assert seen == [lib.QuantisedType((2, 3))]


def test_users_see_one_leaf(lib, x):
    q = lib.quantise(x)
    assert treadle.tree.leaves({"a": q, "b": 1}) == [q, 1]
    assert treadle.tree.structure([q]) == treadle.tree.structure([0])
    assert treadle.tree.map(treadle.typeof, [q]) == [lib.QuantisedType((2, 3))]
    ((path, leaf),) = treadle.tree.leaves_with_path([q])
    assert leaf is q
    assert len(path) == 1


def test_arguments_and_results_of_jit(lib, x, rounded):
    q = treadle.jit(lib.quantise)(x)
    assert isinstance(q, lib.Quantised)
    np.testing.assert_allclose(treadle.jit(lib.dequantise)(q), rounded, rtol=1e-6)
    out = treadle.jit(lambda t: {"q": t["q"], "x": lib.dequantise(t["q"][0])})({"q": [q]})
    np.testing.assert_array_equal(out["q"][0].values, q.values)
    np.testing.assert_allclose(out["x"], rounded, rtol=1e-6)
    np.testing.assert_allclose(treadle.jit(lambda: lib.dequantise(q))(), rounded, rtol=1e-6)


def test_jit_compiles_once_for_a_type(lib, x):
    count = 0

    @treadle.jit
    def f(q):
        nonlocal count
        count += 1
        return lib.dequantise(q)

    f(lib.quantise(x))
    f(lib.quantise(2 * x))
    assert count == 1
    f(lib.quantise(x[:1]))
    assert count == 2


def test_branches_and_loops(lib, x, rounded):
    q = lib.quantise(x)
    double = lambda q: lib.quantise(2 * lib.dequantise(q))  # noqa: E731
    for taken, times in ((True, 2), (False, 1)):
        got = lax.cond(taken, double, lambda q: q, q)
        np.testing.assert_allclose(lib.dequantise(got), times * rounded, rtol=1e-5)
    got = lax.fori_loop(0, 3, lambda _, q: double(q), q)
    np.testing.assert_allclose(lib.dequantise(got), 8 * rounded, rtol=1e-5)
    got = lax.while_loop(lambda q: tnp.sum(lib.dequantise(q)) < 100, double, q)
    np.testing.assert_allclose(lib.dequantise(got), 16 * rounded, rtol=1e-5)


def test_shard_map_runs_operations_and_cuts_no_values(lib, x, rounded):
    mesh = treadle.make_mesh((1,), ("i",))
    whole, cut = treadle.sharding.PartitionSpec(), treadle.sharding.PartitionSpec("i")
    f = lambda x: lib.dequantise(lib.quantise(x))  # noqa: E731
    mapped = treadle.shard_map(f, mesh=mesh, in_specs=cut, out_specs=cut)
    np.testing.assert_allclose(mapped(x), rounded, rtol=1e-6)
    mapped = treadle.shard_map(
        lambda q, x: lib.dequantise(q) + x, mesh=mesh, in_specs=(whole, cut), out_specs=cut
    )
    np.testing.assert_allclose(mapped(lib.quantise(x), x), rounded + x, rtol=1e-6)
    with pytest.raises(ArgumentError, match="must be a PartitionSpec"):
        treadle.shard_map(f, mesh=mesh, in_specs=HiPspec(), out_specs=cut)
    with pytest.raises(UnsupportedError, match="pmap"):
        treadle.pmap(lib.dequantise)(lib.quantise(x[None]))


def test_eval_shape_and_programs(lib, x):
    assert treadle.eval_shape(lib.quantise, x) == lib.QuantisedType((2, 3))
    text = str(treadle.make_jaxpr(lambda x: lib.dequantise(lib.quantise(x)))(x))
    assert text.count("call_hi_primitive") == 2


def test_types_in_types(lib):
    nested = lib.pair(lib.pair(np.float32(1), np.float32(2)), np.arange(2.0, dtype=np.float32))
    got = treadle.jit(lambda t: lib.part(lib.part(t, 0), 1))(nested)
    assert float(got) == 2.0


def test_traced_values_have_what_their_type_says(lib, x):
    class Named(HiType):
        rows = aval_property(lambda q: q.aval.count)
        times = aval_method(lambda q, n: n * q.aval.count)

        def __init__(self, count):
            self.count = count

        def __eq__(self, other):
            return isinstance(other, Named) and self.count == other.count

        def __hash__(self):
            return hash(self.count)

        def lo_ty(self):
            return [ShapedArray((self.count,), "float32")]

        def lower_val(self, value):
            return [value.array]

        def raise_val(self, array):
            return Value(array)

    class Value:
        def __init__(self, array):
            self.array = array

    register_hitype(Value, lambda value: Named(value.array.shape[0]))
    seen = []
    treadle.jit(lambda v: (seen.extend([v.rows, v.times(3)]), v)[1])(Value(tnp.ones(4)))
    assert seen == [4, 12]
    with pytest.raises(AttributeError, match="no attribute 'array'"):
        treadle.jit(lambda v: v.array)(Value(tnp.ones(4)))
    with pytest.raises(AttributeError, match="'_add'"):
        treadle.jit(lambda v: v + v)(Value(tnp.ones(4)))


def test_no_array_functions(lib, x):
    with pytest.raises(TypeError):
        treadle.jit(tnp.sin)(lib.quantise(x))


def test_registered_once(lib):
    with pytest.raises(ValueError, match="registered already"):
        register_hitype(lib.Quantised, lambda q: None)
    with pytest.raises(ArgumentError, match="a class"):
        register_hitype(3, lambda q: None)


def test_a_type_says_what_it_lacks(lib, x):
    class Bare(HiType):
        pass

    for ask in (Bare().lo_ty, Bare().to_tangent_aval, Bare().leading_axis_spec):
        with pytest.raises(NotImplementedError, match="Bare has no"):
            ask()


def test_arrays_of_no_known_type_are_refused(lib, x):
    _, structure = flatten_leaves_and_structure(lib.quantise(x))
    with pytest.raises(UnsupportedError, match="no type is known"):
        structure.unflatten([tnp.ones((5, 5, 5, 5)), tnp.ones(3), tnp.ones(2)])


def test_structures_are_pickled(lib, x):
    structure = treadle.tree.structure([lib.quantise(x)])
    assert pickle.loads(pickle.dumps(structure)) == structure
