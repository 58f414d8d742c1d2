"""Wrong arguments that once showed errors of the layers below, or none."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle as typed_treadle
from treadle import errors

treadle: Any = typed_treadle  # a type checker would not let these through
tnp: Any = typed_treadle.numpy
lax: Any = typed_treadle.lax
random: Any = typed_treadle.random
tree_util: Any = typed_treadle.tree_util
sparse: Any = typed_treadle.scipy.sparse.linalg
X: Any = tnp.arange(6.0).reshape(2, 3)
KEY: Any = random.key(0)


class Kind(enum.Enum):
    """Keys of dicts that have no order."""

    A = 1
    B = 2


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: tnp.triu_indices_from(True), errors.ShapeError, "triu_indices_from"),
        (lambda: tnp.eye(1, device="nowhere"), errors.PlatformError, "nowhere"),
        (lambda: tnp.eye(-1), errors.ShapeError, "eye"),
        (lambda: treadle.linear_transpose(lambda x: x, "a"), errors.ArgumentError, "'a'"),
        (lambda: tree_util.treedef_is_leaf(np), errors.ArgumentError, "treedef_is_leaf"),
        (lambda: tree_util.keystr((), separator=5), errors.ArgumentError, "separator"),
        (lambda: tree_util.tree_unflatten(True, [1]), errors.ArgumentError, "tree_unflatten"),
        (lambda: tree_util.register_dataclass(5), errors.ArgumentError, "register_dataclass"),
        (lambda: tree_util.register_pytree_with_keys_class(5), errors.ArgumentError, "a class"),
        (lambda: tree_util.register_static(5), errors.ArgumentError, "a class"),
        (lambda: random.choice(KEY, -1), errors.ArgumentError, "greater than 0"),
        (lambda: tnp.triu(X, -(10**30)), errors.RangeError, "triu: k"),
        (lambda: lax.dynamic_slice_in_dim(X, 2**64, 1), errors.RangeError, "too large"),
        (lambda: treadle.linearize(lambda x: x, 2**64), errors.RangeError, "too large"),
        (lambda: tnp.unique(X, axis=-100), errors.AxisError, "unique: axis -100"),
        (lambda: tnp.arange(float("inf")), errors.ArgumentError, "arange"),
        (lambda: tnp.arange(float("nan")), errors.ArgumentError, "arange"),
        (lambda: lax.scatter(X, X, X, 5), errors.ArgumentError, "scatter: dimension_numbers"),
        (lambda: lax.gather(X, X, 5, (1,)), errors.ArgumentError, "gather: dimension_numbers"),
        (lambda: tnp.zeros((2**40,)), errors.OutOfMemoryError, "out of memory"),
        (lambda: tnp.tri(2**40), errors.OutOfMemoryError, "out of memory"),
        (lambda: tnp.zeros((2**62, 0)), errors.ShapeError, "zeros"),
        (lambda: tnp.diff(X, n=2**40), errors.ArgumentError, "diff: n="),
        (lambda: tnp.vander(X[0], 2**40), errors.OutOfMemoryError, "out of memory"),
        (lambda: tnp.array_split(X, 2**40), errors.ArgumentError, "array_split"),
        (lambda: tnp.roll(X, None), errors.ArgumentError, "roll: shift"),
        (lambda: tnp.sum(X, keepdims="no"), errors.ArgumentError, "sum: keepdims"),
        (lambda: tnp.iinfo("float32"), errors.DTypeError, "iinfo"),
        (lambda: tnp.zeros(3, "\udc80"), errors.ArgumentError, "zeros"),
        (lambda: tnp.cross(X, X, axis=9), errors.AxisError, "cross: axis 9"),
        (lambda: tnp.bincount(np.arange(3), length=-1), errors.ArgumentError, "bincount: length"),
        (lambda: tnp.unwrap(X[0], discont=X), errors.ShapeError, "unwrap"),
        (lambda: tnp.unwrap(X[0], axis=X[0]), errors.ArgumentError, "unwrap: an axis"),
        (lambda: tnp.fft.fftn(X, axes=X[0]), errors.ArgumentError, "fftn: an axis"),
        (lambda: sparse.gmres(np.eye(2), None), errors.ShapeError, "gmres: .* must be an array"),
        (lambda: treadle.core.eval_jaxpr(None, None), errors.ArgumentError, "eval_jaxpr: jaxpr"),
        (lambda: treadle.jvp(tnp.sin, (1.0,), (1,)), errors.ShapeError, "jvp: tangent 0 is i32"),
        (lambda: tree_util.tree_leaves({Kind.A: 1, Kind.B: 2}), ValueError, "keys of types"),
    ],
)
def test_the_error_is_of_the_users_level(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def test_sizes_are_arrays() -> None:
    square = np.eye(3, dtype=np.float32)
    np.testing.assert_array_equal(tnp.fft.fftn(square, s=tnp.array([2, 2])), [[2, 0], [0, 2]])
    rows, columns = tnp.unravel_index(np.array([1, 5]), tnp.array([3, 3]))
    np.testing.assert_array_equal(rows, [0, 1])
    np.testing.assert_array_equal(columns, [1, 2])


def test_relu_of_complex_numbers_has_a_derivative() -> None:
    relu: Any = treadle.nn.relu
    one = np.complex64(1)
    for x, slope in ((np.complex64(1 + 1j), 1), (np.complex64(-1 + 1j), 0)):
        value, tangent = treadle.jvp(relu, (x,), (one,))
        assert value == relu(x) == slope * x
        assert tangent == slope


def test_a_list_that_contains_itself_makes_no_array() -> None:
    x: list[Any] = []
    x.append(x)
    with pytest.raises(errors.ShapeError, match="nested more than"):
        tnp.array(x)


def test_arrays_are_made_on_a_device() -> None:
    device = treadle.devices()[0]
    assert tnp.eye(1, device=device).devices() == {device}
    assert X.to_device(device).devices() == {device}


def test_waiting_for_traced_arrays_does_nothing() -> None:
    assert float(treadle.jit(lambda x: treadle.block_until_ready(x) + 1)(1.0)) == 2.0
