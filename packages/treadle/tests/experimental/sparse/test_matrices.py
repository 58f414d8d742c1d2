"""COO, CSR and CSC: against NumPy's products of dense matrices, and the parts that SciPy has for the same matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import treadle
import treadle.numpy as tnp
from treadle.experimental import sparse
from treadle_ir import ArgumentError, ShapeError, UnsupportedError

DENSE = np.array([[0, 1, 0, 2], [3, 0, 0, 0], [0, 0, 4, 5]], np.float32)
FORMATS: list[Any] = [sparse.COO, sparse.CSR, sparse.CSC]
PARTS = {"COO": ("row", "col"), "CSR": ("indices", "indptr"), "CSC": ("indices", "indptr")}
OF_SCIPY = {"COO": "coo_array", "CSR": "csr_array", "CSC": "csc_array"}


@pytest.mark.parametrize("form", FORMATS)
def test_parts_are_those_of_scipy(form: Any) -> None:
    mine, theirs = form.fromdense(DENSE), getattr(scipy.sparse, OF_SCIPY[form.__name__])(DENSE)
    for part in ("data", *PARTS[form.__name__]):
        np.testing.assert_array_equal(getattr(mine, part), getattr(theirs, part))
    assert (mine.shape, mine.nse, mine.ndim, mine.size, mine.dtype) == (
        (3, 4),
        5,
        2,
        12,
        np.float32,
    )
    assert repr(mine) == f"{form.__name__}(float32[3, 4], nse=5)"
    np.testing.assert_array_equal(mine.todense(), DENSE)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("nse", [5, 9, 3])
def test_products(form: Any, nse: int) -> None:
    """With places to spare, and with too few, where the last elements in the format's order are left out."""
    v, w, matrix = (
        np.arange(4.0, dtype=np.float32),
        np.arange(3.0, dtype=np.float32),
        np.eye(4, 2, dtype=np.float32),
    )
    make = treadle.jit(lambda x: form.fromdense(x, nse=nse))
    mat = make(DENSE)
    kept = DENSE
    if nse == 3:
        order = DENSE.T if form is sparse.CSC else DENSE
        flat = np.where(np.cumsum(order.ravel() != 0) <= 3, order.ravel(), 0).reshape(order.shape)
        kept = flat.T if form is sparse.CSC else flat
    np.testing.assert_array_equal(mat.todense(), kept)
    np.testing.assert_array_equal(mat @ v, kept @ v)
    np.testing.assert_array_equal(mat @ matrix, kept @ matrix)
    np.testing.assert_array_equal(mat.T @ w, kept.T @ w)
    np.testing.assert_array_equal(treadle.jit(lambda m: m @ v)(mat), kept @ v)
    np.testing.assert_array_equal(mat.T.T.todense(), kept)


def test_transposes() -> None:
    turned = [type(form.fromdense(DENSE).T) for form in FORMATS]
    assert turned == [sparse.COO, sparse.CSC, sparse.CSR]
    for form in FORMATS:
        with pytest.raises(UnsupportedError, match="axes are given"):
            form.fromdense(DENSE).transpose((1, 0))


@pytest.mark.parametrize("prefix", ["coo", "csr"])
def test_functions(prefix: str) -> None:
    mat = getattr(sparse, f"{prefix}_fromdense")(DENSE, nse=6, index_dtype=np.int32)
    v, w = np.arange(4.0), np.arange(3.0)
    np.testing.assert_array_equal(getattr(sparse, f"{prefix}_todense")(mat), DENSE)
    matvec, matmat = (getattr(sparse, f"{prefix}_{name}") for name in ("matvec", "matmat"))
    np.testing.assert_array_equal(matvec(mat, v), DENSE @ v)
    np.testing.assert_array_equal(matvec(mat, w, transpose=True), DENSE.T @ w)
    np.testing.assert_array_equal(matmat(mat, np.eye(4)), DENSE)
    np.testing.assert_array_equal(matmat(mat, np.eye(3), transpose=True), DENSE.T)
    with pytest.raises(ArgumentError):
        matvec(DENSE, v)
    with pytest.raises(ShapeError):
        matvec(mat, np.eye(4))


@pytest.mark.parametrize("form", FORMATS)
def test_derivatives(form: Any) -> None:
    """Derivatives of a sum of squares by the stored elements agree with the dense matrix's at their places."""
    v = np.arange(1.0, 5.0, dtype=np.float32)
    mat = form.fromdense(DENSE)

    def loss(data: Any) -> Any:
        parts = [getattr(mat, part) for part in PARTS[form.__name__]]
        return tnp.sum((form((data, *parts), shape=mat.shape) @ v) ** 2)

    dense = 2 * np.outer(DENSE @ v, v) * (DENSE != 0)
    expected = form.fromdense(dense.astype(np.float32)).data
    np.testing.assert_allclose(treadle.grad(loss)(mat.data), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["coo", "csr", "csc"])
def test_empty_and_identity(name: str) -> None:
    np.testing.assert_array_equal(
        sparse.eye(3, 4, 1, sparse_format=name).todense(), np.eye(3, 4, 1)
    )
    nothing = sparse.empty((2, 3), sparse_format=name)
    assert (type(nothing).__name__, nothing.nse) == (name.upper(), 0)
    np.testing.assert_array_equal(nothing.todense(), np.zeros((2, 3)))


@pytest.mark.parametrize("form", FORMATS)
def test_a_tree_of_its_arrays(form: Any) -> None:
    mat = form.fromdense(DENSE)
    leaves, structure = treadle.tree.flatten(mat)
    assert len(leaves) == 3
    doubled = treadle.tree.map(lambda x: 2 * x if x.dtype == np.float32 else x, mat)
    np.testing.assert_array_equal(doubled.todense(), 2 * DENSE)
    np.testing.assert_array_equal(structure.unflatten(leaves).todense(), DENSE)


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_refused(form: Any) -> None:
    mat = form.fromdense(DENSE)
    for wrong in (
        lambda: -mat,
        lambda: mat * 2,
        lambda: mat + mat,
        lambda: mat @ mat,
        lambda: mat[0],
        mat.sum,
    ):
        with pytest.raises(UnsupportedError):
            wrong()
    with pytest.raises(ShapeError):
        form.fromdense(np.ones(3))
    with pytest.raises(ArgumentError):
        form(DENSE, shape=(3, 4))
    with pytest.raises(ArgumentError, match="must be integers"):
        form((np.ones(2), np.ones(2), np.ones(2)), shape=(3, 4))
    with pytest.raises(ShapeError):
        form((np.ones(2), np.zeros(3, int), np.zeros(5, int)), shape=(4, 4))
    with pytest.raises(ShapeError):
        form((np.ones(2), np.zeros(2, int), np.zeros(2, int)), shape=(4,))
    with pytest.raises(ShapeError):
        mat @ np.ones((4, 1, 1))
