"""Attention."""

from __future__ import annotations

import builtins
from typing import Literal, overload

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, ShapeError, UnsupportedError, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, is_bool, is_integer
from treadle_ir.errors import flags, names, shown
from treadle_numpy.nn.normalisation import softmax
from treadle_numpy.numpy.contraction.einsums import einsum
from treadle_numpy.numpy.creation.ranges import arange
from treadle_numpy.numpy.dtypes.limits import finfo
from treadle_numpy.numpy.manipulation.repetition import repeat
from treadle_numpy.numpy.reductions.extremes import max
from treadle_numpy.numpy.reductions.sums import sum
from treadle_numpy.numpy.searching.choosing import where as where_
from treadle_numpy.numpy.ufuncs.arithmetic import add, multiply, subtract
from treadle_numpy.numpy.ufuncs.exponentials import exp
from treadle_numpy.numpy.ufuncs.logic import greater_equal, less, less_equal
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.promote import converted, promote
from treadle_numpy.operands.scalars import literal
from treadle_numpy.operands.shapes import as_index

__all__ = ["dot_product_attention"]

_NAME = "dot_product_attention"
_WINDOW = "sizes of 0 or more: one for both sides, or one for each of left and right"


def _implementation(implementation: str | None) -> None:
    names(_NAME, implementation=implementation)
    if implementation == "cudnn":
        raise UnsupportedError(
            f"{_NAME}: the implementation 'cudnn' is not there: no kernels of cuDNN are called",
            fix="leave it out, or pass implementation='xla'",
        )
    if implementation not in (None, "xla"):
        raise ArgumentError(
            f"{_NAME}: unsupported implementation {shown(implementation)}", fix="pass None or 'xla'"
        )


def _lengths(argument: str, lengths: ArrayLike, batch: tuple[int, ...]) -> Array:
    """Lengths of sequences with axes of size 1 for heads, queries and keys."""
    found = coerce_array(_NAME, 0, lengths)
    if not is_integer(found.dtype):
        raise DTypeError(f"{_NAME}: {argument} must be integers, got {found.dtype}")
    if found.shape != (batch or (1,)):
        raise ShapeError(
            f"{_NAME}: {argument} has shape {found.shape}, but must have the shape of the batch, {batch or (1,)}"
        )
    return ops.reshape(found, shape=(*batch, 1, 1, 1))


def _fitting(argument: str, x: Array, shape: tuple[int, ...]) -> Array:
    """Return a bias or mask without leading axes of size 1 beyond the axes of the scores, to which it broadcasts."""
    extra = builtins.max(x.ndim - len(shape), 0)
    own = x.shape[extra:]
    if x.shape[:extra] != (1,) * extra or any(
        n not in (1, m) for n, m in zip(own[::-1], shape[::-1], strict=False)
    ):
        raise ShapeError(
            f"{_NAME}: the {argument} has shape {x.shape}, which does not broadcast to the scores' shape {shape}, "
            "[*batch, heads, queries, keys]"
        )
    return ops.reshape(x, shape=own) if extra else x


def _window(size: int | tuple[int, int]) -> tuple[int, int]:
    """Return how many positions to the left and to the right a query may look at."""
    sides = size if isinstance(size, (tuple, list)) else (size, size)
    if len(sides) != 2:
        raise ArgumentError(f"{_NAME}: local_window_size must be {_WINDOW}, got {shown(size)}")
    left, right = [as_index(_NAME, "each of local_window_size", side) for side in sides]
    if min(left, right) < 0:
        raise ArgumentError(f"{_NAME}: local_window_size must be {_WINDOW}, got {shown(size)}")
    return left, right


def _checked(query: Array, key: Array, value: Array) -> None:
    """Check that the shapes of queries, keys and values go together."""
    shapes = f"query, key and value have shapes {query.shape}, {key.shape} and {value.shape}"
    if min(query.ndim, key.ndim, value.ndim) < 3 or not query.shape[-1]:
        raise ShapeError(
            f"{_NAME}: {shapes}, but need axes for time, heads and features",
            fix="add axes of size 1; a feature axis of size 0 has no scale",
        )
    batch, features = query.shape[:-3], query.shape[-1]
    if key.shape != value.shape or key.shape[:-3] != batch or key.shape[-1] != features:
        raise ShapeError(
            f"{_NAME}: {shapes}, but must agree in batch and features, keys and values in all axes"
        )
    if not key.shape[-2] or query.shape[-2] % key.shape[-2]:
        raise ShapeError(
            f"{_NAME}: the number of query heads, {query.shape[-2]}, must be a multiple of "
            f"the number of key/value heads, {key.shape[-2]}"
        )


