"""Convolutions of sparse arrays with sparse kernels."""

from __future__ import annotations

import math

import numpy as np

import treadle_numpy as tnp
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import columns
from treadle.experimental.sparse.structure import bcoo_sum_duplicates, with_layout
from treadle_ir import Array, ArrayType
from treadle_ir.errors import boundaries
from treadle_ir.primitives.contract import Convolution

__all__ = ["convolved"]


def convolved(primitive: Convolution, x: Array | BCOO, kernel: Array | BCOO) -> BCOO:
    """Each pair of a stored element of both is at most one element of the result, all of whose axes are sparse."""
    x, kernel = _all_sparse(x), _all_sparse(kernel)
    [result] = primitive.infer(*[ArrayType(each.shape, each.dtype) for each in (x, kernel)])
    assert isinstance(result, ArrayType)
    of_x, of_kernel = columns(x.indices), columns(kernel.indices)
    batch, feature, *space = [of_x[axis][:, None] for axis in primitive.lhs_spec]
    output, inputs, *window = [of_kernel[axis][None] for axis in primitive.rhs_spec]
    outputs, features = (kernel.shape[axis] for axis in primitive.rhs_spec[:2])
    sizes = [result.shape[axis] for axis in primitive.out_spec]

    kept = _stored(x)[:, None] & _stored(kernel)[None] & (feature % features == inputs)
    kept &= feature // features == output // (outputs // primitive.feature_group_count)
    kept &= batch // sizes[0] == output // (outputs // primitive.batch_group_count)
    places = [batch % sizes[0] + 0 * output, output + 0 * batch]
    for axis, size in enumerate(sizes[2:]):
        low, _ = primitive.padding[axis]
        place = space[axis] * primitive.lhs_dilation[axis] + low
        place = place - window[axis] * primitive.rhs_dilation[axis]
        step = primitive.strides[axis]
        kept &= (place >= 0) & (place % step == 0) & (place < size * step)
        places.append(place // step)
    rows = [places[primitive.out_spec.index(axis)] for axis in range(len(sizes))]
    indices = tnp.where(kept[..., None], tnp.stack(rows, -1), np.array(result.shape, np.int32))
    values = x.data[:, None].astype(result.dtype) * kernel.data[None].astype(result.dtype)
    count = x.nse * kernel.nse
    whole = BCOO(
        (
            tnp.reshape(tnp.where(kept, values, tnp.zeros((), result.dtype)), (count,)),
            tnp.reshape(indices, (count, len(sizes))),
        ),
        shape=result.shape,
    )
    return bcoo_sum_duplicates(whole, nse=min(count, math.prod(result.shape)))


def _all_sparse(x: Array | BCOO) -> BCOO:
    return with_layout(x if isinstance(x, BCOO) else BCOO.fromdense(x, nse=x.size), 0, 0)


def _stored(x: BCOO) -> Array:
    """Return which elements are not padding."""
    return tnp.all(x.indices < np.array(x.shape, x.indices.dtype), -1)


boundaries(__name__)
