"""What JAX's sparse primitives do, on arrays and with JAX's parameters: the functions that views bind.

A `spinfo` has the shape of an array, and for coordinates whether they are sorted and unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.experimental import sparse
from treadle.experimental.sparse.coo import COOInfo
from treadle.experimental.sparse.linalg import spsolve
from treadle.experimental.sparse.util import SparseInfo
from treadle_ir import Array
from treadle_ir.tree import PyTreeDef, tree_unflatten


def _bcoo(data: Any, indices: Any, spinfo: SparseInfo) -> sparse.BCOO:
    return sparse.BCOO(
        (data, indices),
        shape=spinfo.shape,
        indices_sorted=spinfo.indices_sorted,
        unique_indices=spinfo.unique_indices,
    )


def _bcsr(data: Any, indices: Any, indptr: Any, spinfo: SparseInfo) -> sparse.BCSR:
    return sparse.BCSR((data, indices, indptr), shape=spinfo.shape)


def _csr(data: Any, indices: Any, indptr: Any, shape: Sequence[int]) -> sparse.CSR:
    return sparse.CSR((data, indices, indptr), shape=shape)


def _coo(data: Any, row: Any, col: Any, spinfo: COOInfo) -> sparse.COO:
    return sparse.COO(
        (data, row, col),
        shape=spinfo.shape,
        rows_sorted=spinfo.rows_sorted,
        cols_sorted=spinfo.cols_sorted,
    )


def bcoo_fromdense(
    mat: Any, *, nse: int, n_batch: int, n_dense: int, index_dtype: Any = np.int32
) -> list[Array]:
    """Return elements and indices of a dense array."""
    made = sparse.bcoo_fromdense(
        mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype
    )
    return [made.data, made.indices]


def bcoo_todense(data: Any, indices: Any, *, spinfo: SparseInfo) -> Array:
    """Return the dense array."""
    return sparse.bcoo_todense(_bcoo(data, indices, spinfo))


def bcoo_extract(indices: Any, arr: Any, *, assume_unique: bool = True) -> Array:
    """Return the elements of a dense array at indices."""
    shape = np.shape(arr)
    pattern = _bcoo(_ones(indices, shape), indices, SparseInfo(shape, unique_indices=assume_unique))
    found: Array = sparse.bcoo_extract(pattern, arr, assume_unique=assume_unique).data
    return found


def _ones(indices: Any, shape: Sequence[int]) -> np.ndarray[Any, np.dtype[Any]]:
    """Return elements for indices of an array of a shape: its dense axes are those that no index is of."""
    own = np.shape(indices)
    return np.ones((*own[:-1], *shape[len(own) - 2 + own[-1] :]), np.float32)


def bcoo_transpose(
    data: Any, indices: Any, *, permutation: Sequence[int], spinfo: SparseInfo
) -> list[Array]:
    """Return elements and indices of the array with its axes in another order."""
    made = sparse.bcoo_transpose(_bcoo(data, indices, spinfo), permutation=permutation)
    return [made.data, made.indices]


def bcoo_sort_indices(data: Any, indices: Any, *, spinfo: SparseInfo) -> list[Array]:
    """Return elements and indices in the order of these; sorted even where the `spinfo` says that they are."""
    unsorted = spinfo._replace(indices_sorted=False)
    made = sparse.bcoo_sort_indices(_bcoo(data, indices, unsorted))
    return [made.data, made.indices]


def bcoo_sum_duplicates(
    data: Any, indices: Any, *, spinfo: SparseInfo, nse: int | None
) -> list[Array]:
    """Return elements and indices, each of these once, though the `spinfo` may say that they are."""
    unknown = spinfo._replace(indices_sorted=False, unique_indices=False)
    made = sparse.bcoo_sum_duplicates(_bcoo(data, indices, unknown), nse=nse)
    return [made.data, made.indices]


def bcoo_dot_general(
    lhs_data: Any,
    lhs_indices: Any,
    rhs: Any,
    *,
    dimension_numbers: Any,
    preferred_element_type: Any = None,
    lhs_spinfo: SparseInfo,
) -> Array:
    """Return the product with a dense array."""
    lhs = _bcoo(lhs_data, lhs_indices, lhs_spinfo)
    product: Array = sparse.bcoo_dot_general(
        lhs,
        rhs,
        dimension_numbers=dimension_numbers,
        preferred_element_type=preferred_element_type,
    )
    return product


def bcoo_spdot_general(
    lhs_data: Any,
    lhs_indices: Any,
    rhs_data: Any,
    rhs_indices: Any,
    *,
    lhs_spinfo: SparseInfo,
    rhs_spinfo: SparseInfo,
    dimension_numbers: Any,
    preferred_element_type: Any = None,
) -> list[Array]:
    """Return elements and indices of the product of two sparse arrays."""
    made = sparse.bcoo_dot_general(
        _bcoo(lhs_data, lhs_indices, lhs_spinfo),
        _bcoo(rhs_data, rhs_indices, rhs_spinfo),
        dimension_numbers=dimension_numbers,
        preferred_element_type=preferred_element_type,
    )
    return [made.data, made.indices]


def bcoo_dot_general_sampled(A: Any, B: Any, indices: Any, *, dimension_numbers: Any) -> Array:  # noqa: N803 - JAX's
    """Return elements of the product of dense arrays at indices."""
    return sparse.bcoo_dot_general_sampled(A, B, indices, dimension_numbers=dimension_numbers)


def bcsr_fromdense(
    mat: Any, *, nse: int, n_batch: int, n_dense: int, index_dtype: Any = np.int32
) -> list[Array]:
    """Return elements, columns and ends of rows of a dense array."""
    made = sparse.bcsr_fromdense(
        mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype
    )
    return [made.data, made.indices, made.indptr]


def bcsr_todense(data: Any, indices: Any, indptr: Any, *, spinfo: SparseInfo) -> Array:
    """Return the dense array."""
    return sparse.bcsr_todense(_bcsr(data, indices, indptr, spinfo))


def bcsr_extract(indices: Any, indptr: Any, mat: Any) -> Array:
    """Return the elements of a dense array where compressed rows have some."""
    return sparse.bcsr_extract(indices, indptr, mat)


def bcsr_dot_general(
    lhs_data: Any,
    lhs_indices: Any,
    lhs_indptr: Any,
    rhs: Any,
    *,
    dimension_numbers: Any,
    preferred_element_type: Any = None,
    lhs_spinfo: SparseInfo,
) -> Array:
    """Return the product with a dense array."""
    product: Array = sparse.bcsr_dot_general(
        _bcsr(lhs_data, lhs_indices, lhs_indptr, lhs_spinfo),
        rhs,
        dimension_numbers=dimension_numbers,
        preferred_element_type=preferred_element_type,
    )
    return product


def coo_fromdense(mat: Any, *, nse: int, index_dtype: Any = np.int32) -> list[Array]:
    """Return elements, rows and columns of a dense matrix."""
    made = sparse.coo_fromdense(mat, nse=nse, index_dtype=index_dtype)
    return [made.data, made.row, made.col]


def coo_todense(data: Any, row: Any, col: Any, *, spinfo: COOInfo) -> Array:
    """Return the dense matrix."""
    return sparse.coo_todense(_coo(data, row, col, spinfo))


def coo_matvec(
    data: Any, row: Any, col: Any, v: Any, *, spinfo: COOInfo, transpose: bool = False
) -> Array:
    """Return the product with a vector."""
    return sparse.coo_matvec(_coo(data, row, col, spinfo), v, transpose=transpose)


def coo_matmat(
    data: Any,
    row: Any,
    col: Any,
    B: Any,  # noqa: N803 - JAX's name
    *,
    spinfo: COOInfo,
    transpose: bool = False,
) -> Array:
    """Return the product with a matrix."""
    return sparse.coo_matmat(_coo(data, row, col, spinfo), B, transpose=transpose)


def csr_fromdense(mat: Any, *, nse: int, index_dtype: Any = np.int32) -> list[Array]:
    """Return elements, columns and ends of rows of a dense matrix."""
    made = sparse.csr_fromdense(mat, nse=nse, index_dtype=index_dtype)
    return [made.data, made.indices, made.indptr]


def csr_todense(data: Any, indices: Any, indptr: Any, *, shape: Sequence[int]) -> Array:
    """Return the dense matrix."""
    return sparse.csr_todense(_csr(data, indices, indptr, shape))


def csr_matvec(
    data: Any,
    indices: Any,
    indptr: Any,
    v: Any,
    *,
    shape: Sequence[int],
    transpose: bool = False,
) -> Array:
    """Return the product with a vector."""
    return sparse.csr_matvec(_csr(data, indices, indptr, shape), v, transpose=transpose)


def csr_matmat(
    data: Any,
    indices: Any,
    indptr: Any,
    B: Any,  # noqa: N803 - JAX's name
    *,
    shape: Sequence[int],
    transpose: bool = False,
) -> Array:
    """Return the product with a matrix."""
    return sparse.csr_matmat(_csr(data, indices, indptr, shape), B, transpose=transpose)


def csr_spsolve(
    data: Any, indices: Any, indptr: Any, b: Any, *, tol: float = 1e-6, reorder: int = 1
) -> Array:
    """Return the solution of a linear equation."""
    return spsolve(data, indices, indptr, b, tol, reorder)


def todense(*bufs: Any, tree: PyTreeDef) -> Array:
    """Return the dense array of whatever sparse one has these arrays and that structure."""
    return sparse.todense(tree_unflatten(tree, bufs))
