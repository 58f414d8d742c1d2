from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import UnsupportedError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCOO, BCSR

M = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
V = np.array([1, 2, 3], np.float32)
m = BCOO.fromdense(M)


def f(x: Any, v: Any) -> Any:
    return (x @ v) ** 2


@pytest.mark.parametrize("transform", ["jacfwd", "jacrev", "jacobian"])
def test_jacobians_have_the_result_s_axes_in_front(transform: str) -> None:
    found = getattr(sparse, transform)(f)(m, V)
    assert (found.shape, found.n_batch) == ((2, 2, 3), 1)
    dense = treadle.jacrev(f)(tnp.array(M), V)
    np.testing.assert_allclose(found.todense(), np.where(M != 0, dense, 0), rtol=1e-6)
    with pytest.raises(UnsupportedError, match="jacobians by a BCSR"):
        getattr(sparse, transform)(f)(BCSR.fromdense(M), V)


def test_several_arguments_trees_and_auxiliary_output() -> None:
    def g(p: Any, v: Any) -> Any:
        return tnp.sum(f(p["m"], v)) * p["s"], "aux"

    (value, aux), slopes = sparse.value_and_grad(g, (0, 1), has_aux=True)({"m": m, "s": 2.0}, V)
    assert aux == "aux"
    np.testing.assert_allclose(value, 2 * ((M @ V) ** 2).sum())
    np.testing.assert_allclose(slopes[0]["s"], ((M @ V) ** 2).sum())
    assert isinstance(slopes[0]["m"], BCOO)
    only, aux = sparse.grad(g, has_aux=True)({"m": m, "s": 2.0}, V)
    np.testing.assert_allclose(only["m"].todense(), slopes[0]["m"].todense())
    np.testing.assert_allclose(slopes[1], treadle.grad(lambda v: g({"m": M, "s": 2.0}, v)[0])(V))


def test_dense_arguments_are_as_ever() -> None:
    np.testing.assert_allclose(sparse.grad(lambda x: tnp.sum(x**2))(V), 2 * V)
