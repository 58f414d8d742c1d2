"""Equations and eigenvalues against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, ShapeError
from treadle.experimental import sparse
from treadle.experimental.sparse import BCSR, linalg
from treadle.test_util import check_grads

DRAW = np.random.default_rng(6)


def test_solutions_and_their_derivatives() -> None:
    dense = np.where(DRAW.random((6, 6)) < 0.3, DRAW.normal(size=(6, 6)), 0) + 4 * np.eye(6)
    b = DRAW.normal(size=6)
    with treadle.enable_x64(True):
        rows = BCSR.fromdense(dense)
        x = linalg.spsolve(rows.data, rows.indices, rows.indptr, b)
        np.testing.assert_allclose(x, np.linalg.solve(dense, b), rtol=1e-10)
        check_grads(
            lambda data, b: linalg.spsolve(data, rows.indices, rows.indptr, b),
            (rows.data, tnp.asarray(b)),
            order=2,
        )
    with pytest.raises(ShapeError, match="spsolve"):
        linalg.spsolve(rows.data, rows.indices, rows.indptr, b[:5])


@pytest.mark.parametrize("kind", ["dense", "sparse", "function"])
@pytest.mark.parametrize("k", [1, 4])
def test_greatest_eigenvalues(kind: str, k: int) -> None:
    matrix = DRAW.normal(size=(40, 40))
    matrix = matrix + matrix.T
    given = {
        "dense": matrix,
        "sparse": sparse.BCOO.fromdense(matrix),
        "function": lambda x: tnp.asarray(matrix) @ x,
    }[kind]
    with treadle.enable_x64(True):
        given = sparse.BCOO.fromdense(matrix) if kind == "sparse" else given
        values, vectors, steps = linalg.lobpcg_standard(given, DRAW.normal(size=(40, k)), m=300)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1][:k], rtol=1e-8)
        np.testing.assert_allclose(matrix @ np.asarray(vectors), vectors * values, atol=1e-8)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)
        assert 1 < steps < 300
        few = linalg.lobpcg_standard(given, DRAW.normal(size=(40, k)), m=2)
        assert few[2] == 2


def test_under_jit() -> None:
    matrix = np.diag(np.arange(1.0, 21.0)).astype(np.float32)
    values, _, _ = treadle.jit(linalg.lobpcg_standard)(matrix, np.ones((20, 2)) + np.eye(20, 2))
    np.testing.assert_allclose(values, [20, 19], rtol=1e-5)


def test_mistakes() -> None:
    with pytest.raises(ShapeError, match="5 k <= n"):
        linalg.lobpcg_standard(np.eye(4), np.ones((4, 1)))
    with pytest.raises(ShapeError, match="X has 10 rows"):
        linalg.lobpcg_standard(np.eye(4), np.ones((10, 1)))
    with pytest.raises(ArgumentError, match="there must be an iteration"):
        linalg.lobpcg_standard(np.eye(10), np.ones((10, 1)), m=0)
