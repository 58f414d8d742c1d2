"""Other layouts of BCOO arrays: axes added, dropped, reversed, cut out, or made batch, sparse or dense ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import check_sparse, mapped, whole_batches, widened
from treadle.experimental.sparse.efficiency import SparseEfficiencyError, SparseEfficiencyWarning
from treadle.experimental.sparse.structure import bcoo_reduce_sum, bcoo_sum_duplicates, with_layout
from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.errors import boundaries, integer, integers
from treadle_numpy import lax

__all__ = [
    "bcoo_broadcast_in_dim",
    "bcoo_dynamic_slice",
    "bcoo_eliminate_zeros",
    "bcoo_rev",
    "bcoo_squeeze",
    "bcoo_update_layout",
]


def _axes_of(function: str, mat: BCOO, dimensions: Sequence[int]) -> tuple[int, ...]:
    """Axes of an array, counted from the front.

    Raises:
        ArgumentError: there is no such axis, or one is named twice.
    """
    check_sparse(function, mat)
    given = integers(function, "dimensions", dimensions)
    found = tuple([axis % mat.ndim for axis in given if -mat.ndim <= axis < mat.ndim])
    if len(set(found)) != len(given):
        raise ArgumentError(f"{function}: {given} are no different axes of {mat!r}")
    return found


def bcoo_squeeze(arr: BCOO, *, dimensions: Sequence[int]) -> BCOO:
    """Return the array without some of its axes of size 1.

    Raises:
        ShapeError: an axis has another size; ArgumentError: there is no such axis.

    Example:
        >>> from treadle.experimental import sparse
        >>> sparse.bcoo_squeeze(sparse.eye(3)[:, None], dimensions=(1,))
        BCOO(float32[3, 3], nse=3)
    """
    axes = _axes_of("bcoo_squeeze", arr, dimensions)
    if any(arr.shape[axis] != 1 for axis in axes):
        raise ShapeError(f"bcoo_squeeze: axes {axes} of {arr!r} are not all of size 1")
    return bcoo_reduce_sum(arr, axes=axes)


def bcoo_rev(operand: BCOO, dimensions: Sequence[int]) -> BCOO:
    """Return the array with the order of some of its axes reversed.

    Raises:
        ArgumentError: there is no such axis.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> print(sparse.bcoo_rev(sparse.BCOO.fromdense(tnp.array([1, 0, 3])), (0,)).todense())
        [3 0 1]
    """
    axes = _axes_of("bcoo_rev", operand, dimensions)
    n, s = operand.n_batch, operand.n_sparse
    data, indices = whole_batches(operand)
    batch = tuple([axis for axis in axes if axis < n])
    dense = tuple([axis - s + 1 for axis in axes if axis >= n + s])
    sizes = np.array(operand.sparse_shape, indices.dtype)
    turned = np.isin(np.arange(s), [axis - n for axis in axes])
    inside = tnp.all(indices < sizes, -1, keepdims=True)
    indices = tnp.where(inside & turned, sizes - 1 - indices, indices)
    return operand.made(
        tnp.flip(data, (*batch, *dense)),
        tnp.flip(indices, batch),
        unique_indices=operand.unique_indices,
    )


def bcoo_broadcast_in_dim(
    mat: BCOO, *, shape: Sequence[int], broadcast_dimensions: Sequence[int], sharding: None = None
) -> BCOO:
    """Return the array in a larger shape; axis k of `mat` becomes axis `broadcast_dimensions[k]`.

    New axes are batch axes before the sparse ones, sparse axes between them, and dense ones behind. A sparse axis that
    grows stores its elements as often as it is long.

    Raises:
        ArgumentError: the axes do not ascend; ShapeError: an axis has neither size 1 nor the new one.

    Example:
        >>> from treadle.experimental import sparse
        >>> sparse.bcoo_broadcast_in_dim(sparse.eye(2), shape=(5, 2, 2), broadcast_dimensions=(1, 2))
        BCOO(float32[5, 2, 2], nse=2, n_batch=1)
    """
    check_sparse("bcoo_broadcast_in_dim", mat)
    sizes = integers("bcoo_broadcast_in_dim", "shape", shape)
    places = integers("bcoo_broadcast_in_dim", "broadcast_dimensions", broadcast_dimensions)
    ascending = list(places) == sorted({axis for axis in places if 0 <= axis < len(sizes)})
    if len(places) != mat.ndim or not ascending:
        raise ArgumentError(
            f"bcoo_broadcast_in_dim: {places} are not {mat.ndim} ascending axes of shape {sizes}"
        )
    if any(own not in (1, sizes[place]) for own, place in zip(mat.shape, places, strict=True)):
        raise ShapeError(f"bcoo_broadcast_in_dim: {mat!r} does not broadcast to {sizes}")
    n, s = mat.n_batch, mat.n_sparse
    # The first axis that is not a batch axis, and the one behind the last sparse axis.
    begin = places[n] if mat.ndim > n else len(sizes)
    end = places[n + s - 1] + 1 if s else begin
    data, indices = whole_batches(mat, sizes)
    nse = mat.nse
    # each as [*batch, nse, 1, ..., m, ..., 1]: one axis for each new or grown axis
    columns: list[Array] = []
    grown = [
        axis
        for axis in range(begin, end)
        if axis not in places or mat.shape[places.index(axis)] != sizes[axis]
    ]
    counts = tuple([sizes[axis] for axis in grown])
    inside = tnp.all(indices < np.array(mat.sparse_shape, indices.dtype), -1)
    ones = (1,) * len(grown)
    stored = tnp.reshape(inside, (*inside.shape, *ones))
    for axis in range(begin, end):
        if axis in grown:
            along = [1] * len(grown)
            along[grown.index(axis)] = sizes[axis]
            numbers = tnp.reshape(tnp.arange(sizes[axis], dtype=indices.dtype), along)
            columns.append(tnp.where(stored, numbers, sizes[axis]))
        else:
            column = indices[..., places.index(axis) - n]
            columns.append(tnp.reshape(column, (*column.shape, *ones)))
    batch = data.shape[:n]
    full = (*batch, nse, *counts)
    total = nse * int(np.prod(counts, dtype=int))
    if columns:
        indices = tnp.stack([tnp.broadcast_to(column, full) for column in columns], -1)
        indices = tnp.reshape(indices, (*batch, total, len(columns)))
        own = data.shape[n + 1 :]
        data = tnp.broadcast_to(tnp.reshape(data, (*batch, nse, *ones, *own)), (*full, *own))
        data = tnp.reshape(data, (*batch, total, *own))
    outer, inner = sizes[:begin], sizes[end:]
    kept = [places.index(axis) if axis in places else None for axis in range(begin)]
    batch = tuple([1 if axis is None else mat.shape[axis] for axis in kept])
    dense = tuple(
        [mat.shape[places.index(a)] if a in places else 1 for a in range(end, len(sizes))]
    )
    data = tnp.reshape(data, (*batch, total, *dense))
    indices = tnp.reshape(indices, (*batch, total, indices.shape[-1]))
    return mat.made(
        tnp.broadcast_to(data, (*outer, total, *inner)),
        tnp.broadcast_to(indices, (*outer, *indices.shape[-2:])),
        sparse_shape=sizes[begin:end],
        unique_indices=mat.unique_indices,
    )


def bcoo_dynamic_slice(mat: BCOO, start_indices: Sequence[Any], slice_sizes: Sequence[int]) -> BCOO:
    """Return the part of these sizes that begins at indices which may be traced; they are moved so that it is within.

    What is outside becomes padding; it stores no more elements than the part has.

    Raises:
        ArgumentError: there is not one index and one size for each axis; ShapeError: a size is too large.

    Example:
        >>> from treadle.experimental import sparse
        >>> print(sparse.bcoo_dynamic_slice(sparse.eye(4), (1, 0), (2, 2)).todense())
        [[0. 1.]
         [0. 0.]]
    """
    check_sparse("bcoo_dynamic_slice", mat)
    sizes = integers("bcoo_dynamic_slice", "slice_sizes", slice_sizes)
    given = [widened(tnp.asarray(start)) for start in start_indices]
    if not len(sizes) == len(given) == mat.ndim or any(
        start.ndim or start.dtype.kind not in "iu" for start in given
    ):
        raise ArgumentError(
            f"bcoo_dynamic_slice: one integer and one size are wanted for each axis of {mat!r}"
        )
    if any(not 0 <= size <= whole for size, whole in zip(sizes, mat.shape, strict=True)):
        raise ShapeError(f"bcoo_dynamic_slice: {mat!r} has no part of shape {sizes}")
    n, s = mat.n_batch, mat.n_sparse
    data, indices = whole_batches(mat)
    starts = [
        tnp.clip(tnp.where(start < 0, start + whole, start), 0, whole - size)
        for start, size, whole in zip(given, sizes, mat.shape, strict=True)
    ]
    first: list[Any] = [*starts[:n], 0, *starts[n + s :]]
    data = lax.dynamic_slice(data, first, (*sizes[:n], mat.nse, *sizes[n + s :]))
    indices = lax.dynamic_slice(indices, [*starts[:n], 0, 0], (*sizes[:n], *indices.shape[n:]))
    wanted = np.array(sizes[n : n + s], indices.dtype)
    if s:
        moved = indices - tnp.stack(starts[n : n + s]).astype(indices.dtype)
        kept = tnp.all((moved >= 0) & (moved < wanted), -1)
        indices = tnp.where(kept[..., None], moved, wanted)
        shaped = tnp.reshape(kept, (*kept.shape, *(1 for _ in data.shape[n + 1 :])))
        data = tnp.where(shaped, data, tnp.zeros((), data.dtype))
    found = mat.made(data, indices, sparse_shape=sizes[n : n + s])
    most = int(np.prod(sizes[n : n + s], dtype=int))
    return bcoo_sum_duplicates(found, nse=most) if most < mat.nse else found


def bcoo_eliminate_zeros(mat: BCOO, nse: int | None = None) -> BCOO:
    """Return the same array without stored zeros, each index once; see `bcoo_sum_duplicates`.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse.bcoo import BCOO, bcoo_eliminate_zeros
        >>> bcoo_eliminate_zeros(BCOO((tnp.array([0.0, 2.0]), tnp.array([[0], [1]])), shape=(3,)))
        BCOO(float32[3], nse=1)
    """
    return bcoo_sum_duplicates(mat, nse=nse, remove_zeros=True)


def bcoo_update_layout(
    mat: BCOO,
    *,
    n_batch: int | None = None,
    n_dense: int | None = None,
    on_inefficient: str | None = "error",
) -> BCOO:
    """Return the same array with other numbers of batch and dense axes.

    Sparse axes that become batch or dense ones store zeros: that is an error, with `on_inefficient="warn"` a warning,
    with None neither.

    Raises:
        SparseEfficiencyError: zeros would be stored; ArgumentError: there are not so many axes.

    Example:
        >>> from treadle.experimental import sparse
        >>> sparse.bcoo_update_layout(sparse.eye(3), n_dense=1, on_inefficient=None)
        BCOO(float32[3, 3], nse=3, n_dense=1)
    """
    check_sparse("bcoo_update_layout", mat)
    batch = mat.n_batch if n_batch is None else integer("bcoo_update_layout", "n_batch", n_batch)
    dense = mat.n_dense if n_dense is None else integer("bcoo_update_layout", "n_dense", n_dense)
    if on_inefficient not in ("error", "warn", None):
        raise ArgumentError("bcoo_update_layout: on_inefficient must be 'error', 'warn' or None")
    if batch < 0 or dense < 0 or batch + dense > mat.ndim:
        raise ArgumentError(
            f"bcoo_update_layout: {mat!r} cannot have {batch} batch and {dense} dense axes"
        )
    mat = with_layout(mat, min(batch, mat.n_batch), min(dense, mat.n_dense))
    if batch == mat.n_batch and dense == mat.n_dense:
        return mat
    said = (
        f"bcoo_update_layout: sparse axes of {mat!r} as batch or dense ones store zeros; "
        "on_inefficient=None says that this is wanted"
    )
    if on_inefficient == "error":
        raise SparseEfficiencyError(said)
    if on_inefficient == "warn":
        warnings.warn(said, SparseEfficiencyWarning, stacklevel=2)
    while mat.n_batch < batch:
        mat = _first_as_batch(mat)
    while mat.n_dense < dense:
        mat = _last_as_dense(mat)
    return mat


def _first_as_batch(mat: BCOO) -> BCOO:
    """Make each number along the first sparse axis a batch element; it stores all elements, the elements of others as
    padding.
    """
    size, *rest = mat.sparse_shape
    sizes = np.array(rest, mat.indices.dtype)

    def apart(data: Array, indices: Array) -> tuple[Array, Array]:
        own = indices[:, 0] == tnp.arange(size, dtype=indices.dtype)[:, None]
        shaped = tnp.reshape(own, (*own.shape, *(1 for _ in data.shape[1:])))
        return (
            tnp.where(shaped, data, tnp.zeros((), data.dtype)),
            tnp.where(own[..., None], indices[:, 1:], sizes),
        )

    data, indices = mapped(apart, mat.n_batch)(*whole_batches(mat))
    return mat.made(data, indices, sparse_shape=tuple(rest))


def _last_as_dense(mat: BCOO) -> BCOO:
    """Return the last sparse axis stored whole, with zeros but at the element's number."""
    *rest, size = mat.sparse_shape

    def filled(data: Array, indices: Array) -> tuple[Array, Array]:
        own = indices[:, -1:] == tnp.arange(size, dtype=indices.dtype)
        shaped = tnp.reshape(own, (*own.shape, *(1 for _ in data.shape[1:])))
        return tnp.where(shaped, data[:, None], tnp.zeros((), data.dtype)), indices[:, :-1]

    data, indices = mapped(filled, mat.n_batch)(*whole_batches(mat))
    return mat.made(data, indices, sparse_shape=tuple(rest))


boundaries(__name__)
