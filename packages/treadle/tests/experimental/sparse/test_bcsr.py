from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, ShapeError, UnsupportedError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCOO, BCSR

THEIRS = scipy.sparse.random(5, 6, 0.3, format="csr", dtype=np.float32, random_state=1)
THEIRS.sort_indices()
M = THEIRS.toarray()


def test_the_parts_are_scipy_s() -> None:
    ours = BCSR.from_scipy_sparse(THEIRS)
    for mine, theirs in (
        (ours.data, THEIRS.data),
        (ours.indices, THEIRS.indices),
        (ours.indptr, THEIRS.indptr),
    ):
        np.testing.assert_array_equal(mine, theirs)
    again = BCSR((THEIRS.data, THEIRS.indices, THEIRS.indptr), shape=THEIRS.shape)
    np.testing.assert_array_equal(again.todense(), M)
    np.testing.assert_array_equal(sparse.bcsr_todense(again), M)


@pytest.mark.parametrize(("n_batch", "n_dense"), [(0, 0), (1, 0), (0, 1)])
def test_layouts_come_back(n_batch: int, n_dense: int) -> None:
    dense = M if not n_batch + n_dense else np.stack([M, 2 * M], 0 if n_batch else -1)
    x = BCSR.fromdense(dense, n_batch=n_batch, n_dense=n_dense, nse=20)
    assert x.shape == dense.shape
    assert (x.n_batch, x.n_sparse, x.n_dense) == (n_batch, 2, n_dense)
    np.testing.assert_array_equal(x.todense(), dense)
    np.testing.assert_array_equal(x.to_bcoo().todense(), dense)
    np.testing.assert_array_equal(BCSR.from_bcoo(x.to_bcoo()).todense(), dense)
    np.testing.assert_allclose(x.sum(), dense.sum(), rtol=1e-5)


def test_products_and_transposes() -> None:
    x = BCSR.fromdense(M)
    v, w = np.arange(6, dtype=np.float32), np.arange(10, dtype=np.float32).reshape(2, 5)
    np.testing.assert_allclose(treadle.jit(lambda x: x @ v)(x), M @ v, rtol=1e-5)
    np.testing.assert_allclose(w @ x, w @ M, rtol=1e-5)
    numbers = (((1,), (0,)), ((), ()))
    np.testing.assert_allclose(
        sparse.bcsr_dot_general(x, v, dimension_numbers=numbers), M @ v, rtol=1e-5
    )
    np.testing.assert_array_equal(x.T.todense(), M.T)
    assert repr(x) == f"BCSR(float32[5, 6], nse={THEIRS.nnz})"
    slope = sparse.grad(lambda x: (x @ v).sum())(x)
    np.testing.assert_allclose(slope.todense(), np.where(M != 0, v, 0))


def test_batches_are_mapped() -> None:
    dense = np.stack([M, 2 * M])
    x = BCSR.fromdense(dense, n_batch=1)
    v = np.ones(6, np.float32)
    np.testing.assert_allclose(treadle.vmap(lambda x: x @ v)(x), dense @ v, rtol=1e-5)


def test_duplicates_are_added() -> None:
    x = BCSR((np.ones(3, np.float32), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    once = x.sum_duplicates()
    assert once.nse == 2
    np.testing.assert_array_equal(once.todense(), [[0, 2], [1, 0]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: BCSR(3, shape=(2, 2)), ArgumentError, "three arrays"),
        (lambda: BCSR((M, M, M), shape=(2, 2)), ArgumentError, "must be integers"),
        (
            lambda: BCSR((THEIRS.data, THEIRS.indices, THEIRS.indptr), shape=(6, 5)),
            ShapeError,
            "do not form an array of shape",
        ),
        (lambda: BCSR.fromdense(M[0]), UnsupportedError, "rows and columns"),
        (lambda: BCSR.fromdense(M) + 1, UnsupportedError, r"\+ of BCSR"),
        (lambda: BCSR.fromdense(M)[0], UnsupportedError, "indexing"),
        (
            lambda: sparse.bcsr_todense(BCOO.fromdense(M)),  # type: ignore[arg-type]  # a BCOO
            ArgumentError,
            "a BCSR",
        ),
    ],
)
def test_errors_say_what_to_do(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_batches_that_share_indices() -> None:
    at = tnp.array([[[0, 1], [1, 0]]])
    x = BCOO((tnp.arange(6.0).reshape(3, 2), at), shape=(3, 2, 2), indices_sorted=True)
    rows = BCSR.from_bcoo(x)
    assert rows.shape == (3, 2, 2)
    np.testing.assert_array_equal(rows.todense(), x.todense())
