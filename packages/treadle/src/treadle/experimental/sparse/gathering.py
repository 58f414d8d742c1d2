"""Parts of BCOO arrays from computed places, as `gather` has them."""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import mapped, widened
from treadle.experimental.sparse.layouts import bcoo_dynamic_slice, bcoo_squeeze
from treadle.experimental.sparse.structure import bcoo_transpose
from treadle_ir import Array, UnsupportedError
from treadle_ir.errors import boundaries
from treadle_ir.primitives.indexing import Gather
from treadle_ir.tracing import concrete_elements

__all__ = ["gathered"]


def gathered(primitive: Gather, mat: BCOO, indices: Array) -> BCOO:
    """Return one slice for each index vector; where these come first, their axes are batch axes of the result.

    Raises:
        UnsupportedError: a slice may lie outside, and would not be zero there.
    """
    indices = widened(indices)
    batch = indices.shape[:-1]
    starts = _starts(primitive, indices, mat.ndim)
    inside = tnp.all(
        (starts >= 0) & (starts + np.array(primitive.slice_sizes) <= np.array(mat.shape)), -1
    )
    filled = primitive.mode == "fill" and not _all_known_to_hold(inside)
    if filled and primitive.fill_value != 0:
        raise UnsupportedError(
            f"gather from {mat!r}: elements from outside would not be zero, and the indices may name some",
            fix='say `mode="clip"` or `fill_value=0`',
        )
    dropped = (*primitive.collapsed_slice_dims, *primitive.operand_batching_dims)

    def one(start: Array, inside: Array) -> BCOO:
        places: Any = [tnp.maximum(start[axis], 0) for axis in range(mat.ndim)]
        part = bcoo_dynamic_slice(mat, places, primitive.slice_sizes)
        if filled:
            part = part.made(tnp.where(inside, part.data, tnp.zeros((), part.dtype)))
        return bcoo_squeeze(part, dimensions=dropped)

    slices: BCOO = mapped(one, len(batch))(starts, inside)
    outer, inner = iter(range(len(batch))), iter(range(len(batch), slices.ndim))
    order = [next(inner if i in primitive.offset_dims else outer) for i in range(slices.ndim)]
    return slices if order == sorted(order) else bcoo_transpose(slices, permutation=order)


def _starts(primitive: Gather, indices: Array, rank: int) -> Array:
    """Return where each slice starts along each axis of the array: [*batch, rank]."""
    batch = indices.shape[:-1]
    starts = [tnp.zeros(batch, indices.dtype)] * rank
    for place, axis in enumerate(primitive.start_index_map):
        starts[axis] = indices[..., place]
    pairs = zip(primitive.operand_batching_dims, primitive.start_indices_batching_dims, strict=True)
    for axis, along in pairs:
        numbers = tnp.arange(batch[along], dtype=indices.dtype)
        starts[axis] = tnp.moveaxis(
            tnp.broadcast_to(numbers, (*batch[:along], *batch[along + 1 :], batch[along])),
            -1,
            along,
        )
    return tnp.stack(starts, -1)


def _all_known_to_hold(conditions: Array) -> bool:
    known = concrete_elements(conditions)
    return known is not None and bool(known.all())


boundaries(__name__)
