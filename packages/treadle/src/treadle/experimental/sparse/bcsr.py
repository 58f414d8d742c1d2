"""BCSR: batches of compressed rows. Stored elements row by row, their columns, and where each row begins.

    data:    [*batch, nse, *dense]
    indices: [*batch, nse]
    indptr:  [*batch, rows + 1]

An element beyond the last row's end is padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.arithmetic import bcoo_dot_general
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import bcoo_fromdense, from_scipy, mapped, whole_batches
from treadle.experimental.sparse.primitives import (
    bcsr_dot_general_p as bcsr_dot_general_p,
    bcsr_extract_p as bcsr_extract_p,
    bcsr_fromdense_p as bcsr_fromdense_p,
    bcsr_todense_p as bcsr_todense_p,
)
from treadle.experimental.sparse.structure import bcoo_sort_indices, bcoo_sum_duplicates
from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError
from treadle_ir.calling import as_array, operand_or_none
from treadle_ir.errors import boundaries, flags, integers, lazy_names as _lazy_names, refused
from treadle_ir.tree import register_pytree_node_class

__all__ = [
    "BCSR",
    "BCSRProperties",
    "bcsr_dot_general",
    "bcsr_dot_general_p",
    "bcsr_extract_p",
    "bcsr_fromdense",
    "bcsr_fromdense_p",
    "bcsr_todense",
    "bcsr_todense_p",
]


class BCSRProperties(NamedTuple):
    """How many axes of each kind an array has, and how many elements it stores."""

    n_batch: int
    n_dense: int
    nse: int


@final
class BCSR(JAXSparse):
    """A sparse array by compressed rows: `BCSR((data, indices, indptr), shape=shape)`.

    It multiplies dense arrays; for everything else there is `to_bcoo()`.

    Raises:
        ArgumentError: it is given no three arrays, or indices that are not integers.
        ShapeError: they do not go together with the shape.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.BCSR.fromdense(tnp.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
        >>> m.indices.tolist(), m.indptr.tolist()
        ([1, 0, 2], [0, 1, 3])
        >>> print(m @ tnp.array([1.0, 2.0, 3.0]))
        [ 2. 11.]
    """

    __slots__ = ("columns", "data", "indices", "indices_sorted", "indptr", "unique_indices")
    indices: Any  # arrays; anything, while a tree of them is mapped
    indptr: Any

    def __init__(
        self,
        args: Any,
        *,
        shape: Sequence[int],
        indices_sorted: bool = False,
        unique_indices: bool = False,
    ) -> None:
        if not isinstance(args, (tuple, list)) or len(args) != 3:
            raise refused("BCSR", "args", "three arrays `(data, indices, indptr)`", args)
        flags("BCSR", indices_sorted=indices_sorted, unique_indices=unique_indices)
        for name, each in zip(("data", "indices", "indptr"), args, strict=True):
            if operand_or_none(each) is None:
                raise refused("BCSR", name, "an array", each)
        self.data, self.indices, self.indptr = (as_array(each) for each in args)
        self.indices_sorted, self.unique_indices = indices_sorted, unique_indices
        sizes = integers("BCSR", "shape", shape)
        n = self.indices.ndim - 1
        if self.indices.dtype.kind not in "iu" or self.indptr.dtype.kind not in "iu" or n < 0:
            raise ArgumentError(
                f"BCSR: indices are {self.indices.type} and indptr {self.indptr.type}, but must be integers"
            )
        if len(sizes) < n + 2:
            raise ShapeError(f"BCSR: shape {sizes} has no rows and columns behind {n} batch axes")
        self.columns = sizes[n + 1]
        matching = self.data.ndim > n and self.data.shape[n] == self.nse
        if not matching or self.indptr.ndim != n + 1 or self.shape != sizes:
            raise ShapeError(
                f"BCSR: data of shape {self.data.shape}, indices of shape {self.indices.shape} and indptr of shape "
                f"{self.indptr.shape} do not form an array of shape {sizes}",
                fix="data are [*batch, nse, *dense], indices [*batch, nse], and indptr [*batch, rows + 1]",
            )

    def tree_flatten(self) -> tuple[tuple[Any, Any, Any], Any]:
        """Return the arrays, and what else there is to know."""
        return (self.data, self.indices, self.indptr), (
            self.columns,
            self.indices_sorted,
            self.unique_indices,
        )

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Any) -> BCSR:
        """Return the array of these parts, which are not checked."""
        self = object.__new__(cls)
        self.data, self.indices, self.indptr = children
        self.columns, self.indices_sorted, self.unique_indices = aux_data
        return self

    @property
    def n_batch(self) -> int:
        """The number of batch axes, which come first."""
        return int(self.indices.ndim) - 1

    @property
    def n_sparse(self) -> int:
        """The number of sparse axes, which follow: rows and columns."""
        return 2

    @property
    def n_dense(self) -> int:
        """The number of dense axes, which come last."""
        return int(self.data.ndim) - 1 - self.n_batch

    @property
    def nse(self) -> int:
        """The number of elements that are stored (of each batch element)."""
        return int(self.indices.shape[-1])

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        n = self.n_batch
        rows = int(self.indptr.shape[-1]) - 1
        return (*self.indices.shape[:n], rows, self.columns, *self.data.shape[n + 1 :])

    def _layout(self) -> str:
        batch = f", n_batch={self.n_batch}" if self.n_batch else ""
        return batch + (f", n_dense={self.n_dense}" if self.n_dense else "")

    @classmethod
    def fromdense(
        cls,
        mat: Any,
        *,
        nse: int | None = None,
        index_dtype: Any = np.int32,
        n_dense: int = 0,
        n_batch: int = 0,
    ) -> BCSR:
        """Return the elements of an array that are not zero; see `bcsr_fromdense`."""
        return bcsr_fromdense(
            mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype
        )

    @classmethod
    def from_bcoo(cls, arr: BCOO) -> BCSR:
        """Return the same array by rows.

        Raises:
            UnsupportedError: it has not two sparse axes.
        """
        if arr.n_sparse != 2:
            raise UnsupportedError(
                f"BCSR.from_bcoo: {arr!r} has {arr.n_sparse} sparse axes, but must have rows and columns"
            )
        ordered = arr if arr.indices_sorted else bcoo_sort_indices(arr)
        data, indices = whole_batches(ordered)
        rows, columns = arr.sparse_shape

        def starts(indices: Array) -> Array:
            return tnp.searchsorted(indices[:, 0], tnp.arange(rows + 1)).astype(indices.dtype)

        # What is beyond the last column stands in a row all the same, and is dropped where it is used.
        indptr = mapped(starts, arr.n_batch)(indices)
        rest = (columns, True, arr.unique_indices)
        return cls.tree_unflatten(rest, (data, indices[..., 1], indptr))

    @classmethod
    def from_scipy_sparse(
        cls, mat: Any, *, index_dtype: Any = None, n_dense: int = 0, n_batch: int = 0
    ) -> BCSR:
        """Return a matrix of `scipy.sparse`.

        Raises:
            ArgumentError: it is none. UnsupportedError: batch or dense axes are asked for.
        """
        return cls.from_bcoo(from_scipy(mat, index_dtype, n_dense, n_batch))

    def to_bcoo(self) -> BCOO:
        """Return the same array by coordinates."""

        def rows(indices: Array, indptr: Array) -> Array:
            places = tnp.arange(indices.shape[0])
            row = tnp.searchsorted(indptr, places, side="right") - 1
            return tnp.stack([row.astype(indices.dtype), indices], -1)

        found = mapped(rows, self.n_batch)(self.indices, self.indptr)
        shape = (int(self.indptr.shape[-1]) - 1, self.columns)
        rest = (shape, self.indices_sorted, self.unique_indices)
        return BCOO.tree_unflatten(rest, (self.data, found))

    def todense(self) -> Array:
        """Return the array with all its elements; elements with equal indices are added."""
        return self.to_bcoo().todense()

    def sum_duplicates(self, nse: int | None = None, remove_zeros: bool = True) -> BCSR:
        """Return the same array with each index once; see `bcoo_sum_duplicates`."""
        flags("sum_duplicates", remove_zeros=remove_zeros)
        return BCSR.from_bcoo(
            bcoo_sum_duplicates(self.to_bcoo(), nse=nse, remove_zeros=remove_zeros)
        )

    def transpose(self, axes: Any = None) -> BCSR:
        """Rows become columns: by way of coordinates."""
        return BCSR.from_bcoo(self.to_bcoo().transpose(axes))

    def sum(self, axis: Any = None) -> Any:
        """Return the sum of the elements: an array of all axes, a BCOO of some."""
        return self.to_bcoo().sum(axis)

    def __matmul__(self, other: object) -> Any:
        return self.to_bcoo() @ (other.to_bcoo() if isinstance(other, BCSR) else other)

    def __rmatmul__(self, other: object) -> Any:
        return other @ self.to_bcoo()


register_pytree_node_class(BCSR)


def bcsr_fromdense(
    mat: Any,
    *,
    nse: int | None = None,
    n_batch: int = 0,
    n_dense: int = 0,
    index_dtype: Any = np.int32,
) -> BCSR:
    """Return a BCSR of the elements of an array that are not zero; arguments and errors as of `bcoo_fromdense`.

    Raises:
        UnsupportedError: there are not two axes in addition to the batch and dense ones.

    Example:
        >>> m = bcsr_fromdense(np.float32([[0, 2], [3, 4]]))
        >>> print(m.data, m.indices, m.indptr)
        [2. 3. 4.] [1 0 1] [0 1 3]
    """
    return BCSR.from_bcoo(
        bcoo_fromdense(mat, nse=nse, n_batch=n_batch, n_dense=n_dense, index_dtype=index_dtype)
    )


def bcsr_todense(mat: BCSR) -> Array:
    """Return the dense array; elements of equal indices are added.

    Example:
        >>> print(bcsr_todense(bcsr_fromdense(np.float32([[0, 2], [3, 4]]))))
        [[0. 2.]
         [3. 4.]]
    """
    if not isinstance(mat, BCSR):
        raise refused("bcsr_todense", "mat", "a BCSR", mat)
    return mat.todense()


def bcsr_dot_general(
    lhs: BCSR | Any,
    rhs: Any,
    *,
    dimension_numbers: Any,
    precision: None = None,
    preferred_element_type: Any = None,
    out_sharding: None = None,
) -> Any:
    """Sums of products over contracted axes of a BCSR and a dense array; as `bcoo_dot_general`.

    Example:
        >>> m = bcsr_fromdense(np.float32([[0, 2], [3, 0]]))
        >>> print(bcsr_dot_general(m, np.float32([1, 10]), dimension_numbers=(((1,), (0,)), ((), ()))))
        [20.  3.]
    """
    left, right = (x.to_bcoo() if isinstance(x, BCSR) else x for x in (lhs, rhs))
    return bcoo_dot_general(
        left,
        right,
        dimension_numbers=dimension_numbers,
        preferred_element_type=preferred_element_type,
    )


# JAX has all functions of such arrays in this module.
if not TYPE_CHECKING:
    __getattr__, _, _ = _lazy_names(
        __name__,
        {
            "treadle.experimental.sparse.compressed": (
                "bcsr_broadcast_in_dim bcsr_concatenate bcsr_eliminate_zeros bcsr_extract "
                "bcsr_sum_duplicates"
            ),
        },
    )

boundaries(__name__)
