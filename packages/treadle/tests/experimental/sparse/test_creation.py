from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle import random
from treadle.errors import ArgumentError
from treadle.experimental import sparse


@pytest.mark.parametrize("args", [(3,), (3, 5), (5, 3, 1), (4, 4, -2), (2, 3, 7), (0,), (2, 2, -5)])
@pytest.mark.parametrize("name", ["bcoo", "bcsr"])
def test_the_identity_is_numpy_s(args: Any, name: str) -> None:
    eye: Any = sparse.eye  # of one, two or three numbers
    found = eye(*args, dtype=np.int32, sparse_format=name)
    np.testing.assert_array_equal(found.todense(), np.eye(*args, dtype=np.int32))


def test_nothing_is_stored_in_empty_arrays() -> None:
    x = sparse.empty((2, 3, 4), np.float16, n_batch=1, n_dense=1, nse=2)
    assert (x.shape, x.nse, x.dtype) == ((2, 3, 4), 2, np.float16)
    assert not x.todense().any()
    assert sparse.empty((2, 3), sparse_format="bcsr").nse == 0


@pytest.mark.parametrize(("n_batch", "n_dense"), [(0, 0), (1, 0), (0, 1), (1, 1), (0, 3)])
def test_random_arrays_have_different_places(n_batch: int, n_dense: int) -> None:
    x = sparse.random_bcoo(random.key(0), (3, 4, 5), nse=0.5, n_batch=n_batch, n_dense=n_dense)
    assert x.shape == (3, 4, 5)
    batches = [*np.asarray(x.indices)] if n_batch else [np.asarray(x.indices)]
    for each in batches:
        assert len({*map(tuple, each)}) == x.nse
        np.testing.assert_array_equal(each, sorted(each.tolist()) or each)


def test_random_elements_come_from_the_generator() -> None:
    x = sparse.random_bcoo(
        random.key(1), (9,), nse=40, unique_indices=False, generator=random.normal
    )
    assert x.nse == 40
    assert float(x.data.min()) < 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sparse.eye(-1), "must not be negative"),
        (lambda: sparse.eye(2, sparse_format="dia"), "sparse_format is 'dia'"),
        (lambda: sparse.eye(2, wrong=1), "unknown arguments"),
        (lambda: sparse.empty((2,), n_batch=2), "do not fit"),
        (lambda: sparse.random_bcoo(random.key(0), (3,), nse=4), "there are 3 places"),
        (lambda: sparse.random_bcoo(random.key(0), (3,), nse=-1), "not negative"),
        (lambda: sparse.random_bcoo(random.key(0), (3,), n_dense=2), "do not fit"),
    ],
)
def test_arguments_are_checked(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


def test_more_places_than_are_drawn() -> None:
    with pytest.raises(ArgumentError, match="there are 10000000000 places"):
        sparse.random_bcoo(random.key(0), (100_000, 100_000), nse=5)
    for make in (
        lambda: sparse.random_bcoo(random.key(0), (200,), nse=5, indices_dtype=np.int8),
        lambda: sparse.eye(200, index_dtype=np.int8),
    ):
        with pytest.raises(ArgumentError, match="do not fit into indices of int8"):
            make()
