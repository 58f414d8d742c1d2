"""Layouts of BCOO arrays against the same operations on dense arrays."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.errors import ArgumentError, ShapeError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCOO
from treadle.experimental.sparse.layouts import bcoo_dynamic_slice, bcoo_eliminate_zeros

DRAW = np.random.default_rng(3)
C = np.where(DRAW.random((3, 4, 5)) < 0.4, DRAW.normal(size=(3, 4, 5)), 0).astype(np.float32)
LAYOUTS = [(b, d) for b in range(4) for d in range(4) if b + d <= 3]


def array(x: Any, n_batch: int = 0, n_dense: int = 0) -> BCOO:
    """The array with padding: two elements more than it needs."""
    nse = BCOO.fromdense(x, n_batch=n_batch, n_dense=n_dense).nse + 2
    return BCOO.fromdense(x, nse=nse, n_batch=n_batch, n_dense=n_dense)


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
def test_reversed_axes(n_batch: int, n_dense: int) -> None:
    x = array(C, n_batch, n_dense)
    for count in range(4):
        for axes in itertools.combinations(range(3), count):
            found = sparse.bcoo_rev(x, dimensions=axes)
            np.testing.assert_array_equal(found.todense(), np.flip(C, axes))
    np.testing.assert_array_equal(sparse.bcoo_rev(x, (-1,)).todense(), np.flip(C, -1))


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
def test_squeezed_axes(n_batch: int, n_dense: int) -> None:
    for axis in range(3):
        x = array(C[(slice(None),) * axis + (slice(1),)], n_batch, n_dense)
        found = sparse.bcoo_squeeze(x, dimensions=(axis,))
        np.testing.assert_array_equal(found.todense(), np.squeeze(C.take([0], axis), axis))


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
def test_broadcast(n_batch: int, n_dense: int) -> None:
    one = C[:, :1]
    x = array(one, n_batch, n_dense)
    for shape, axes in (
        ((2, 3, 1, 5), (1, 2, 3)),
        ((3, 2, 1, 5), (0, 2, 3)),
        ((3, 4, 5), (0, 1, 2)),
        ((3, 1, 5, 2), (0, 1, 2)),
        ((2, 3, 6, 4, 2, 5, 3), (1, 3, 5)),
    ):
        found = sparse.bcoo_broadcast_in_dim(x, shape=shape, broadcast_dimensions=axes)
        expected = np.asarray(treadle.lax.broadcast_in_dim(one, shape, axes))
        assert found.shape == shape
        np.testing.assert_array_equal(found.todense(), expected)


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
def test_slices_at_traced_indices(n_batch: int, n_dense: int) -> None:
    x = array(C, n_batch, n_dense)
    cut = treadle.jit(lambda x, i: sparse.bcoo_dynamic_slice(x, list(i), (2, 1, 3)))
    for start in ((0, 0, 0), (1, 3, 2), (2, 9, 9), (-1, -2, -5)):
        expected = treadle.lax.dynamic_slice(C, start, (2, 1, 3))
        np.testing.assert_array_equal(cut(x, np.array(start)).todense(), expected)
    assert cut(x, np.zeros(3, int)).nse <= x.nse


@pytest.mark.parametrize(("n_batch", "n_dense"), LAYOUTS)
@pytest.mark.parametrize(("batch", "dense"), LAYOUTS)
def test_every_layout_becomes_every_other(
    n_batch: int, n_dense: int, batch: int, dense: int
) -> None:
    x = array(C, n_batch, n_dense)
    found = sparse.bcoo_update_layout(x, n_batch=batch, n_dense=dense, on_inefficient=None)
    assert (found.n_batch, found.n_dense) == (batch, dense)
    np.testing.assert_array_equal(found.todense(), C)


def test_zeros_are_not_stored_unasked() -> None:
    x = array(C)
    with pytest.raises(sparse.SparseEfficiencyError, match="store zeros"):
        sparse.bcoo_update_layout(x, n_dense=1)
    with pytest.warns(sparse.SparseEfficiencyWarning, match="store zeros"):
        sparse.bcoo_update_layout(x, n_batch=1, on_inefficient="warn")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sparse.bcoo_update_layout(x, n_batch=1, on_inefficient=None)
        sparse.bcoo_update_layout(array(C, 1, 1), n_batch=0, n_dense=0)
    assert issubclass(sparse.CuSparseEfficiencyWarning, sparse.SparseEfficiencyWarning)


def test_stored_zeros_go() -> None:
    x = BCOO((np.array([0.0, 2.0, 0.0]), np.array([[0], [1], [2]])), shape=(3,))
    assert bcoo_eliminate_zeros(x).nse == 1
    assert bcoo_eliminate_zeros(x, nse=2).nse == 2
    np.testing.assert_array_equal(bcoo_eliminate_zeros(x).todense(), [0, 2, 0])


def test_derivatives_by_the_elements() -> None:
    x = array(C)

    def total(data: Any) -> Any:
        y = x.made(data)
        y = sparse.bcoo_rev(y, (1,))
        y = sparse.bcoo_dynamic_slice(y, (0, 1, 1), (3, 2, 4))
        return (y.todense() ** 2).sum()

    def dense(data: Any) -> Any:
        return (x.made(data).todense()[:, ::-1][:, 1:3, 1:5] ** 2).sum()

    np.testing.assert_allclose(treadle.grad(total)(x.data), treadle.grad(dense)(x.data), rtol=1e-6)


def test_mistakes() -> None:
    x = array(C)
    with pytest.raises(ShapeError, match="not all of size 1"):
        sparse.bcoo_squeeze(x, dimensions=(0,))
    for axes in ((3,), (0, 0), (-4,)):
        with pytest.raises(ArgumentError, match="no different axes"):
            sparse.bcoo_rev(x, axes)
    with pytest.raises(ArgumentError, match="ascending"):
        sparse.bcoo_broadcast_in_dim(x, shape=(5, 4, 3), broadcast_dimensions=(2, 1, 0))
    with pytest.raises(ShapeError, match="does not broadcast"):
        sparse.bcoo_broadcast_in_dim(x, shape=(3, 4, 6), broadcast_dimensions=(0, 1, 2))
    with pytest.raises(ShapeError, match="has no part"):
        sparse.bcoo_dynamic_slice(x, (0, 0, 0), (4, 1, 1))
    with pytest.raises(ArgumentError, match="one integer and one size"):
        sparse.bcoo_dynamic_slice(x, (0, 0), (1, 1))
    with pytest.raises(ArgumentError, match="cannot have"):
        sparse.bcoo_update_layout(x, n_batch=2, n_dense=2)
    with pytest.raises(ArgumentError, match="on_inefficient"):
        sparse.bcoo_update_layout(x, n_batch=1, on_inefficient="maybe")
    dense: Any = tnp.ones(3)
    with pytest.raises(ArgumentError, match="BCOO"):
        sparse.bcoo_rev(dense, (0,))
    with pytest.raises(ArgumentError, match="BCOO"):
        sparse.bcoo_dynamic_slice(dense, (0,), (1,))


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.int32])
@pytest.mark.parametrize("start", [0, 100, -1])
def test_starts_of_narrow_integers(kind: Any, start: int) -> None:
    x = np.arange(300, dtype=np.float32)
    begin = np.array(start).astype(kind)
    found = bcoo_dynamic_slice(BCOO.fromdense(x), [begin], [20])
    np.testing.assert_array_equal(found.todense(), lax.dynamic_slice(x, [begin], [20]))
    taken = sparse.sparsify(lambda x, i: lax.dynamic_slice(x, [i], [20]))(BCOO.fromdense(x), begin)
    np.testing.assert_array_equal(taken.todense(), lax.dynamic_slice(x, [begin], [20]))
