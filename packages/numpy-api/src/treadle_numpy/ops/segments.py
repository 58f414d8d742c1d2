"""Reductions of the rows of an array by segment: rows with one number are combined into the row of that number.

Each is one scatter into an array of the reduction's identity, so that the derivatives and the batching of scatters
are theirs. With buckets, the rows are combined bucket by bucket first, and then the buckets: long sums of floats lose
less so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle_ir import ArgumentError, Array, DTypeError, Operand, ShapeError, ops
from treadle_ir.core import default_dtype
from treadle_ir.core.dtypes import greatest, is_bool, is_inexact, is_integer, least, user_name
from treadle_ir.errors import flags, integer
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.indexing.modes import IndexMode, gather_mode
from treadle_numpy.indexing.positions import index_vectors
from treadle_numpy.indexing.writing import ScatterInstruction
from treadle_numpy.numpy.reductions.extremes import max, min
from treadle_numpy.numpy.reductions.sums import prod, sum
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.coerce import ArrayLike, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import converted

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]


class _Options(NamedTuple):
    """The arguments that all of the functions take besides the data."""

    num_segments: int | None
    indices_are_sorted: bool
    unique_indices: bool
    bucket_size: int | None
    mode: IndexMode


def segment_sum(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: IndexMode = None,
    out_sharding: Device = None,
) -> Array:
    """Return the sum of the rows of each segment; zero for a segment that has none.

    Shapes:
        data: [n, ...]
        segment_ids: [n], integers
        result: [num_segments, ...]

    `num_segments` is one more than the largest number by default, and must be given while tracing. Rows whose number
    is negative or too large are left out, unless `mode` is "clip". `bucket_size` sums so many rows at a time first,
    which is more accurate for long sums of floats. `indices_are_sorted` and `unique_indices` promise what they say.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Raises:
        ArgumentError: the numbers are not integers, or `num_segments` is negative.
        ShapeError: there is not one number for each row.
        DTypeError: the data are booleans.
        ConcretizationError: while tracing, without `num_segments`.

    Example:
        >>> data = np.array([1.0, 2.0, 4.0, 8.0], np.float32)
        >>> print(segment_sum(data, np.array([0, 0, 2, 2]), num_segments=4))
        [ 3.  0. 12.  0.]
    """
    if out_sharding is not None:
        return with_out_sharding(
            segment_sum,
            out_sharding,
            data,
            segment_ids,
            num_segments,
            indices_are_sorted,
            unique_indices,
            bucket_size,
            mode,
        )
    x = _numbers("segment_sum", data)
    options = _Options(num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    identity = x.dtype.type(0)
    parts = _scattered("segment_sum", ops.scatter_add, identity, x, segment_ids, options)
    return parts if bucket_size is None else sum(parts, 0, x.dtype)


def segment_prod(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: IndexMode = None,
    out_sharding: Device = None,
) -> Array:
    """Return the product of the rows of each segment; one for a segment that has none.

    Shapes, options and errors are as for `segment_sum`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> data = np.array([1.0, 2.0, 4.0, 8.0], np.float32)
        >>> print(segment_prod(data, np.array([0, 0, 2, 2]), num_segments=4))
        [ 2.  1. 32.  1.]
    """
    if out_sharding is not None:
        return with_out_sharding(
            segment_prod,
            out_sharding,
            data,
            segment_ids,
            num_segments,
            indices_are_sorted,
            unique_indices,
            bucket_size,
            mode,
        )
    x = _numbers("segment_prod", data)
    options = _Options(num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    identity = x.dtype.type(1)
    parts = _scattered("segment_prod", ops.scatter_multiply, identity, x, segment_ids, options)
    return parts if bucket_size is None else prod(parts, 0, x.dtype)


def segment_max(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: IndexMode = None,
    out_sharding: Device = None,
) -> Array:
    """Return the greatest of the rows of each segment, element by element.

    A segment without rows gets minus infinity, the least integer, or False. Shapes, options and errors are as for
    `segment_sum`, but booleans are accepted; complex numbers are ordered by real part, then by imaginary part.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> data = np.array([1.0, 2.0, 8.0, 4.0], np.float32)
        >>> print(segment_max(data, np.array([0, 0, 2, 2]), num_segments=4))
        [  2. -inf   8. -inf]
    """
    if out_sharding is not None:
        return with_out_sharding(
            segment_max,
            out_sharding,
            data,
            segment_ids,
            num_segments,
            indices_are_sorted,
            unique_indices,
            bucket_size,
            mode,
        )
    x = _ordered("segment_max", data)
    options = _Options(num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    identity = least(x.dtype)
    parts = _scattered("segment_max", ops.scatter_maximum, identity, x, segment_ids, options)
    return parts if bucket_size is None else max(parts, 0, initial=identity)


def segment_min(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: IndexMode = None,
    out_sharding: Device = None,
) -> Array:
    """Return the least of the rows of each segment, element by element.

    A segment without rows gets infinity, the greatest integer, or True. Shapes, options and errors are as for
    `segment_max`.

    `out_sharding` is the sharding of the result over a mesh: see `reshard`.

    Example:
        >>> data = np.array([1.0, 2.0, 8.0, 4.0], np.float32)
        >>> print(segment_min(data, np.array([0, 0, 2, 2]), num_segments=4))
        [ 1. inf  4. inf]
    """
    if out_sharding is not None:
        return with_out_sharding(
            segment_min,
            out_sharding,
            data,
            segment_ids,
            num_segments,
            indices_are_sorted,
            unique_indices,
            bucket_size,
            mode,
        )
    x = _ordered("segment_min", data)
    options = _Options(num_segments, indices_are_sorted, unique_indices, bucket_size, mode)
    identity = greatest(x.dtype)
    parts = _scattered("segment_min", ops.scatter_minimum, identity, x, segment_ids, options)
    return parts if bucket_size is None else min(parts, 0, initial=identity)


def _numbers(function: str, data: ArrayLike) -> Array:
    """Data that can be added and multiplied."""
    x = coerce_array(function, 0, data)
    if is_bool(x.dtype):
        raise DTypeError(
            f"{function}: the data are booleans, which are not added or multiplied",
            fix="convert with .astype(int), or use segment_max for `any` and segment_min for `all`",
        )
    return x


def _ordered(function: str, data: ArrayLike) -> Array:
    """Data that can be compared."""
    x = coerce_array(function, 0, data)
    if not (is_bool(x.dtype) or is_integer(x.dtype) or is_inexact(x.dtype)):
        raise DTypeError(f"{function}: elements of type {user_name(x.dtype)} have no order")
    return x


def _scattered(
    function: str,
    instruction: ScatterInstruction,
    identity: np.generic,
    x: Array,
    segment_ids: ArrayLike,
    options: _Options,
) -> Array:
    """Return the rows combined by segment: [num_segments, ...], or [buckets, num_segments, ...]."""
    flags(
        function,
        indices_are_sorted=options.indices_are_sorted,
        unique_indices=options.unique_indices,
    )
    ids = coerce_array(function, 1, segment_ids)
    if not is_integer(ids.dtype):
        raise ArgumentError(
            f"{function}: segment_ids must be of integer type, got {operand_type(ids)}",
            fix="convert with .astype(int)",
        )
    if ids.shape != x.shape[:1]:
        raise ShapeError(
            f"{function}: segment_ids must have one number for each row of the data, "
            f"got shapes {ids.shape} and {x.shape}",
            fix="flatten numbers and data along the axes that the numbers have",
        )
    if not ids.ndim:
        ids, x = ops.reshape(ids, shape=(1,)), ops.reshape(x, shape=(1,))
    (rows,), rest = ids.shape, x.shape[1:]
    count = _segment_count(function, ids, options.num_segments)
    whole = default_dtype(int)
    vectors: list[Operand] = [converted(ids, whole)]
    outer: tuple[int, ...] = (count,)
    if options.bucket_size is not None:
        size = integer(function, "bucket_size", options.bucket_size)
        if size < 1:
            raise ArgumentError(f"{function}: bucket_size must be 1 or more, got {size}")
        vectors.insert(0, (np.arange(rows) // size).astype(whole))
        outer = (-(-rows // size), count)
    named = tuple(range(len(outer)))
    return instruction(
        filled((*outer, *rest), identity),
        index_vectors(vectors, (rows,)),
        x,
        update_window_dims=tuple(range(1, x.ndim)),
        inserted_window_dims=named,
        scatter_dims_to_operand_dims=named,
        mode=gather_mode(options.mode, "fill"),
        indices_are_sorted=options.indices_are_sorted,
        unique_indices=options.unique_indices,
    )


def _segment_count(function: str, ids: Array, num_segments: int | None) -> int:
    """Return how many segments there are: as given, or one more than the largest number."""
    if num_segments is not None:
        count = integer(function, "num_segments", num_segments)
        if count < 0:
            raise ArgumentError(f"{function}: num_segments must be non-negative, got {count}")
        return count
    numbers = concrete_mask(function, ids, "pass num_segments")
    if not numbers.size:
        raise ArgumentError(
            f"{function}: there are no rows, so their numbers do not say how many segments there are",
            fix="pass num_segments",
        )
    return int(np.maximum(int(numbers.max()) + 1, 0))
