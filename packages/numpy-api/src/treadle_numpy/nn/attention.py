"""Attention."""

from __future__ import annotations

import numpy as np

from treadle_ir import Array, ShapeError, composed, flags
from treadle_numpy.nn.normalisation import softmax
from treadle_numpy.numpy.contraction.einsums import einsum
from treadle_numpy.numpy.creation.matrices import lower_mask
from treadle_numpy.numpy.searching.choosing import where as where_
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.promote import promote
from treadle_numpy.operands.scalars import literal

__all__ = ["dot_product_attention"]


@composed
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
) -> Array:
    """Attention (Vaswani et al. 2017): softmax of scaled products of queries and keys, times values.

    Shapes:
        query: [*batch, T, N, H]; key, value: [*batch, S, N, H]
        result: as query
    """
    flags("dot_product_attention", is_causal=is_causal)
    q, k, v = [
        array_of(x) for x in promote("dot_product_attention", query, key, value, inexact=True)
    ]
    if min(q.ndim, k.ndim, v.ndim) < 3 or 0 in q.shape[-1:]:
        raise ShapeError(
            f"dot_product_attention: query, key and value have shapes {q.shape}, {k.shape} and {v.shape}, but need "
            "axes for time, heads and features"
        )
    factor = 1.0 / float(np.sqrt(q.shape[-1])) if scale is None else scale
    scores = multiply(einsum("...tnh,...snh->...nts", q, k), factor)
    if bias is not None:
        scores = add(scores, bias)
    if mask is not None:
        scores = array_of(where_(mask, scores, literal(-np.inf, scores)))
    if is_causal:
        causal = lower_mask(q.shape[-3], k.shape[-3], 0)
        scores = array_of(where_(causal, scores, literal(-np.inf, scores)))
    return einsum("...nts,...snh->...tnh", softmax(scores), v)
