"""COO: matrices by coordinates in two arrays, of rows and of columns. Arithmetic is done by BCOO.

    data: [nse]      row: [nse]      col: [nse]

An element whose row is beyond the last one is padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.matrices import (
    Matrix,
    Shape as Shape,
    checked_parts,
    matrix_of,
    of_format,
    product,
)
from treadle.experimental.sparse.primitives import (
    coo_fromdense_p as coo_fromdense_p,
    coo_matmat_p as coo_matmat_p,
    coo_matvec_p as coo_matvec_p,
    coo_todense_p as coo_todense_p,
)
from treadle_ir import Array, UnsupportedError
from treadle_ir.errors import boundaries, flags
from treadle_ir.tree import register_pytree_node_class

__all__ = [
    "COO",
    "COOInfo",
    "Shape",
    "coo_fromdense",
    "coo_fromdense_p",
    "coo_matmat",
    "coo_matmat_p",
    "coo_matvec",
    "coo_matvec_p",
    "coo_todense",
    "coo_todense_p",
]


class COOInfo(NamedTuple):
    """Properties of a matrix by coordinates without its arrays: its shape, and whether its indices ascend."""

    shape: Shape
    rows_sorted: bool = False
    cols_sorted: bool = False


@final
class COO(Matrix):
    """A sparse matrix by coordinates: `COO((data, row, col), shape=shape)`.

    It multiplies dense vectors and matrices; for everything else there is `to_bcoo()`.

    Raises:
        ArgumentError: it is given no three arrays, or indices that are not integers.
        ShapeError: they are not vectors of one length, or the shape has not two axes.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.COO.fromdense(tnp.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
        >>> m.row.tolist(), m.col.tolist()
        ([0, 1, 1], [1, 0, 2])
        >>> print(m @ tnp.array([1.0, 2.0, 3.0]))
        [ 2. 11.]
    """

    __slots__ = ("_cols_sorted", "_rows_sorted", "col", "row")
    row: Any  # arrays; anything, while a tree of them is mapped
    col: Any

    def __init__(
        self,
        args: Any,
        *,
        shape: Sequence[int],
        rows_sorted: bool = False,
        cols_sorted: bool = False,
    ) -> None:
        flags("COO", rows_sorted=rows_sorted, cols_sorted=cols_sorted)
        parts, self._shape = checked_parts("COO", ("data", "row", "col"), args, shape)
        self.data, self.row, self.col = parts
        self._rows_sorted, self._cols_sorted = rows_sorted, cols_sorted

    def tree_flatten(self) -> tuple[tuple[Any, Any, Any], Any]:
        """Return the arrays, and what else there is to know."""
        return (self.data, self.row, self.col), (self._shape, self._rows_sorted, self._cols_sorted)

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Any) -> COO:
        """Return the matrix of these parts, which are not checked."""
        self = object.__new__(cls)
        self.data, self.row, self.col = children
        self._shape, self._rows_sorted, self._cols_sorted = aux_data
        return self

    @property
    def _info(self) -> COOInfo:
        """The properties without the arrays, under JAX's name."""
        return COOInfo(self._shape, self._rows_sorted, self._cols_sorted)

    @classmethod
    def fromdense(cls, mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> COO:
        """Return the elements of a matrix that are not zero; see `coo_fromdense`."""
        return coo_fromdense(mat, nse=nse, index_dtype=index_dtype)

    @classmethod
    def from_bcoo(cls, arr: BCOO) -> COO:
        """Return a BCOO without batch and dense axes.

        Raises:
            UnsupportedError: it has others than rows and columns.
        """
        if (arr.n_batch, arr.n_sparse, arr.n_dense) != (0, 2, 0):
            raise UnsupportedError(f"COO: {arr!r} has not rows and columns only")
        rest = (arr.shape, arr.indices_sorted, False)
        return cls.tree_unflatten(rest, (arr.data, arr.indices[:, 0], arr.indices[:, 1]))

    def to_bcoo(self) -> BCOO:
        """Return the same matrix with its indices in one array."""
        indices = tnp.stack([self.row, self.col], -1)
        return BCOO((self.data, indices), shape=self._shape)

    def transpose(self, axes: Any = None) -> COO:
        """Rows become columns.

        Raises:
            UnsupportedError: `axes` are given.
        """
        self._refuse_axes(axes)
        rest = (self._shape[::-1], self._cols_sorted, self._rows_sorted)
        return COO.tree_unflatten(rest, (self.data, self.col, self.row))


register_pytree_node_class(COO)


def coo_fromdense(mat: Any, *, nse: int | None = None, index_dtype: Any = np.int32) -> COO:
    """Return a COO of the elements of a matrix that are not zero, row by row; `nse` of them are stored.

    Raises:
        ShapeError: it is not a matrix.
        ConcretizationError: `nse` is not given while tracing.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> sparse.coo_fromdense(tnp.eye(2))
        COO(float32[2, 2], nse=2)
    """
    return COO.from_bcoo(matrix_of("coo_fromdense", mat, nse, index_dtype))


def coo_todense(mat: COO) -> Array:
    """Return the dense matrix; elements of equal indices are added.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> print(sparse.coo_todense(sparse.COO.fromdense(tnp.eye(2))))
        [[1. 0.]
         [0. 1.]]
    """
    return of_format("coo_todense", COO, mat).todense()


def coo_matvec(mat: COO, v: Any, transpose: bool = False) -> Array:
    """Return the product of a matrix, or of its transpose, with a vector.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.COO.fromdense(tnp.array([[0.0, 1.0], [2.0, 3.0]]))
        >>> print(sparse.coo_matvec(m, tnp.array([1.0, 2.0]), transpose=True))
        [4. 7.]
    """
    return product("coo_matvec", COO, mat, v, 1, transpose)


def coo_matmat(mat: COO, B: Any, *, transpose: bool = False) -> Array:  # noqa: N803 - JAX's name
    """Return the product of a matrix, or of its transpose, with a dense matrix.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.COO.fromdense(tnp.array([[0.0, 1.0], [2.0, 3.0]]))
        >>> print(sparse.coo_matmat(m, tnp.eye(2), transpose=True))
        [[0. 2.]
         [1. 3.]]
    """
    return product("coo_matmat", COO, mat, B, 2, transpose)


boundaries(__name__)
