"""Other layouts of BCSR arrays, by way of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import treadle_numpy as tnp
from treadle.experimental.sparse.bcsr import BCSR
from treadle.experimental.sparse.conversion import extracted
from treadle.experimental.sparse.layouts import bcoo_broadcast_in_dim
from treadle.experimental.sparse.structure import bcoo_concatenate
from treadle_ir import ArgumentError, Array
from treadle_ir.errors import boundaries, refused, sequence

__all__ = [
    "bcsr_broadcast_in_dim",
    "bcsr_concatenate",
    "bcsr_eliminate_zeros",
    "bcsr_extract",
    "bcsr_sum_duplicates",
]


def _checked(function: str, mat: object) -> BCSR:
    if not isinstance(mat, BCSR):
        raise refused(function, "mat", "a BCSR", mat)
    return mat


def bcsr_broadcast_in_dim(
    mat: BCSR, *, shape: Sequence[int], broadcast_dimensions: Sequence[int], sharding: None = None
) -> BCSR:
    """Return the array in a larger shape; as `bcoo_broadcast_in_dim`, with two sparse axes.

    Raises:
        UnsupportedError: the result would not have two sparse axes.

    Example:
        >>> from treadle.experimental import sparse
        >>> rows = sparse.BCSR.from_bcoo(sparse.eye(2))
        >>> sparse.bcsr_broadcast_in_dim(rows, shape=(5, 2, 2), broadcast_dimensions=(1, 2))
        BCSR(float32[5, 2, 2], nse=2, n_batch=1)
    """
    whole = _checked("bcsr_broadcast_in_dim", mat).to_bcoo()
    return BCSR.from_bcoo(
        bcoo_broadcast_in_dim(whole, shape=shape, broadcast_dimensions=broadcast_dimensions)
    )


def bcsr_concatenate(operands: Sequence[BCSR], *, dimension: int) -> BCSR:
    """Join arrays along rows or columns.

    Raises:
        ArgumentError, ShapeError, UnsupportedError: as of `bcoo_concatenate`.

    Example:
        >>> from treadle.experimental import sparse
        >>> rows = sparse.BCSR.from_bcoo(sparse.eye(2))
        >>> sparse.bcsr_concatenate([rows, rows], dimension=1)
        BCSR(float32[2, 4], nse=4)
    """
    mats = sequence("bcsr_concatenate", "operands", operands)
    whole = [_checked("bcsr_concatenate", mat).to_bcoo() for mat in mats]
    return BCSR.from_bcoo(bcoo_concatenate(whole, dimension=dimension))


def bcsr_extract(indices: Any, indptr: Any, mat: Any) -> Array:
    """Return the elements of a dense array at the places of a BCSR's indices, zero at padding.

    Raises:
        ShapeError: indices, indptr and the array do not go together.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> rows = sparse.BCSR.from_bcoo(sparse.eye(2))
        >>> print(sparse.bcsr_extract(rows.indices, rows.indptr, tnp.array([[1, 2], [3, 4]])))
        [1 4]
    """
    dense, columns, starts = tnp.asarray(mat), tnp.asarray(indices), tnp.asarray(indptr)
    if dense.ndim < columns.ndim + 1:
        raise ArgumentError(
            f"bcsr_extract: the array has shape {dense.shape}, too few axes for indices of shape {columns.shape}"
        )
    inner = dense.shape[columns.ndim + 1 :]
    shell = BCSR(
        (tnp.zeros((*columns.shape, *inner), dense.dtype), columns, starts), shape=dense.shape
    )
    return extracted(shell.to_bcoo(), dense)


def bcsr_sum_duplicates(mat: BCSR, nse: int | None = None) -> BCSR:
    """Return the same array with each index once, in ascending order; see `bcoo_sum_duplicates`.

    Example:
        >>> from treadle.experimental import sparse
        >>> sparse.bcsr_sum_duplicates(sparse.BCSR.from_bcoo(sparse.eye(2)))
        BCSR(float32[2, 2], nse=2)
    """
    return _checked("bcsr_sum_duplicates", mat).sum_duplicates(nse=nse, remove_zeros=False)


def bcsr_eliminate_zeros(mat: BCSR, nse: int | None = None) -> BCSR:
    """Return the same array without stored zeros, each index once.

    Example:
        >>> from treadle.experimental import sparse
        >>> sparse.bcsr.bcsr_eliminate_zeros(sparse.BCSR.from_bcoo(sparse.eye(2)))
        BCSR(float32[2, 2], nse=2)
    """
    return _checked("bcsr_eliminate_zeros", mat).sum_duplicates(nse=nse, remove_zeros=True)


boundaries(__name__)
