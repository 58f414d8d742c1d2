"""From dense arrays to BCOO and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

import treadle_batching
import treadle_numpy as tnp
from treadle.experimental.sparse.bcoo import BCOO
from treadle_ir import ArgumentError, Array, UnsupportedError
from treadle_ir.errors import ConcretizationError, boundaries, element_type, flags, integer, refused
from treadle_ir.tracing import concrete_elements

__all__ = ["bcoo_extract", "bcoo_fromdense", "bcoo_todense"]


MOST: Final = 1 << 30  # stored elements, whose numbers fit into 32 bits


def mapped(function: Callable[..., Any], n_batch: int) -> Callable[..., Any]:
    """Return a function of one batch element as one of all, whose batch axes come first."""
    for _ in range(n_batch):
        function = treadle_batching.vmap(function)
    return function


def whole_batches(mat: BCOO, sizes: Sequence[int] = ()) -> tuple[Array, Array]:
    """Return data and indices with all their batch axes: axes of size 1 are broadcast.

    The indices are of a type that holds the sizes of the sparse axes, which padding has, and the given ones.
    """
    n, batch = mat.n_batch, mat.shape[: mat.n_batch]
    indices = mat.indices
    if not holds(indices.dtype, (*mat.sparse_shape, *sizes)):
        indices = widened(indices)
    return (
        tnp.broadcast_to(mat.data, (*batch, *mat.data.shape[n:])),
        tnp.broadcast_to(indices, (*batch, *indices.shape[n:])),
    )


def widened(indices: Array) -> Array:
    """Indices in a type that holds what they are compared with and added to: narrow integers become int32."""
    narrow = indices.dtype.kind in "iu" and indices.dtype.itemsize < 4
    return tnp.astype(indices, np.int32) if narrow else indices


def holds(kind: np.dtype[Any], sizes: Sequence[int]) -> bool:
    """Return whether an integer type of fewer than 32 bits, or any wider one, holds sizes."""
    return kind.itemsize >= 4 or max(sizes, default=0) <= np.iinfo(kind).max


def representable(function: str, sizes: Sequence[int], kind: np.dtype[Any]) -> None:
    """Refuse sizes that indices of a type cannot have."""
    if kind.kind in "iu" and max(sizes, default=0) > np.iinfo(kind).max:
        raise ArgumentError(
            f"{function}: sizes {tuple(sizes)} do not fit into indices of {kind}",
            fix="give a wider integer type for the indices",
        )


def check_sparse(function: str, mat: object) -> None:
    """Refuse an object that is not a BCOO."""
    if not isinstance(mat, BCOO):
        raise refused(function, "mat", "a BCOO", mat)


def columns(indices: Array) -> tuple[Array, ...]:
    """Return the indices of each sparse axis."""
    return tuple([indices[:, axis] for axis in range(indices.shape[-1])])


def bcoo_todense(mat: BCOO) -> Array:
    """Return the dense array; elements of equal indices are added, and those beyond the end are dropped.

    Example:
        >>> import treadle.numpy as tnp
        >>> x = BCOO((tnp.array([1.0, 2.0, 3.0]), tnp.array([[1], [1], [0]])), shape=(3,))
        >>> print(bcoo_todense(x))
        [3. 3. 0.]
    """
    check_sparse("bcoo_todense", mat)
    shape = mat.sparse_shape

    def dense(data: Array, indices: Array) -> Array:
        if not shape:
            return tnp.sum(data, 0, dtype=data.dtype)
        zeros = tnp.zeros((*shape, *data.shape[1:]), data.dtype)
        if data.dtype.kind == "b":
            return zeros.at[columns(indices)].max(data, mode="drop")
        return zeros.at[columns(indices)].add(data, mode="drop")

    found: Array = mapped(dense, mat.n_batch)(*whole_batches(mat))
    return found


def bcoo_fromdense(
    mat: Any,
    *,
    nse: int | None = None,
    n_batch: int = 0,
    n_dense: int = 0,
    index_dtype: Any = np.int32,
) -> BCOO:
    """Return a BCOO of the elements of an array that are not zero.

    Of each batch element `nse` are stored: by default as many as any one has, which must be known, so give it under
    jit. With fewer, the last ones are left out. The first `n_batch` axes are batch axes and the last `n_dense` ones
    are dense.

    Raises:
        ArgumentError: there are not that many axes, or `nse` is negative.
        ConcretizationError: `nse` is not given while tracing.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.bcoo_fromdense(tnp.array([[0, 5], [7, 0]]))
        >>> print(m.data, m.indices.tolist())
        [5 7] [[0, 1], [1, 0]]
    """
    dense = tnp.asarray(mat)
    batch = integer("bcoo_fromdense", "n_batch", n_batch)
    inner = integer("bcoo_fromdense", "n_dense", n_dense)
    if min(batch, inner) < 0 or batch + inner > dense.ndim:
        raise ArgumentError(
            f"bcoo_fromdense: n_batch={batch} and n_dense={inner} are too many for {dense.type}"
        )
    kind = element_type("bcoo_fromdense", index_dtype)
    n_sparse = dense.ndim - batch - inner
    stored = (
        tnp.any(dense != 0, tuple(range(dense.ndim - inner, dense.ndim))) if inner else dense != 0
    )
    if nse is None:
        counts = concrete_elements(tnp.sum(stored, tuple(range(batch, batch + n_sparse))))
        if counts is None:
            raise ConcretizationError(
                "bcoo_fromdense: the number of elements is not known while tracing",
                fix="give `nse`",
            )
        count = int(np.max(counts, initial=0))
    else:
        count = integer("bcoo_fromdense", "nse", nse)
        if not 0 <= count <= MOST:
            raise refused("bcoo_fromdense", "nse", f"from 0 to {MOST}", nse)
    shape = dense.shape[batch : batch + n_sparse]
    representable("bcoo_fromdense", shape, kind)

    def sparse(part: Array, stored: Array) -> tuple[Array, Array]:
        if not shape:  # one element, if it is stored at all
            first = tnp.where(stored, part, tnp.zeros_like(part))[None]
            padding = tnp.zeros((max(count - 1, 0), *part.shape), part.dtype)
            data = tnp.concatenate([first, padding])[:count]
            return data, tnp.zeros((count, 0), kind)
        places = tnp.nonzero(stored, size=count, fill_value=shape)
        data = part.at[places].get(mode="fill", fill_value=0)
        return data, tnp.stack(places, -1).astype(kind)

    data, indices = mapped(sparse, batch)(dense, stored)
    unique = bool(shape) or count <= 1  # without sparse axes there is no place for padding
    return BCOO((data, indices), shape=dense.shape, indices_sorted=True, unique_indices=unique)


def bcoo_extract(sparr: BCOO, arr: Any, *, assume_unique: bool | None = None) -> BCOO:
    """Return the elements of a dense array at the indices of a sparse one, as a sparse array with these indices.

    Where an index is there more than once, the first has the element and the others zero, so that their sum is right;
    `assume_unique` says that none is.

    Raises:
        ArgumentError: the shapes differ.

    Example:
        >>> import treadle.numpy as tnp
        >>> x = BCOO.fromdense(tnp.array([0.0, 2.0, 3.0]))
        >>> print(bcoo_extract(x, tnp.array([7.0, 8.0, 9.0])).todense())
        [0. 8. 9.]
    """
    check_sparse("bcoo_extract", sparr)
    if assume_unique is not None:
        flags("bcoo_extract", assume_unique=assume_unique)
    dense = tnp.asarray(arr)
    if dense.shape != sparr.shape:
        raise ArgumentError(
            f"bcoo_extract: the array has shape {dense.shape}, but the sparse one has {sparr.shape}"
        )
    unique = sparr.unique_indices if assume_unique is None else assume_unique
    data = extracted(sparr, dense)
    if not unique:
        data = data * first_of_each(sparr, data)
    return sparr.made(data)


def extracted(sparr: BCOO, dense: Array) -> Array:
    """Return the elements of a dense array of the same shape at the indices, zero beyond the ends."""

    def take(part: Array, indices: Array) -> Array:
        if not indices.shape[-1]:
            return tnp.broadcast_to(part, (indices.shape[0], *part.shape))
        return part.at[columns(indices)].get(mode="fill", fill_value=0)

    found: Array = mapped(take, sparr.n_batch)(dense, whole_batches(sparr)[1])
    return found


def first_of_each(sparr: BCOO, data: Array) -> Array:
    """1 for the first of equal indices, 0 for the others, in the shape of the data."""

    def first(indices: Array) -> Array:
        if not indices.shape[-1]:
            return tnp.arange(indices.shape[0]) == 0
        order = tnp.lexsort(columns(indices)[::-1])  # equal ones stay in their order
        ordered = indices[order]
        new = tnp.any(ordered[1:] != ordered[:-1], -1)
        new = tnp.concatenate([tnp.ones(min(1, len(order)), bool), new])
        return tnp.zeros(len(order), bool).at[order].set(new)

    kept = mapped(first, sparr.n_batch)(whole_batches(sparr)[1])
    shaped = tnp.reshape(kept, (*kept.shape, *(1 for _ in range(sparr.n_dense))))
    return tnp.astype(shaped, data.dtype)


def from_scipy(mat: Any, index_dtype: Any, n_dense: int, n_batch: int) -> BCOO:
    """Return a matrix of `scipy.sparse`, of whatever format."""
    if n_dense or n_batch:
        raise UnsupportedError(
            "BCOO.from_scipy_sparse: SciPy's matrices have no batch and no dense axes",
            fix="convert without `n_batch` and `n_dense`",
        )
    if not hasattr(mat, "tocoo"):
        raise refused("from_scipy_sparse", "mat", "a matrix of `scipy.sparse`", mat)
    coordinates = mat.tocoo()
    kind = element_type("from_scipy_sparse", np.int32 if index_dtype is None else index_dtype)
    indices = np.column_stack([coordinates.row, coordinates.col]).astype(kind)
    return BCOO((coordinates.data, indices), shape=coordinates.shape)


boundaries(__name__)
