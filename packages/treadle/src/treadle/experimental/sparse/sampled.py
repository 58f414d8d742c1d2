"""Products of dense arrays at the indices of a sparse one."""

from __future__ import annotations

from typing import Any

import treadle_numpy as tnp
from treadle.experimental.sparse.arithmetic import axes_pairs
from treadle.experimental.sparse.conversion import columns, mapped
from treadle_ir import ArgumentError, Array
from treadle_ir.errors import boundaries

__all__ = ["bcoo_dot_general_sampled"]


def bcoo_dot_general_sampled(A: Any, B: Any, indices: Any, *, dimension_numbers: Any) -> Array:  # noqa: N803 - JAX's
    """Return the elements of `lax.dot_general(A, B, dimension_numbers)` at given indices; no others are computed.

    Shapes:
        indices: [*batch, n, free axes of A and B]
        result: [*batch, n]; zero at indices beyond the end

    Raises:
        ArgumentError: the axes or the indices do not go with the arrays.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> x = tnp.arange(6.0).reshape(2, 3)
        >>> at, numbers = tnp.array([[0, 1], [1, 1]]), (([1], [0]), ([], []))
        >>> print(sparse.bcoo_dot_general_sampled(x, x.T, at, dimension_numbers=numbers))
        [14. 50.]
    """
    x, y, at = tnp.asarray(A), tnp.asarray(B), tnp.asarray(indices)
    (left, right), (left_batch, right_batch) = axes_pairs(dimension_numbers)
    free = [
        [axis for axis in range(each.ndim) if axis not in (*contracted, *batch)]
        for each, contracted, batch in ((x, left, left_batch), (y, right, right_batch))
    ]
    rank = len(free[0]) + len(free[1])
    if at.dtype.kind not in "iu" or at.ndim != len(left_batch) + 2 or at.shape[-1] != rank:
        raise ArgumentError(
            f"bcoo_dot_general_sampled: indices of shape {at.shape} are not integers of shape [*batch, n, {rank}]"
        )
    x = tnp.transpose(x, (*left_batch, *free[0], *left))
    y = tnp.transpose(y, (*right_batch, *free[1], *right))
    if x.shape[x.ndim - len(left) :] != y.shape[y.ndim - len(right) :]:
        raise ArgumentError("bcoo_dot_general_sampled: contracted axes have different sizes")

    def taken(whole: Array, places: Array) -> Array:
        inner = whole.shape[places.shape[-1] :]
        if places.shape[-1]:
            whole = whole.at[columns(places)].get(mode="fill", fill_value=0)
        else:
            whole = tnp.broadcast_to(whole, (places.shape[0], *inner))
        return tnp.reshape(whole, (places.shape[0], -1)) if inner else whole[:, None]

    def sampled(x: Array, y: Array, at: Array) -> Array:
        rows, others = at[:, : len(free[0])], at[:, len(free[0]) :]
        return tnp.sum(taken(x, rows) * taken(y, others), -1)

    found: Array = mapped(sampled, len(left_batch))(x, y, at)
    return found


boundaries(__name__)
