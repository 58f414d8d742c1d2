from __future__ import annotations

from typing import Any

import numpy as np

from treadle.experimental import sparse
from treadle.experimental.sparse import ad, api, bcoo, bcsr, random, transform, util


def test_mapped_over_several_axes() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(util.nfold_vmap(lambda x: x.sum(), 2)(x), x.sum(-1))
    added: Any = util.nfold_vmap(lambda x, y: (x * y).sum(), 2)
    np.testing.assert_array_equal(added(x, x[:1]), (x * x[:1]).sum(-1))
    strict = util.nfold_vmap(lambda x: x.sum(), 1, broadcasted=False)
    np.testing.assert_array_equal(strict(x), x.sum((1, 2)))


def test_what_is_known_of_an_array() -> None:
    assert util.SparseInfo((2, 3)) == ((2, 3), False, False)
    assert bcoo.BCOOProperties(0, 2, 0, 3).nse == bcsr.BCSRProperties(0, 0, 3).nse == 3


def test_names_of_jax_s_modules_are_ours() -> None:
    assert ad.grad is sparse.grad
    assert ad.is_sparse(sparse.eye(2))
    assert api.eye is sparse.eye
    assert random.random_bcoo is sparse.random_bcoo
    assert transform.sparsify is sparse.sparsify
    assert bcoo.bcoo_rev is sparse.bcoo_rev  # type: ignore[attr-defined]
    assert bcsr.bcsr_extract is sparse.bcsr_extract  # type: ignore[attr-defined]
    assert not hasattr(bcoo, "bcoo_nothing")
