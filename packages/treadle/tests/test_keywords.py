"""Arguments that functions of JAX 0.10.2 take, and in which classes their results come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.dtypes import canonicalize_dtype, issubdtype, result_type
from treadle.errors import ArgumentError, UnsupportedError

X = tnp.array([3.0, 1.0, 2.0, 1.0])
checkpoint: Any = treadle.checkpoint
I8 = tnp.array([100, 100], dtype="int8")


@pytest.mark.parametrize(
    ("x", "y", "dtype", "expected"),
    [
        (I8, I8, tnp.int32, [10000, 10000]),
        (I8, I8, "int8", [16, 16]),
        (I8, I8, tnp.float32, [10000.0, 10000.0]),
        (I8, 3, "int32", [300, 300]),
        (I8, I8.astype("int32"), "int32", [10000, 10000]),
        (tnp.array([1.5]), tnp.array([1.5]), "int32", [1]),
        (tnp.array([300]), tnp.array([2]), "int8", [88]),
    ],
)
def test_a_product_in_another_type(x: Any, y: Any, dtype: Any, expected: Any) -> None:
    for multiply in (lax.mul, treadle.jit(lax.mul, static_argnames="out_dtype")):
        found = multiply(x, y, out_dtype=dtype)
        assert found.dtype == tnp.dtype(dtype)
        assert found.tolist() == expected


def test_the_derivative_of_a_wide_product() -> None:
    wide = treadle.grad(lambda x: lax.mul(x, x, out_dtype=tnp.float32).sum())
    found = wide(X.astype("bfloat16"))
    assert found.dtype == tnp.bfloat16
    assert found.astype("float32").tolist() == [6.0, 2.0, 4.0, 2.0]


def test_arguments_by_position_and_by_name() -> None:
    assert [x.tolist() for x in lax.unstack(tnp.ones((2, 3)), 1)] == [[1.0, 1.0]] * 3
    np.testing.assert_array_equal(lax.nextafter(x1=X, x2=X + 1), lax.nextafter(X, X + 1))
    assert float(treadle.nn.logmeanexp(x=tnp.zeros(3))) == 0.0
    assert tnp.isneginf(X, None).tolist() == tnp.isposinf(X, out=None).tolist() == [False] * 4
    assert tnp.add(X, X, out=None, where=None).tolist() == [6.0, 2.0, 4.0, 2.0]
    assert float(tnp.percentile(X, 50, out_sharding=None)) == 1.5
    assert X.view("int32", None).tolist() == X.view("int32", type=None).tolist()
    assert int(tnp.gcd(x1=4, x2=6)) == 2
    assert float(tnp.fmax(x1=1.0, x2=tnp.nan)) == float(tnp.trunc(x=1.5)) == 1.0
    assert X.to_device(device=X.device).tolist() == X.tolist()
    spec = treadle.sharding.PartitionSpec("x", None)
    assert (spec.index(value=None), spec.count(value="x")) == (1, 1)
    assert spec.update(("y",)) == treadle.sharding.PartitionSpec("y")
    total = treadle.new_ref(X)
    total.addupdate(1.0, idx=0)
    assert float(total[0]) == 4.0
    aval = treadle.core.ShapedArray((2,), np.dtype("float32"), True)
    assert aval.update((3,), np.dtype("int8")) == treadle.core.ShapedArray(
        (3,), np.dtype("int8"), True
    )
    before = treadle.config.read("jax_log_compiles")
    treadle.config.update(name="jax_log_compiles", val=before)
    one, two = tnp.ones((1, 1, 4), "bfloat16"), tnp.ones((1, 1, 2), "bfloat16")
    wide = lax.conv_with_general_padding(
        one, two, (1,), [(0, 0)], None, None, preferred_element_type="float32"
    )
    assert wide.dtype == tnp.float32
    assert wide.ravel().tolist() == [2.0] * 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: tnp.add(X, X, where=X > 1),
        lambda: tnp.negative(X, out=X),
        lambda: tnp.isneginf(X, out=X),
        lambda: X.view("int32", np.ndarray),
        lambda: treadle.grad(tnp.sum, reduce_axes=("i",)),
        lambda: treadle.vjp(tnp.sum, X, reduce_axes=("i",)),
        lambda: treadle.linear_transpose(tnp.sum, X, reduce_axes=("i",)),
        lambda: checkpoint(tnp.sin, concrete=True),
        lambda: treadle.jit(tnp.sin).lower(X).compile(device_assignment=[0]),  # type: ignore[arg-type]
    ],
)
def test_what_is_taken_for_the_name_alone(call: Any) -> None:
    with pytest.raises(UnsupportedError, match="is not supported"):
        call()


def test_arguments_that_change_nothing() -> None:
    assert treadle.grad(tnp.sum, reduce_axes=())(X).tolist() == [1.0] * 4
    assert float(treadle.vjp(tnp.sum, X, reduce_axes=())[0]) == 7.0
    (back,) = treadle.linear_transpose(tnp.sum, X, reduce_axes=())(1.0)
    assert back.tolist() == [1.0] * 4
    for matched in (False, True):
        assert treadle.vmap(lambda x: -x, sum_match=matched)(X).tolist() == (-X).tolist()
    for ordered in (False, True):
        values, inverse = tnp.unique(X, sorted=ordered, return_inverse=True)
        assert (values.tolist(), inverse.tolist()) == ([1.0, 2.0, 3.0], [2, 0, 1, 0])
        assert tnp.unique(X, sorted=ordered, size=4).tolist() == [1.0, 2.0, 3.0, 1.0]


def test_the_algorithm_of_standardize() -> None:
    far = tnp.array([1e4, 1e4 + 1, 1e4 + 2])
    expected = [-1.2247, 0.0, 1.2247]
    stable = treadle.nn.standardize(far, algorithm="stable")
    np.testing.assert_allclose(stable, expected, rtol=1e-3)
    np.testing.assert_array_equal(
        treadle.nn.standardize(X, algorithm="fast"), treadle.nn.standardize(X)
    )
    with pytest.raises(ArgumentError, match="Expected 'fast' or 'stable'"):
        treadle.nn.standardize(X, algorithm="welford")


def test_the_module_of_element_types() -> None:
    assert issubdtype(a=np.float32, b=np.floating)
    assert result_type(X, 1, return_weak_type_flag=True) == (np.float32, False)
    assert result_type(1, return_weak_type_flag=True) == (np.int32, True)
    assert result_type(1, 2.0) == np.float32
    assert canonicalize_dtype("float64", allow_extended_dtype=True) == np.float32
    key = random.key(0).dtype
    assert canonicalize_dtype(key, allow_extended_dtype=True) == key


def test_the_structure_of_arguments() -> None:
    lowered = treadle.jit(lambda x, *, y=1.0: x + y).lower(X)
    assert repr(lowered.in_tree) == "PyTreeDef(((*,), {}))"
    assert lowered.compile().in_tree == lowered.in_tree
    assert treadle.jit(tnp.sin).trace(X).in_tree == lowered.in_tree
    named = treadle.jit(lambda x, *, y: x + y).lower(X, y=1.0)
    assert repr(named.in_tree) == "PyTreeDef(((*,), {'y': *}))"


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: tnp.broadcast_arrays(X, X), list),
        (lambda: tnp.atleast_1d(X, X), list),
        (lambda: tnp.atleast_2d(X, X), list),
        (lambda: tnp.atleast_3d(X, X), list),
        (lambda: tnp.meshgrid(X, X), list),
        (lambda: tnp.meshgrid(X, X, sparse=True), list),
        (lambda: lax.top_k(X, 2), list),
        (lambda: lax.linalg.lu(tnp.eye(2)), list),
        (lambda: tnp.ix_(np.array([1])), tuple),
        (lambda: tnp.split(X, 2), list),
        (lambda: tnp.nonzero(X), tuple),
        (lambda: lax.unstack(X), tuple),
    ],
)
def test_lists_and_tuples(call: Any, kind: type) -> None:
    assert type(call()) is kind
    assert type(treadle.jit(call)() if kind is list else call()) is kind


def test_the_greatest_elements_in_any_order_are_those_in_order() -> None:
    for stable in (True, False):
        values, places = lax.top_k(X, 4, is_stable=stable)
        assert values.tolist() == [3, 2, 1, 1]
        assert places.tolist() == [0, 2, 1, 3]
    with pytest.raises(ArgumentError, match="is_stable must be true or false"):
        lax.top_k(X, 2, is_stable="no")  # type: ignore[arg-type]


def test_keys_sorted_in_batches() -> None:
    keys = [*np.random.default_rng(0).integers(0, 3, (5, 40)).astype(np.float32)]
    for size in (1, 2, 16):
        assert tnp.lexsort(keys, batch_size=size).tolist() == np.lexsort(keys).tolist()
    with pytest.raises(ArgumentError, match="batch_size must be positive, got 0"):
        tnp.lexsort(keys, batch_size=0)