@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: Literal[False] = False,
) -> Array: ...
@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: Literal[True],
) -> tuple[Array, Array]: ...
@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: bool,
) -> Array | tuple[Array, Array]: ...
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
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: bool = False,
) -> Array | tuple[Array, Array]:
    """Attention: for each query, the mean of the values, weighted by a softmax of products of the query and the keys.

    Where there are fewer key and value heads than query heads, successive query heads share one (grouped queries). The
    softmax of types of 16 bits is computed in float32. A query that may look at no key takes the mean of all values.
    Any number of batch axes is accepted, and mixed element types are promoted.

    Shapes:
        query: [*batch, T, N, H]
        key, value: [*batch, S, K, H], where K divides N
        bias, mask: broadcast to [*batch, N, T, S]
        query_seq_lengths, key_value_seq_lengths: [*batch], or [1] without batch axes
        result: as query; with `return_residual` also [*batch, T, N]

    Args:
        query: the queries.
        key: the keys.
        value: the values.
        bias: what is added to the scaled products.
        mask: booleans: where they are false, a query does not look at a key.
        scale: what the products are multiplied by; `1 / sqrt(H)` if None.
        is_causal: whether queries look at keys of their own and earlier positions only.
        query_seq_lengths: how many queries there are; the results of queries beyond are 0.
        key_value_seq_lengths: how many keys there are; keys beyond are ignored.
        local_window_size: how many positions to the left and to the right queries look at.
        implementation: None or 'xla'.
        return_residual: whether the logarithm of the softmax's denominator comes, too.

    Raises:
        ShapeError: the shapes do not go together; DTypeError: a mask that is not boolean, lengths that are not
            integers.
        UnsupportedError: the implementation 'cudnn'.

    Source: Vaswani et al., "Attention is all you need" (2017); Ainslie et al., "GQA" (2023).

    Example:
        >>> import numpy as np
        >>> x = np.ones((5, 2, 4), np.float32)
        >>> dot_product_attention(x, x, x, is_causal=True).shape
        (5, 2, 4)
    """
    flags(_NAME, is_causal=is_causal, return_residual=return_residual)
    _implementation(implementation)
    q, k, v = [array_of(x) for x in promote(_NAME, query, key, value, inexact=True)]
    _checked(q, k, v)
    (*batch, times, heads, features), places = q.shape, k.shape[-3]
    if heads != k.shape[-2]:
        shared = heads // k.shape[-2]
        k, v = repeat(k, shared, axis=-2), repeat(v, shared, axis=-2)
    wide = BY_NAME["f32"] if q.dtype.itemsize < 4 else q.dtype
    factor = 1.0 / float(np.sqrt(features)) if scale is None else scale
    products = einsum("...tnh,...snh->...nts", q, k, preferred_element_type=wide)
    scores = multiply(products, factor)
    if bias is not None:
        scores = add(scores, _fitting("bias", coerce_array(_NAME, 3, bias), scores.shape))
    if mask is not None:
        seen = coerce_array(_NAME, 4, mask)
        if not is_bool(seen.dtype):
            raise DTypeError(
                f"{_NAME}: the mask must be boolean, got {seen.dtype}", fix="pass numbers as `bias`"
            )
        scores = _masked(scores, _fitting("mask", seen, scores.shape))
    here = ops.reshape(arange(times), shape=(times, 1))
    there = arange(places)
    if is_causal:
        scores = _masked(scores, less_equal(there, here))
    if local_window_size is not None:
        left, right = _window(local_window_size)
        inside = ops.and_(
            greater_equal(there, add(here, -left)), less_equal(there, add(here, right))
        )
        scores = _masked(scores, inside)
    if key_value_seq_lengths is not None:
        counts = _lengths("key_value_seq_lengths", key_value_seq_lengths, tuple(batch))
        scores = _masked(scores, less(there, counts))
    chances = array_of(converted(softmax(scores), q.dtype))
    result = einsum("...nts,...snh->...tnh", chances, v)
    if query_seq_lengths is not None:
        counts = _lengths("query_seq_lengths", query_seq_lengths, tuple(batch))
        known = less(ops.reshape(here, shape=(times, 1, 1)), counts)
        result = array_of(where_(known, result, literal(0, result)))
    if not return_residual:
        return result
    top = ops.stop_gradient(max(scores, axis=-1))
    shifted = subtract(scores, ops.reshape(top, shape=(*top.shape, 1)))
    residual = add(top, ops.log(sum(exp(shifted), axis=-1)))
    order = (*range(len(batch)), len(batch) + 1, len(batch))
    return result, array_of(converted(ops.transpose(residual, permutation=order), q.dtype))


def _masked(scores: Array, seen: Array) -> Array:
    """Scores so low that they count for nothing where a key is not seen; finite, so that rows of them give no NaN."""
    return array_of(where_(seen, scores, literal(-0.7 * float(finfo(scores.dtype).max), scores)))
