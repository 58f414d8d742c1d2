"""Layouts of BCSR arrays against dense arrays."""

from __future__ import annotations

import numpy as np
import pytest

import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCSR
from treadle.experimental.sparse.compressed import bcsr_eliminate_zeros

DRAW = np.random.default_rng(4)
M = np.where(DRAW.random((4, 5)) < 0.4, DRAW.normal(size=(4, 5)), 0).astype(np.float32)
N = np.where(DRAW.random((4, 5)) < 0.4, DRAW.normal(size=(4, 5)), 0).astype(np.float32)
m, n = BCSR.fromdense(M), BCSR.fromdense(N, nse=int(np.count_nonzero(N)) + 2)


@pytest.mark.parametrize("axis", [0, 1])
def test_concatenated(axis: int) -> None:
    found = sparse.bcsr_concatenate([m, n], dimension=axis)
    np.testing.assert_array_equal(found.todense(), np.concatenate([M, N], axis))


def test_broadcast_over_a_batch() -> None:
    found = sparse.bcsr_broadcast_in_dim(n, shape=(3, 4, 5), broadcast_dimensions=(1, 2))
    assert found.n_batch == 1
    np.testing.assert_array_equal(found.todense(), np.broadcast_to(N, (3, 4, 5)))


def test_elements_of_a_dense_array() -> None:
    found = sparse.bcsr_extract(m.indices, m.indptr, N)
    np.testing.assert_array_equal(found, N[M != 0])
    batch = np.stack([M, N])
    whole = BCSR.fromdense(batch, n_batch=1)
    taken = sparse.bcsr_extract(whole.indices, whole.indptr, 2 * batch)
    np.testing.assert_array_equal(taken, 2 * whole.data)
    with pytest.raises(ArgumentError, match="too few axes"):
        sparse.bcsr_extract(m.indices, m.indptr, tnp.ones(3))


def test_duplicates_and_zeros() -> None:
    twice = BCSR(
        (np.array([1.0, 2.0, 0.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2)
    )
    once = sparse.bcsr_sum_duplicates(twice)
    assert once.nse == 2
    np.testing.assert_array_equal(once.todense(), [[0, 3], [0, 0]])
    assert bcsr_eliminate_zeros(twice).nse == 1
    with pytest.raises(ArgumentError, match="BCSR"):
        sparse.bcsr_sum_duplicates(m.to_bcoo())  # type: ignore[arg-type]
