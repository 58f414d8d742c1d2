"""Order, shape and sums of BCOO arrays: what moves or drops indices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import check_sparse, columns, mapped, whole_batches
from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import boundaries, flags, integer, integers, refused, sequence
from treadle_ir.tracing import concrete_elements

__all__ = [
    "bcoo_concatenate",
    "bcoo_reduce_sum",
    "bcoo_reshape",
    "bcoo_slice",
    "bcoo_sort_indices",
    "bcoo_sum_duplicates",
    "bcoo_transpose",
]


def bcoo_transpose(mat: BCOO, *, permutation: Sequence[int]) -> BCOO:
    """Return the axes in another order. Batch and dense axes that change places with others become sparse.

    Raises:
        ArgumentError: it is not a permutation of the axes.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> m = BCOO.fromdense(tnp.array([[0.0, 2.0], [0.0, 4.0]]))
        >>> print(bcoo_transpose(m, permutation=(1, 0)).todense())
        [[0. 0.]
         [2. 4.]]
    """
    check_sparse("bcoo_transpose", mat)
    order = integers("bcoo_transpose", "permutation", permutation)
    if sorted(order) != [*range(mat.ndim)]:
        raise ArgumentError(f"bcoo_transpose: {order} is not a permutation of {mat.ndim} axes")
    mat = _each_kind_apart(mat, order)
    n, s = mat.n_batch, mat.n_sparse
    batch, sparse, dense = order[:n], order[n : n + s], order[n + s :]
    data, indices = whole_batches(mat)
    data = tnp.transpose(data, (*batch, n, *(axis - s + 1 for axis in dense)))
    indices = tnp.transpose(indices, (*batch, n, n + 1))[
        ..., np.array([a - n for a in sparse], int)
    ]
    shape = tuple([mat.sparse_shape[axis - n] for axis in sparse])
    unmoved = sparse == tuple(range(n, n + s))
    return mat.made(
        data,
        indices,
        sparse_shape=shape,
        indices_sorted=mat.indices_sorted and unmoved,
        unique_indices=mat.unique_indices,
    )


def _each_kind_apart(mat: BCOO, order: tuple[int, ...]) -> BCOO:
    """With as many batch and dense axes as `order` keeps in front and behind."""
    end = mat.ndim
    batch = max(n for n in range(mat.n_batch + 1) if sorted(order[:n]) == [*range(n)])
    dense = max(
        n for n in range(mat.n_dense + 1) if sorted(order[end - n :]) == [*range(end - n, end)]
    )
    return with_layout(mat, batch, dense)


def bcoo_sort_indices(mat: BCOO) -> BCOO:
    """Return the same array with its rows of indices in ascending order.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> x = BCOO((tnp.array([1.0, 2.0]), tnp.array([[3], [0]])), shape=(4,))
        >>> print(bcoo_sort_indices(x).data)
        [2. 1.]
    """
    check_sparse("bcoo_sort_indices", mat)

    def ordered(data: Array, indices: Array) -> tuple[Array, Array]:
        if not indices.shape[-1]:
            return data, indices
        order = tnp.lexsort(columns(indices)[::-1])
        return data[order], indices[order]

    data, indices = mapped(ordered, mat.n_batch)(*whole_batches(mat))
    return mat.made(data, indices, indices_sorted=True, unique_indices=mat.unique_indices)


def bcoo_sum_duplicates(mat: BCOO, nse: int | None = None, remove_zeros: bool = False) -> BCOO:
    """Return the same array with each index once, in ascending order, its elements added.

    `nse` elements are stored; by default as many as there are different indices within the array, which must be
    known; while tracing, as many as before. What does not fit is left out, and padding has indices beyond the end.

    Raises:
        ArgumentError: `nse` is not an integer, or negative.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.BCOO((tnp.ones(3), tnp.array([[1, 0], [0, 1], [1, 0]])), shape=(2, 2))
        >>> once = sparse.bcoo_sum_duplicates(m)
        >>> print(once.data, once.indices.tolist())
        [1. 2.] [[0, 1], [1, 0]]
    """
    check_sparse("bcoo_sum_duplicates", mat)
    flags("bcoo_sum_duplicates", remove_zeros=remove_zeros)
    whole = whole_batches(mat)
    shape = np.array(mat.sparse_shape, whole[1].dtype)
    given = None if nse is None else integer("bcoo_sum_duplicates", "nse", nse)
    if given is not None and given < 0:
        raise refused("bcoo_sum_duplicates", "nse", "a number that is not negative", nse)

    def ordered(data: Array, indices: Array) -> tuple[Array, Array, Array]:
        """Sorted, padding last, with the number of its place for each element."""
        stored = tnp.all(indices < shape, -1)
        if remove_zeros:
            stored &= tnp.any(data != 0, tuple(range(1, data.ndim)))
        indices = tnp.where(stored[:, None], indices, shape)
        order = (
            tnp.lexsort((*columns(indices)[::-1], ~stored))
            if indices.shape[-1]
            else tnp.argsort(~stored)
        )
        data, indices, stored = data[order], indices[order], stored[order]
        new = tnp.any(indices[1:] != indices[:-1], -1)
        place = tnp.cumsum(tnp.concatenate([tnp.zeros(min(1, len(order)), int), new.astype(int)]))
        return data, indices, tnp.where(stored, place, len(order))

    data, indices, places = mapped(ordered, mat.n_batch)(*whole)
    count = given
    if count is None:
        known = concrete_elements(places)
        valid = None if known is None else known[known < mat.nse]
        count = mat.nse if valid is None else int(np.max(valid, initial=-1)) + 1

    def added(data: Array, indices: Array, places: Array) -> tuple[Array, Array]:
        into = tnp.where(places < count, places, count)
        sums = tnp.zeros((count, *data.shape[1:]), data.dtype).at[into]
        put = sums.max if data.dtype.kind == "b" else sums.add
        rows = tnp.broadcast_to(tnp.asarray(shape), (count, len(shape)))
        return put(data, mode="drop"), rows.at[into].set(indices, mode="drop")

    data, indices = mapped(added, mat.n_batch)(data, indices, places)
    return mat.made(data, indices, indices_sorted=True, unique_indices=True)


def bcoo_reduce_sum(mat: BCOO, *, axes: Sequence[int]) -> BCOO:
    """Return the sum over some axes. Indices that become equal stay apart: `sum_duplicates` adds them.

    Raises:
        ArgumentError: there are no such axes.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> m = BCOO.fromdense(tnp.array([[0.0, 2.0], [3.0, 4.0]]))
        >>> print(bcoo_reduce_sum(m, axes=(0,)).todense())
        [3. 6.]
    """
    check_sparse("bcoo_reduce_sum", mat)
    given = integers("bcoo_reduce_sum", "axes", axes)
    if not all(-mat.ndim <= axis < mat.ndim for axis in given):
        raise ArgumentError(f"bcoo_reduce_sum: axes are {given}, but there are {mat.ndim} axes")
    summed_axes = {axis % mat.ndim for axis in given}
    n, s = mat.n_batch, mat.n_sparse
    data, indices = whole_batches(mat)
    dense = tuple([axis - s + 1 for axis in summed_axes if axis >= n + s])
    data = tnp.sum(data, dense, dtype=data.dtype) if dense else data
    kept = [axis for axis in range(s) if axis + n not in summed_axes]
    shape = tuple([mat.sparse_shape[axis] for axis in kept])
    if len(kept) < s:
        # Padding of an axis that goes is padding of none that stays: its elements become zero.
        inside = tnp.all(indices < np.array(mat.sparse_shape, indices.dtype), -1)
        shaped = tnp.reshape(inside, (*inside.shape, *(1 for _ in data.shape[n + 1 :])))
        data = tnp.where(shaped, data, tnp.zeros((), data.dtype))
    indices = indices[..., np.array(kept, int)]
    batch = [axis for axis in range(n) if axis in summed_axes]
    left = [axis for axis in range(n) if axis not in summed_axes]
    if batch:  # elements of all batch elements side by side
        count = math.prod([mat.shape[axis] for axis in batch]) * mat.nse
        outer = tuple([mat.shape[axis] for axis in left])
        data = tnp.transpose(data, (*left, *batch, *range(n, data.ndim)))
        data = tnp.reshape(data, (*outer, count, *data.shape[n + 1 :]))
        indices = tnp.transpose(indices, (*left, *batch, n, n + 1))
        indices = tnp.reshape(indices, (*outer, count, len(kept)))
    return mat.made(data, indices, sparse_shape=shape)


def summed(mat: BCOO, axis: Any) -> Any:
    """Return the sum: dense of all axes, sparse of some; of narrow integers and booleans in the type that a dense one
    has.
    """
    mat = converted(mat, tnp.sum(tnp.zeros(0, mat.dtype)).dtype)
    every = range(mat.ndim)
    axes = (
        every
        if axis is None
        else integers("sum", "axis", axis if isinstance(axis, (tuple, list)) else (axis,))
    )
    found = bcoo_reduce_sum(mat, axes=tuple(axes))
    return found if found.ndim else found.todense()


def bcoo_reshape(
    mat: BCOO,
    *,
    new_sizes: Sequence[int],
    dimensions: Sequence[int] | None = None,
    sharding: None = None,
) -> BCOO:
    """Return the same elements in another shape. One size may be -1.

    Batch and dense axes stay what they are where the new shape has them for themselves; others become sparse.

    Raises:
        ShapeError: the numbers of elements differ.
        UnsupportedError: there are 2**31 elements or more along the sparse axes.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> m = BCOO.fromdense(tnp.array([[0.0, 2.0], [3.0, 4.0]]))
        >>> print(bcoo_reshape(m, new_sizes=(4,)).todense())
        [0. 2. 3. 4.]
    """
    check_sparse("bcoo_reshape", mat)
    if dimensions is not None:
        order = integers("bcoo_reshape", "dimensions", dimensions)
        mat = bcoo_transpose(mat, permutation=order)
    sizes = list(integers("bcoo_reshape", "new_sizes", new_sizes))
    if sizes.count(-1) == 1:
        others = -math.prod(sizes)
        sizes[sizes.index(-1)] = mat.size // others if others else 0
    if math.prod(sizes) != mat.size or min(sizes, default=0) < 0:
        raise ShapeError(f"bcoo_reshape: {mat.shape} and {tuple(new_sizes)} have different sizes")
    outer, n_batch = _leading(mat.shape[: mat.n_batch], sizes)
    inner, n_dense = _leading(mat.shape[mat.ndim - mat.n_dense :][::-1], sizes[::-1])
    mat = with_layout(mat, n_batch, n_dense)
    batch, middle = sizes[:outer], sizes[outer : len(sizes) - inner]
    dense = sizes[len(sizes) - inner :]
    if math.prod(mat.sparse_shape) >= 1 << 31:
        raise UnsupportedError("bcoo_reshape: 2**31 sparse elements or more are not supported")
    data, indices = whole_batches(mat, middle)
    kind = indices.dtype
    inside = tnp.all(indices < np.array(mat.sparse_shape, kind), -1)
    flat = tnp.zeros(inside.shape, np.int32)
    for axis, size in enumerate(mat.sparse_shape):
        flat = flat * size + indices[..., axis].astype(np.int32)
    new = []
    for size in reversed(middle):
        new.append(tnp.where(inside, flat % max(size, 1), size))
        flat = flat // max(size, 1)
    rows = tnp.stack(new[::-1], -1) if new else tnp.zeros((*inside.shape, 0), kind)
    if not new:  # there is no place for padding: its elements become zero
        shaped = tnp.reshape(inside, (*inside.shape, *(1 for _ in range(n_dense))))
        data = tnp.where(shaped, data, tnp.zeros((), data.dtype))
    return mat.made(
        tnp.reshape(data, (*batch, mat.nse, *dense)),
        tnp.reshape(rows.astype(kind), (*batch, mat.nse, len(middle))),
        sparse_shape=tuple(middle),
        indices_sorted=mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


def _leading(old: Sequence[int], new: Sequence[int]) -> tuple[int, int]:
    """Return how many of the first new sizes make up how many of the old ones: as many of these as can be."""
    products = [1]
    for size in new:
        products.append(products[-1] * size)
    for count in range(len(old), 0, -1):
        whole = math.prod(old[:count])
        if whole and whole in products:
            return products.index(whole), count
    return 0, 0


def bcoo_slice(
    mat: BCOO,
    *,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> BCOO:
    """Return the part from `start_indices` up to `limit_indices`, in steps of `strides`. What is outside becomes
    padding.

    Raises:
        ArgumentError: there is not one number for each axis, or they do not lie within the axes.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> x = BCOO.fromdense(tnp.array([1.0, 0.0, 3.0, 4.0]))
        >>> print(bcoo_slice(x, start_indices=(1,), limit_indices=(4,)).todense())
        [0. 3. 4.]
    """
    check_sparse("bcoo_slice", mat)
    starts = integers("bcoo_slice", "start_indices", start_indices)
    limits = integers("bcoo_slice", "limit_indices", limit_indices)
    steps = (1,) * mat.ndim if strides is None else integers("bcoo_slice", "strides", strides)
    ranges = [*zip(starts, limits, steps, mat.shape, strict=False)]
    if not len(starts) == len(limits) == len(steps) == mat.ndim or any(
        not 0 <= start <= limit <= size or step < 1 for start, limit, step, size in ranges
    ):
        raise ArgumentError(
            f"bcoo_slice: from {starts} to {limits} in steps of {steps} is not a part of shape {mat.shape}"
        )
    n, s = mat.n_batch, mat.n_sparse
    parts = [slice(start, limit, step) for start, limit, step, _ in ranges]
    data, indices = whole_batches(mat)
    data = data[(*parts[:n], slice(None), *parts[n + s :])]
    indices = indices[tuple(parts[:n])] if n else indices
    sparse = ranges[n : n + s]
    first = np.array([start for start, *_ in sparse], indices.dtype)
    last = np.array([limit for _, limit, *_ in sparse], indices.dtype)
    step = np.array([each for _, _, each, _ in sparse], indices.dtype)
    shape = tuple([-(-(limit - start) // each) for start, limit, each, _ in sparse])
    inside = (indices >= first) & (indices < last) & ((indices - first) % step == 0)
    kept = tnp.all(inside, -1)
    sizes = np.array(shape, indices.dtype)
    indices = tnp.where(kept[..., None], (indices - first) // step, sizes)
    shaped = tnp.reshape(kept, (*kept.shape, *(1 for _ in data.shape[n + 1 :])))
    data = tnp.where(shaped, data, tnp.zeros((), data.dtype))
    found = mat.made(data, indices, sparse_shape=shape)
    most = math.prod(shape)
    return bcoo_sum_duplicates(found, nse=most) if most < mat.nse else found


def bcoo_concatenate(operands: Sequence[BCOO], *, dimension: int) -> BCOO:
    """Arrays one after the other along an axis. Axes that are batch or dense ones of some of them only become sparse.

    Raises:
        ArgumentError: there are none, one is not a BCOO, or there is no such axis; ShapeError: their other axes
            differ.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> x = BCOO.fromdense(tnp.array([0.0, 2.0]))
        >>> print(bcoo_concatenate([x, x], dimension=0).todense())
        [0. 2. 0. 2.]
    """
    mats: list[BCOO] = [*sequence("bcoo_concatenate", "operands", operands)]
    if not mats:
        raise ArgumentError("bcoo_concatenate: there must be at least one array")
    for mat in mats:
        check_sparse("bcoo_concatenate", mat)
    first = mats[0]
    axis = integer("bcoo_concatenate", "dimension", dimension)
    if not 0 <= axis < first.ndim:
        raise ArgumentError(f"bcoo_concatenate: {first!r} has no axis {axis}")
    for mat in mats:
        if mat.shape[:axis] + mat.shape[axis + 1 :] != first.shape[:axis] + first.shape[axis + 1 :]:
            raise ShapeError(
                f"bcoo_concatenate: shapes {first.shape} and {mat.shape} differ along an axis other than {axis}"
            )
    n = min(mat.n_batch for mat in mats)
    n_dense = min(first.ndim - axis - 1, *(mat.n_dense for mat in mats))
    mats = [with_layout(mat, n, n_dense) for mat in mats]
    total = sum(mat.shape[axis] for mat in mats)
    most = max(mat.nse for mat in mats)
    kind = tnp.result_type(*[mat.data for mat in mats])
    data, rows, before = [], [], 0
    for mat in mats:
        values, indices = whole_batches(mat, [total + size for size in mat.sparse_shape])
        if axis < n:  # batch elements store equally many
            values, indices = (
                _padded(values, n, most, 0),
                _padded(indices, n, most, mat.sparse_shape),
            )
        else:
            sizes = np.array(mat.sparse_shape, indices.dtype)
            own = np.arange(mat.n_sparse) == axis - n
            inside = tnp.all(indices < sizes, -1, keepdims=True)
            shift = np.array(np.where(own, before, 0), indices.dtype)
            indices = tnp.where(inside, indices + shift, sizes + np.array(total, indices.dtype))
        data.append(tnp.astype(values, kind))
        rows.append(indices)
        before += mat.shape[axis]
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    return mats[0].made(
        tnp.concatenate(data, min(axis, n)),
        tnp.concatenate(rows, min(axis, n)),
        sparse_shape=shape[n : len(shape) - n_dense],
        unique_indices=all(mat.unique_indices for mat in mats),
    )


def _padded(array: Array, axis: int, size: int, value: Any) -> Array:
    """Return the array with more of `value` behind along an axis."""
    shape = (*array.shape[:axis], size - array.shape[axis], *array.shape[axis + 1 :])
    return tnp.concatenate([array, tnp.full(shape, value, array.dtype)], axis)


def without_duplicates(mat: BCOO) -> BCOO:
    """Return the same array with each index once, if that is not so already."""
    return mat if mat.unique_indices else bcoo_sum_duplicates(mat, nse=mat.nse)


def map_zero_preserving(mat: BCOO, function: Callable[[Any], Any]) -> BCOO:
    """Apply a function that maps zero to zero to the elements, after adding elements with equal indices."""
    unique = without_duplicates(mat)
    return unique.made(function(unique.data))


def converted(mat: BCOO, kind: np.dtype[Any]) -> BCOO:
    """The same array in another element type: sums of equal indices are converted, where that is another number."""
    own = mat.dtype.kind
    exact = own in "iu" and kind.kind in "iu"
    if not (exact or (own != "b" and is_inexact(kind))):
        mat = without_duplicates(mat)
    return mat.made(tnp.astype(mat.data, kind))


def with_layout(mat: BCOO, batch: int, dense: int) -> BCOO:
    """Return the same array with no more batch or dense axes than it has."""
    data, indices = whole_batches(mat, mat.shape)
    shape = mat.sparse_shape
    while indices.ndim - 2 > batch:  # the innermost batch axis becomes the first sparse one
        place = indices.ndim - 3
        size, nse = indices.shape[place : place + 2]
        numbers = tnp.arange(size, dtype=indices.dtype)[:, None, None]
        column = tnp.broadcast_to(numbers, (*indices.shape[:-1], 1))
        indices = tnp.concatenate([column, indices], -1)
        indices = tnp.reshape(indices, (*indices.shape[:place], size * nse, indices.shape[-1]))
        data = tnp.reshape(data, (*data.shape[:place], size * nse, *data.shape[place + 2 :]))
        shape = (size, *shape)
    n = indices.ndim - 2
    while data.ndim - n - 1 > dense:  # the first dense axis becomes the last sparse one
        nse, size = data.shape[n : n + 2]
        numbers = tnp.arange(size, dtype=indices.dtype)[:, None]
        column = tnp.broadcast_to(numbers, (*indices.shape[:n], nse, size, 1))
        spread = tnp.broadcast_to(
            indices[..., None, :], (*indices.shape[:-1], size, indices.shape[-1])
        )
        indices = tnp.concatenate([spread, column], -1)
        indices = tnp.reshape(indices, (*indices.shape[:n], nse * size, indices.shape[-1]))
        data = tnp.reshape(data, (*data.shape[:n], nse * size, *data.shape[n + 2 :]))
        shape = (*shape, size)
    return mat.made(
        data,
        indices,
        sparse_shape=shape,
        indices_sorted=mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


boundaries(__name__)
