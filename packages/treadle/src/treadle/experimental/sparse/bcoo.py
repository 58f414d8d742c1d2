"""BCOO: batches of coordinates. Stored elements with their indices, one row of indices for each element.

    data:    [*batch, nse, *dense]
    indices: [*batch, nse, number of sparse axes]

An array has its batch axes first, then its sparse ones, then its dense ones. An index beyond the end of an axis is
padding: its element counts as zero. Only the sizes of the sparse axes are stored with the two arrays; all else is
what these have, so that `vmap` over a BCOO with a batch axis sees one without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, final

import numpy as np

from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.primitives import (
    bcoo_dot_general_p as bcoo_dot_general_p,
    bcoo_dot_general_sampled_p as bcoo_dot_general_sampled_p,
    bcoo_extract_p as bcoo_extract_p,
    bcoo_fromdense_p as bcoo_fromdense_p,
    bcoo_sort_indices_p as bcoo_sort_indices_p,
    bcoo_spdot_general_p as bcoo_spdot_general_p,
    bcoo_sum_duplicates_p as bcoo_sum_duplicates_p,
    bcoo_todense_p as bcoo_todense_p,
    bcoo_transpose_p as bcoo_transpose_p,
)
from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.calling import as_array, operand_or_none
from treadle_ir.errors import boundaries, flags, integers, lazy_names as _lazy_names, refused
from treadle_ir.tree import GetAttrKey, register_pytree_with_keys_class

__all__ = [
    "BCOO",
    "BCOOProperties",
    "Buffer",
    "bcoo_dot_general_p",
    "bcoo_dot_general_sampled_p",
    "bcoo_extract_p",
    "bcoo_fromdense_p",
    "bcoo_sort_indices_p",
    "bcoo_spdot_general_p",
    "bcoo_sum_duplicates_p",
    "bcoo_todense_p",
    "bcoo_transpose_p",
]

Buffer: TypeAlias = Array
"""What the elements and the indices of a sparse array are."""


class BCOOProperties(NamedTuple):
    """How many axes of each kind an array has, and how many elements it stores."""

    n_batch: int
    n_sparse: int
    n_dense: int
    nse: int


if TYPE_CHECKING:

    class _Methods(JAXSparse):
        """The methods that `methods.py` adds to `BCOO`, for type checkers."""

        @classmethod
        def fromdense(
            cls,
            mat: Any,
            *,
            nse: int | None = None,
            index_dtype: Any = np.int32,
            n_dense: int = 0,
            n_batch: int = 0,
        ) -> BCOO: ...
        @classmethod
        def from_scipy_sparse(
            cls, mat: Any, *, index_dtype: Any = None, n_dense: int = 0, n_batch: int = 0
        ) -> BCOO: ...
        def todense(self) -> Array: ...
        def transpose(self, axes: Sequence[int] | None = None) -> BCOO: ...
        def sort_indices(self) -> BCOO: ...
        def sum_duplicates(self, nse: int | None = None, remove_zeros: bool = True) -> BCOO: ...
        def reshape(self, *args: Any, **kwargs: Any) -> BCOO: ...
        def update_layout(
            self,
            *,
            n_batch: int | None = None,
            n_dense: int | None = None,
            on_inefficient: str | None = "error",
        ) -> BCOO: ...
        def astype(self, dtype: Any) -> BCOO: ...
        def __neg__(self) -> BCOO: ...
        def __abs__(self) -> BCOO: ...
        def __mul__(self, other: object) -> BCOO: ...
        def __rmul__(self, other: object) -> BCOO: ...
        def __truediv__(self, other: Any) -> BCOO: ...
        def __pow__(self, exponent: Any) -> BCOO: ...
        def __getitem__(self, index: Any) -> BCOO: ...
        def __iter__(self) -> Any: ...
else:
    _Methods = JAXSparse


@final
class BCOO(_Methods):
    """A sparse array by coordinates: `BCOO((data, indices), shape=shape)`.

    `indices_sorted` promises that the rows of indices ascend, `unique_indices` that no two are equal.

    Raises:
        ArgumentError: it is given no pair of arrays, or indices that are not integers.
        ShapeError: data, indices and shape do not go together.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.BCOO.fromdense(tnp.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
        >>> m
        BCOO(float32[2, 3], nse=3)
        >>> print(m @ tnp.array([1.0, 2.0, 3.0]))
        [ 2. 11.]
        >>> print((2 * m.T).todense())
        [[0. 4.]
         [2. 0.]
         [0. 6.]]
    """

    __slots__ = ("data", "indices", "indices_sorted", "sparse_shape", "unique_indices")
    indices: Any  # an array; anything, while a tree of it is mapped

    def __init__(
        self,
        args: Any,
        *,
        shape: Sequence[int],
        indices_sorted: bool = False,
        unique_indices: bool = False,
    ) -> None:
        if not isinstance(args, (tuple, list)) or len(args) != 2:
            raise refused("BCOO", "args", "a pair `(data, indices)`", args)
        flags("BCOO", indices_sorted=indices_sorted, unique_indices=unique_indices)
        for name, each in zip(("data", "indices"), args, strict=True):
            if operand_or_none(each) is None:
                raise refused("BCOO", name, "an array", each)
        self.data, self.indices = (as_array(each) for each in args)
        sizes = integers("BCOO", "shape", shape)
        if self.indices.dtype.kind not in "iu" or self.indices.ndim < 2:
            raise ArgumentError(
                f"BCOO: the indices are {self.indices.type}, but must be integers of shape [*batch, nse, sparse axes]"
            )
        n_batch, n_sparse = self.n_batch, self.n_sparse
        self.sparse_shape = sizes[n_batch : n_batch + n_sparse]
        self.indices_sorted = indices_sorted
        self.unique_indices = unique_indices
        matching = self.data.ndim > n_batch and self.data.shape[n_batch] == self.nse
        if not matching or self.shape != sizes:
            raise ShapeError(
                f"BCOO: data of shape {self.data.shape} and indices of shape {self.indices.shape} "
                f"do not form an array of shape {sizes}",
                fix="data are [*batch, nse, *dense], and indices [*batch, nse, number of sparse axes]",
            )

    # ---- the tree

    def tree_flatten(self) -> tuple[tuple[Any, Any], Any]:
        """Return the arrays, and what else there is to know."""
        return (self.data, self.indices), (
            self.sparse_shape,
            self.indices_sorted,
            self.unique_indices,
        )

    def tree_flatten_with_keys(self) -> tuple[Any, Any]:
        """Return the same, with the names of the arrays."""
        children, rest = self.tree_flatten()
        return tuple(zip(map(GetAttrKey, ("data", "indices")), children, strict=True)), rest

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Any) -> BCOO:
        """Return the array of these parts, which are not checked."""
        self = object.__new__(cls)
        self.data, self.indices = children
        self.sparse_shape, self.indices_sorted, self.unique_indices = aux_data
        return self

    # ---- what it is

    @property
    def n_batch(self) -> int:
        """The number of batch axes, which come first."""
        return int(self.indices.ndim) - 2

    @property
    def n_sparse(self) -> int:
        """The number of sparse axes, which follow."""
        return int(self.indices.shape[-1])

    @property
    def n_dense(self) -> int:
        """The number of dense axes, which come last."""
        return int(self.data.ndim) - 1 - self.n_batch

    @property
    def nse(self) -> int:
        """The number of elements that are stored (of each batch element)."""
        return int(self.indices.shape[-2])

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        n = self.n_batch
        batch = np.broadcast_shapes(self.data.shape[:n], self.indices.shape[:n])
        return (*batch, *self.sparse_shape, *self.data.shape[n + 1 :])

    def _layout(self) -> str:
        batch = f", n_batch={self.n_batch}" if self.n_batch else ""
        return batch + (f", n_dense={self.n_dense}" if self.n_dense else "")

    def made(self, data: Any, indices: Any | None = None, **changes: Any) -> BCOO:
        """Return an array like this one with other elements; with other indices nothing is known of their order."""
        kept = indices is None
        rest = {
            "sparse_shape": self.sparse_shape,
            "indices_sorted": kept and self.indices_sorted,
            "unique_indices": kept and self.unique_indices,
            **changes,
        }
        return BCOO.tree_unflatten(tuple(rest.values()), (data, self.indices if kept else indices))


register_pytree_with_keys_class(BCOO)

# JAX has all functions of such arrays in this module.
if not TYPE_CHECKING:
    __getattr__, _, _ = _lazy_names(
        __name__,
        {
            "treadle.experimental.sparse.arithmetic": (
                "bcoo_dot_general bcoo_multiply_dense bcoo_multiply_sparse"
            ),
            "treadle.experimental.sparse.conversion": "bcoo_extract bcoo_fromdense bcoo_todense",
            "treadle.experimental.sparse.layouts": (
                "bcoo_broadcast_in_dim bcoo_dynamic_slice bcoo_eliminate_zeros bcoo_rev bcoo_squeeze "
                "bcoo_update_layout"
            ),
            "treadle.experimental.sparse.lifted": "bcoo_conv_general_dilated bcoo_gather",
            "treadle.experimental.sparse.sampled": "bcoo_dot_general_sampled",
            "treadle.experimental.sparse.structure": (
                "bcoo_concatenate bcoo_reduce_sum bcoo_reshape bcoo_slice bcoo_sort_indices "
                "bcoo_sum_duplicates bcoo_transpose"
            ),
        },
    )

boundaries(__name__)
