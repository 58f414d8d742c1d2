"""Sums and products of BCOO arrays with each other and with dense ones."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

import treadle_batching
import treadle_numpy as tnp
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import check_sparse, columns, mapped, whole_batches
from treadle.experimental.sparse.structure import bcoo_sum_duplicates, with_layout
from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError
from treadle_ir.errors import boundaries, element_type, integers, sequence, shown
from treadle_numpy import lax

__all__ = ["bcoo_dot_general", "bcoo_multiply_dense", "bcoo_multiply_sparse"]

Operand: TypeAlias = Any  # a BCOO or what becomes a dense array
DimensionNumbers: TypeAlias = Any  # ((lhs, rhs), (lhs, rhs)): contracted axes, batch axes


def added(mat: BCOO, other: Operand) -> Any:
    """Return the sum: sparse of sparse arrays, dense with a dense one of the same shape."""
    if isinstance(other, BCOO):
        if mat.shape != other.shape:
            raise ShapeError(
                f"a sum of sparse arrays of shapes {mat.shape} and {other.shape}",
                fix="sparse arrays are not broadcast when they are added: give both the same shape",
            )
        if mat.indices is other.indices and mat.indices.shape[-1]:
            return mat.made(mat.data + other.data)
        batch, dense_axes = min(mat.n_batch, other.n_batch), min(mat.n_dense, other.n_dense)
        return _stacked(
            [each.update_layout(n_batch=batch, n_dense=dense_axes) for each in (mat, other)]
        )
    if isinstance(other, JAXSparse):
        raise mat._lacking(f"a sum with {type(other).__name__}")
    dense = tnp.asarray(other)
    try:
        shape = np.broadcast_shapes(mat.shape, dense.shape)
    except ValueError:
        raise ShapeError(
            f"a sum of arrays of shapes {mat.shape} and {dense.shape}, which have no common shape"
        ) from None
    if shape != dense.shape:
        raise UnsupportedError(
            f"a sum of {mat!r} and a dense array of shape {dense.shape} would be dense",
            fix="if that is wanted, convert first: `x.todense() + y`",
        )
    return mat.todense() + dense


def _stacked(parts: Sequence[BCOO]) -> BCOO:
    """Return the sum of arrays of one layout: their stored elements side by side."""
    n = parts[0].n_batch
    kind = tnp.result_type(*[each.data for each in parts])
    pairs = [whole_batches(each) for each in parts]
    return parts[0].made(
        tnp.concatenate([tnp.astype(data, kind) for data, _ in pairs], n),
        tnp.concatenate([indices for _, indices in pairs], n),
    )


def multiplied(mat: BCOO, other: Operand) -> BCOO:
    """Return the product by element: sparse, whatever the other one is."""
    if isinstance(other, BCOO):
        return bcoo_multiply_sparse(mat, other)
    if isinstance(other, JAXSparse):
        raise mat._lacking(f"a product with {type(other).__name__}")
    return mat.made(bcoo_multiply_dense(mat, other))


def bcoo_multiply_dense(sp_mat: BCOO, v: Any) -> Array:
    """Return the stored elements of the product by element with a dense array, which is broadcast: data for the same
    indices.

    Raises:
        ShapeError: the product would have a different shape from the sparse array.

    Example:
        >>> import treadle.numpy as tnp
        >>> x = BCOO.fromdense(tnp.array([0.0, 2.0, 3.0]))
        >>> print(bcoo_multiply_dense(x, tnp.array([5.0, 5.0, 6.0])))
        [10. 18.]
    """
    return by_elements("bcoo_multiply_dense", operator.mul, sp_mat, v, 0)


def divided(mat: BCOO, other: Operand) -> BCOO:
    """Return the quotient by element of a sparse array and a dense one."""
    if isinstance(other, JAXSparse):
        raise mat._lacking("division by a sparse array")
    return mat.made(by_elements("/", operator.truediv, mat, other, 1))


def by_elements(
    name: str, function: Callable[[Array, Array], Array], sp_mat: BCOO, v: Any, beyond: int
) -> Array:
    """Apply a function to the stored elements and a dense array's elements at their places; the latter are `beyond` at
    padding.
    """
    check_sparse(name, sp_mat)
    dense = tnp.asarray(v)
    if not dense.ndim:
        return function(sp_mat.data, dense)
    try:
        shape = np.broadcast_shapes(sp_mat.shape, dense.shape)
    except ValueError:
        shape = ()
    if shape != sp_mat.shape:
        raise ShapeError(
            f"{name}: shapes are {sp_mat.shape} and {dense.shape}, and the result must have the first",
            fix="broadcast the sparse array first, by way of the dense one",
        )
    sizes = (1,) * (sp_mat.ndim - dense.ndim) + dense.shape

    def applied(data: Array, indices: Array, part: Array) -> Array:
        places = tuple(
            [
                column if part.shape[axis] != 1 else tnp.zeros_like(column)
                for axis, column in enumerate(columns(indices))
            ]
        )
        others = part.at[places].get(mode="fill", fill_value=beyond) if places else part[None]
        return function(data, others)

    n = sp_mat.n_batch
    whole = tnp.reshape(dense, sizes)
    whole = tnp.broadcast_to(whole, (*sp_mat.shape[:n], *sizes[n:]))
    found: Array = mapped(applied, n)(*whole_batches(sp_mat), whole)
    return found


def bcoo_multiply_sparse(lhs: BCOO, rhs: BCOO) -> BCOO:
    """Return the product by element of two sparse arrays with as many axes; axes of size 1 are broadcast.

    Every pair of stored elements is compared, so it stores as many as both products of their numbers, at most as many
    as the array has; of arrays with the very same indices, each once, as many as one of them. Axes that are batch or
    dense ones of one array only become sparse.

    Raises:
        ShapeError: the shapes do not go together.

    Example:
        >>> import treadle.numpy as tnp
        >>> x = BCOO.fromdense(tnp.array([0.0, 2.0, 3.0]))
        >>> y = BCOO.fromdense(tnp.array([4.0, 5.0, 0.0]))
        >>> print(bcoo_multiply_sparse(x, y).todense())
        [ 0. 10.  0.]
    """
    check_sparse("bcoo_multiply_sparse", lhs)
    check_sparse("bcoo_multiply_sparse", rhs)
    if lhs.ndim != rhs.ndim or any(
        1 not in pair and pair[0] != pair[1] for pair in zip(lhs.shape, rhs.shape, strict=True)
    ):
        raise ShapeError(f"bcoo_multiply_sparse: shapes are {lhs.shape} and {rhs.shape}")
    alike = lhs.indices is rhs.indices and lhs.sparse_shape == rhs.sparse_shape
    if alike and lhs.unique_indices and lhs.n_dense == rhs.n_dense:
        return lhs.made(lhs.data * rhs.data)
    n, n_dense = min(lhs.n_batch, rhs.n_batch), min(lhs.n_dense, rhs.n_dense)
    lhs, rhs = with_layout(lhs, n, n_dense), with_layout(rhs, n, n_dense)
    sizes = np.broadcast_shapes(lhs.sparse_shape, rhs.sparse_shape)
    own, others = (np.array(each.sparse_shape, np.int64) for each in (lhs, rhs))

    def product(
        data: Array, rows: Array, other_data: Array, other_rows: Array
    ) -> tuple[Array, Array]:
        stored = tnp.all(rows < own.astype(rows.dtype), -1)
        other_stored = tnp.all(other_rows < others.astype(rows.dtype), -1)
        rows, other_rows = rows[:, None], other_rows[None]
        same = tnp.all((rows == other_rows) | (own != others), -1)
        same &= stored[:, None] & other_stored[None]
        indices = tnp.where(own == 1, other_rows, rows)
        indices = tnp.where(same[..., None], indices, np.array(sizes, np.int64).astype(rows.dtype))
        values = data[:, None] * other_data[None]
        kept = tnp.reshape(same, (*same.shape, *(1 for _ in values.shape[2:])))
        values = tnp.where(kept, values, tnp.zeros((), values.dtype))
        count = same.shape[0] * same.shape[1]
        return (
            tnp.reshape(values, (count, *values.shape[2:])),
            tnp.reshape(indices, (count, len(sizes))),
        )

    batch = np.broadcast_shapes(lhs.shape[:n], rhs.shape[:n])
    parts = [
        tnp.broadcast_to(part, (*batch, *part.shape[n:]))
        for mat in (lhs, rhs)
        for part in whole_batches(mat, sizes)
    ]
    data, indices = mapped(product, n)(*parts)
    whole = lhs.made(data, indices, sparse_shape=sizes)
    most = min(whole.nse, math.prod(sizes))
    return bcoo_sum_duplicates(whole, nse=most) if most < whole.nse else whole


def bcoo_dot_general(
    lhs: Operand,
    rhs: Operand,
    *,
    dimension_numbers: DimensionNumbers,
    precision: None = None,
    preferred_element_type: Any = None,
    out_sharding: None = None,
) -> Any:
    """Sums of products over contracted axes, as `lax.dot_general`: of a sparse and a dense array, dense; of two sparse
    ones, sparse.

    `dimension_numbers` is `((contracted axes of lhs, of rhs), (batch axes of lhs, of rhs))`. The result has the batch
    axes, the rest of lhs, the rest of rhs. It is quickest where the batch axes are the first of the sparse array's own.
    It is computed in `preferred_element_type`, by default the type that both operands promote to.

    Raises:
        ShapeError: paired axes have different sizes. ArgumentError: there are no such axes.

    Example:
        >>> import treadle.numpy as tnp
        >>> m = BCOO.fromdense(tnp.array([[0.0, 2.0], [3.0, 0.0]]))
        >>> print(bcoo_dot_general(m, tnp.array([1.0, 10.0]), dimension_numbers=(((1,), (0,)), ((), ()))))
        [20.  3.]
    """
    (first, second), (outer, other_outer) = axes_pairs(dimension_numbers)
    if not isinstance(lhs, BCOO) and not isinstance(rhs, BCOO):
        check_sparse("bcoo_dot_general", lhs)
    left: Any = lhs if isinstance(lhs, BCOO) else tnp.asarray(lhs)
    right: Any = rhs if isinstance(rhs, BCOO) else tnp.asarray(rhs)
    for axes, each in (((*first, *outer), left), ((*second, *other_outer), right)):
        if len(set(axes)) < len(axes) or not all(0 <= axis < each.ndim for axis in axes):
            raise ArgumentError(f"bcoo_dot_general: {axes} are not axes of an array of {each.ndim}")
    sizes = [[x.shape[i] for i in axes] for x, axes in ((left, first), (right, second))]
    outer_sizes = [[x.shape[i] for i in axes] for x, axes in ((left, outer), (right, other_outer))]
    if sizes[0] != sizes[1] or outer_sizes[0] != outer_sizes[1]:
        raise ShapeError(
            f"bcoo_dot_general: axes {first} of shape {left.shape} and {second} of shape {right.shape} are paired, "
            "but their sizes differ"
        )
    if preferred_element_type is None:
        kind = tnp.result_type(*[x.data if isinstance(x, BCOO) else x for x in (left, right)])
    else:
        kind = element_type("bcoo_dot_general", preferred_element_type)
    if isinstance(left, BCOO) and isinstance(right, BCOO):
        return _sparse_sparse(left, right, first, second, outer, other_outer, kind)
    if isinstance(left, BCOO):
        return _sparse_dense(left, right, first, second, outer, other_outer, kind)
    found = _sparse_dense(right, left, second, first, other_outer, outer, kind)
    # The rest of the sparse array came first; it comes last.
    batch, rest = len(outer), right.ndim - len(second) - len(outer)
    return tnp.moveaxis(
        found, (*range(batch, batch + rest),), (*range(found.ndim - rest, found.ndim),)
    )


def axes_pairs(dimension_numbers: object) -> list[list[tuple[int, ...]]]:
    """Return the four lists of axes."""
    pairs = sequence("bcoo_dot_general", "dimension_numbers", dimension_numbers)
    found = []
    for pair in pairs:
        both = sequence("bcoo_dot_general", "each pair of dimension_numbers", pair)
        if len(both) != 2 or len(pairs) != 2:
            raise ArgumentError(
                f"bcoo_dot_general: dimension_numbers is {shown(dimension_numbers)}, but must be "
                "((contracted, contracted), (batch, batch))"
            )
        found.append([integers("bcoo_dot_general", "dimension_numbers", each) for each in both])
    if len(found) != 2:
        raise ArgumentError("bcoo_dot_general: dimension_numbers must have two pairs of axes")
    return found


def _sparse_dense(
    mat: BCOO,
    dense: Array,
    contracted: Sequence[int],
    others: Sequence[int],
    outer: Sequence[int],
    other_outer: Sequence[int],
    kind: np.dtype[Any],
) -> Array:
    """Batch axes that are the sparse array's own are mapped over; others are looked up, as contracted ones are, and
    stay in the result.
    """
    n = mat.n_batch
    mapped_over = tuple(outer) == tuple(range(len(outer))) and len(outer) <= n
    if not mapped_over or min(contracted, default=n) < n:
        outside = not mapped_over and max(outer) >= n + mat.n_sparse
        mat, mapped_over = with_layout(mat, 0, 0 if outside else mat.n_dense), False
    n, s = mat.n_batch, mat.n_sparse
    aside = [] if mapped_over else [axis - n for axis in outer]
    pairs = sorted(zip(contracted, others, strict=True))
    sparse = [axis - n for axis, _ in pairs if axis < n + s]
    inner = [axis - n - s + 1 for axis, _ in pairs if axis >= n + s]
    free = [axis for axis in range(dense.ndim) if axis not in others and axis not in other_outer]
    dense = tnp.transpose(dense, (*other_outer, *(other for _, other in pairs), *free))
    kept = [*aside, *(axis for axis in range(s) if axis not in sparse and axis not in aside)]
    shape = tuple([mat.sparse_shape[axis] for axis in kept])

    def product(data: Array, indices: Array, dense: Array) -> Array:
        where = columns(indices)
        places = tuple([where[axis] for axis in (*aside, *sparse)])
        if places:
            rows = dense.at[places].get(mode="fill", fill_value=0)
        else:
            rows = tnp.broadcast_to(dense, (indices.shape[0], *dense.shape))
        # [nse, *contracted dense axes, *free]: contract these for each stored element.
        axes = ((*inner,), (*range(1, 1 + len(inner)),))
        values = lax.dot_general(
            tnp.astype(data, kind), tnp.astype(rows, kind), (axes, ((0,), (0,)))
        )
        into = tuple([where[axis] for axis in kept])
        if not into:
            inside = tnp.all(indices < np.array(mat.sparse_shape, indices.dtype), -1)
            shaped = tnp.reshape(inside, (-1, *(1 for _ in values.shape[1:])))
            return tnp.sum(tnp.where(shaped, values, tnp.zeros((), kind)), 0, dtype=kind)
        return tnp.zeros((*shape, *values.shape[1:]), kind).at[into].add(values, mode="drop")

    # Batch axes of the sparse array beyond the paired ones see the same dense array.
    function: Any = product
    both = len(outer) if mapped_over else 0
    for _ in range(n - both):
        function = treadle_batching.vmap(function, (0, 0, None))
    found: Array = mapped(function, both)(*whole_batches(mat), dense)
    return found


def _sparse_sparse(
    lhs: BCOO,
    rhs: BCOO,
    contracted: Sequence[int],
    others: Sequence[int],
    outer: Sequence[int],
    other_outer: Sequence[int],
    kind: np.dtype[Any],
) -> BCOO:
    """Multiply every pair of stored elements whose contracted and batch indices agree: each is one of the product."""
    lhs, rhs = with_layout(lhs, 0, 0), with_layout(rhs, 0, 0)
    (data, rows), (other_data, columns_) = whole_batches(lhs), whole_batches(rhs)
    matched, other_matched = [*outer, *contracted], [*other_outer, *others]
    kept = [*outer, *(axis for axis in range(lhs.n_sparse) if axis not in matched)]
    other_kept = [axis for axis in range(rhs.n_sparse) if axis not in other_matched]
    shape = (*(lhs.shape[i] for i in kept), *(rhs.shape[i] for i in other_kept))
    left = rows[:, np.array(matched, int)]
    right = columns_[:, np.array(other_matched, int)]
    inside = tnp.all(left < np.array([lhs.shape[i] for i in matched], left.dtype), -1)
    same = tnp.all(left[:, None] == right[None], -1) & inside[:, None]
    count = lhs.nse * rhs.nse
    values = tnp.astype(data, kind)[:, None] * tnp.astype(other_data, kind)[None]
    values = tnp.where(same, values, tnp.zeros((), kind))
    one = tnp.broadcast_to(rows[:, None, np.array(kept, int)], (lhs.nse, rhs.nse, len(kept)))
    two = tnp.broadcast_to(
        columns_[None, :, np.array(other_kept, int)], (lhs.nse, rhs.nse, len(other_kept))
    )
    indices = tnp.concatenate([one, two], -1)
    indices = tnp.where(same[..., None], indices, np.array(shape, indices.dtype))
    whole = lhs.made(
        tnp.reshape(values, (count,)),
        tnp.reshape(indices, (count, len(shape))),
        sparse_shape=shape,
    )
    return bcoo_sum_duplicates(whole, nse=min(count, math.prod(shape)))


boundaries(__name__)
