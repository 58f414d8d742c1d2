"""CSR and CSC: matrices by compressed rows, and by compressed columns, which are the rows of the transpose.

    data: [nse]      indices: [nse]      indptr: [rows + 1], of CSC [columns + 1]

Arithmetic is done by BCSR. An element beyond the last row's end is padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.bcsr import BCSR
from treadle.experimental.sparse.matrices import (
    Matrix,
    Shape as Shape,
    checked_parts,
    matrix_of,
    of_format,
    product,
)
from treadle.experimental.sparse.primitives import (
    csr_fromdense_p as csr_fromdense_p,
    csr_matmat_p as csr_matmat_p,
    csr_matvec_p as csr_matvec_p,
    csr_todense_p as csr_todense_p,
)
from treadle_ir import Array, ShapeError
from treadle_ir.errors import boundaries
from treadle_ir.tree import register_pytree_node_class

__all__ = [
    "CSC",
    "CSR",
    "Shape",
    "csr_fromdense",
    "csr_fromdense_p",
    "csr_matmat",
    "csr_matmat_p",
    "csr_matvec",
    "csr_matvec_p",
    "csr_todense",
    "csr_todense_p",
]


class _Compressed(Matrix):
    """Compressed along one of two axes."""

    __slots__ = ("indices", "indptr")
    indices: Any  # arrays; anything, while a tree of them is mapped
    indptr: Any

    def __init__(self, args: Any, *, shape: Sequence[int]) -> None:
        name = type(self).__name__
        parts, self._shape = checked_parts(name, ("data", "indices", "indptr"), args, shape)
        self.data, self.indices, self.indptr = parts
        count = self._shape[self._along()]
        if self.indptr.shape[0] != count + 1:
            raise ShapeError(
                f"{name}: indptr has {self.indptr.shape[0]} elements, but shape {self._shape} asks for {count + 1}"
            )

    @classmethod
    def _along(cls) -> int:
        """Return the axis that is compressed."""
        return 0

    def tree_flatten(self) -> tuple[tuple[Any, Any, Any], Any]:
        """Return the arrays, and what else there is to know."""
        return (self.data, self.indices, self.indptr), self._shape

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Any) -> Self:
        """Return the matrix of these parts, which are not checked."""
        self = object.__new__(cls)
        self.data, self.indices, self.indptr = children
        self._shape = aux_data
        return self

    def _by_rows(self) -> BCOO:
        """Return the matrix, or its transpose, whose rows are compressed."""
        columns = self._shape[1 - self._along()]
        rest = (columns, False, False)
        return BCSR.tree_unflatten(rest, (self.data, self.indices, self.indptr)).to_bcoo()

    def to_bcoo(self) -> BCOO:
        """Return the same matrix by coordinates."""
        return self._by_rows() if self._along() == 0 else self._by_rows().T


@final
class CSR(_Compressed):
    """A sparse matrix by compressed rows: `CSR((data, indices, indptr), shape=shape)`.

    It multiplies dense vectors and matrices; for everything else there is `to_bcoo()`.

    Raises:
        ArgumentError: it is given no three arrays, or indices that are not integers.
        ShapeError: they do not go together with the shape.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.CSR.fromdense(tnp.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
        >>> m.indices.tolist(), m.indptr.tolist()
        ([1, 0, 2], [0, 1, 3])
    """

    __slots__ = ()

    @classmethod
    def fromdense(cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> CSR:
        """Return the elements of a matrix that are not zero; see `csr_fromdense`."""
        return csr_fromdense(mat, nse=nse, index_dtype=index_dtype)

    @classmethod
    def from_bcoo(cls, arr: BCOO) -> CSR:
        """Return a BCOO without batch and dense axes, by rows."""
        rows = BCSR.from_bcoo(arr)
        return cls((rows.data, rows.indices, rows.indptr), shape=arr.shape)

    def transpose(self, axes: Any = None) -> CSC:  # type: ignore[override]  # of the other format
        """Return the same arrays: rows become columns.

        Raises:
            UnsupportedError: `axes` are given.
        """
        self._refuse_axes(axes)
        return CSC.tree_unflatten(self._shape[::-1], (self.data, self.indices, self.indptr))


@final
class CSC(_Compressed):
    """A sparse matrix by compressed columns: `CSC((data, indices, indptr), shape=shape)`.

    It multiplies dense vectors and matrices; for everything else there is `to_bcoo()`.

    Raises:
        ArgumentError: it is given no three arrays, or indices that are not integers.
        ShapeError: they do not go together with the shape.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.CSC.fromdense(tnp.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
        >>> m.indices.tolist(), m.indptr.tolist()
        ([1, 0, 1], [0, 1, 2, 3])
    """

    __slots__ = ()

    @classmethod
    def _along(cls) -> int:
        return 1

    @classmethod
    def fromdense(cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> CSC:
        """Return the elements of a matrix that are not zero, column by column; see `csr_fromdense`."""
        return CSR.from_bcoo(
            matrix_of("CSC.fromdense", tnp.asarray(mat).T, nse, index_dtype)
        ).transpose()

    @classmethod
    def from_bcoo(cls, arr: BCOO) -> CSC:
        """Return a BCOO without batch and dense axes, by columns."""
        columns = BCSR.from_bcoo(arr.T)
        return cls((columns.data, columns.indices, columns.indptr), shape=arr.shape)

    def transpose(self, axes: Any = None) -> CSR:  # type: ignore[override]  # of the other format
        """Return the same arrays: columns become rows.

        Raises:
            UnsupportedError: `axes` are given.
        """
        self._refuse_axes(axes)
        return CSR.tree_unflatten(self._shape[::-1], (self.data, self.indices, self.indptr))


register_pytree_node_class(CSR)
register_pytree_node_class(CSC)


def csr_fromdense(mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> CSR:
    """Return a CSR of the elements of a matrix that are not zero; `nse` of them are stored.

    Raises:
        ShapeError: it is not a matrix.
        ConcretizationError: `nse` is not given while tracing.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> sparse.csr_fromdense(tnp.eye(2))
        CSR(float32[2, 2], nse=2)
    """
    return CSR.from_bcoo(matrix_of("csr_fromdense", mat, nse, index_dtype))


def csr_todense(mat: CSR) -> Array:
    """Return the dense matrix; elements of equal indices are added.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> print(sparse.csr_todense(sparse.CSR.fromdense(tnp.eye(2))))
        [[1. 0.]
         [0. 1.]]
    """
    return of_format("csr_todense", CSR, mat).todense()


def csr_matvec(mat: CSR, v: Any, transpose: bool = False) -> Array:
    """Return the product of a matrix, or of its transpose, with a vector.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.CSR.fromdense(tnp.array([[0.0, 1.0], [2.0, 3.0]]))
        >>> print(sparse.csr_matvec(m, tnp.array([1.0, 2.0])))
        [2. 8.]
    """
    return product("csr_matvec", CSR, mat, v, 1, transpose)


def csr_matmat(mat: CSR, B: Any, *, transpose: bool = False) -> Array:  # noqa: N803 - JAX's name
    """Return the product of a matrix, or of its transpose, with a dense matrix.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.CSR.fromdense(tnp.array([[0.0, 1.0], [2.0, 3.0]]))
        >>> print(sparse.csr_matmat(m, tnp.eye(2)))
        [[0. 1.]
         [2. 3.]]
    """
    return product("csr_matmat", CSR, mat, B, 2, transpose)


boundaries(__name__)
