"""Positions and elements where a condition holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, ops
from treadle_ir.errors import integer_or_none
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.indexing.positions import result_type
from treadle_numpy.numpy.manipulation.joining import stack
from treadle_numpy.numpy.manipulation.shapes import ravel
from treadle_numpy.numpy.taking import take
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.arrays import array_of, filled, made
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.broadcast import broadcast, broadcast_to_shape
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.scalars import truth
from treadle_numpy.operands.sequences import operand_from
from treadle_numpy.operands.shapes import as_index

__all__ = ["argwhere", "compress", "extract", "flatnonzero", "nonzero"]

FillValues: TypeAlias = ArrayLike | Sequence[ArrayLike] | None
"""What stands where fewer elements were found than asked for: one value, or one for each axis."""


def nonzero(
    a: ArrayLike, *, size: int | None = None, fill_value: FillValues = None
) -> tuple[Array, ...]:
    """Return the positions of the elements that are not zero.

    Args:
        a: an array.
        size: the static number of positions to return; needed while tracing.
        fill_value: the position where there are fewer; one for all axes, or one for each.

    Returns:
        A tuple with a vector of integers for each axis.

    Constraints:
        While tracing, `size` must say how many there are at most; places that are left hold `fill_value` (0).

    Raises:
        ConcretizationError: while tracing, without `size`.
        ArgumentError: `a` has no axes.

    Example:
        >>> print(nonzero(np.array([0, 5, 0, 7]))[0])
        [1 3]
    """
    size = integer_or_none("nonzero", "size", size)
    operand = coerce("nonzero", 0, a)
    shape = operand.shape
    if not shape:
        raise ArgumentError(
            "Calling nonzero on 0d arrays is not allowed.", fix="use atleast_1d(...).nonzero()"
        )
    mask = truth("nonzero", 0, operand)
    whole = result_type("nonzero", max(shape) if size is None else math.prod(shape))
    if size is None:
        elements = concrete_mask("nonzero", mask)
        return tuple([made(part.astype(whole)) for part in np.nonzero(elements)])
    flat = ravel(mask)
    count = as_index("nonzero", "size", size)
    fills = list(fill_value) if isinstance(fill_value, (tuple, list)) else [fill_value] * len(shape)
    if flat.size == 0 or count == 0:
        return tuple([array_of(filled((count,), whole.type(0 if f is None else f))) for f in fills])
    before = ops.cumulative_add(ops.convert(flat, dtype=whole), axis=0, reverse=False)
    # the k-th one is at the number of places that have at most k ones up to them
    total = take(before, np.int32(flat.size - 1), mode="clip")
    tally = ops.scatter_add(
        filled((count,), whole.type(0)),
        ops.reshape(before, shape=(flat.size, 1)),
        filled((flat.size,), whole.type(1)),
        update_window_dims=(),
        inserted_window_dims=(0,),
        scatter_dims_to_operand_dims=(0,),
        mode="fill",
    )
    places = ops.cumulative_add(tally, axis=0, reverse=False)
    left = ops.compare(ops.iota(shape=(count,), dtype=whole, dimension=0), total, direction="ge")
    parts, rest = [], places
    for n in reversed(shape[1:]):  # the quotient and the remainder, with one division
        quotient = ops.divide(rest, whole.type(n))
        parts.append(ops.subtract(rest, ops.multiply(quotient, whole.type(n))))
        rest = quotient
    parts.append(rest)
    results = []
    for part, fill in zip(reversed(parts), fills, strict=True):
        filling = converted(coerce("nonzero", 1, 0 if fill is None else fill), whole)
        results.append(ops.select(*broadcast("nonzero", [left, filling, part])))
    return tuple(results)


def flatnonzero(a: ArrayLike, *, size: int | None = None, fill_value: FillValues = None) -> Array:
    """Return the positions in the flat array of the elements that are not zero.

    Raises:
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> print(flatnonzero(np.array([[0, 5], [0, 7]])))
        [1 3]
    """
    size = integer_or_none("flatnonzero", "size", size)
    return nonzero(ravel(coerce_array("flatnonzero", 0, a)), size=size, fill_value=fill_value)[0]


def argwhere(a: ArrayLike, *, size: int | None = None, fill_value: FillValues = None) -> Array:
    """Return the positions of the elements that are not zero, one row for each.

    Raises:
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> print(argwhere(np.array([[0, 5], [0, 7]])))
        [[0 1]
         [1 1]]
    """
    size = integer_or_none("argwhere", "size", size)
    operand = coerce("argwhere", 0, a)
    if not operand.shape:  # its one element, if that is not zero, has a position of no coordinates
        (places,) = nonzero(ravel(operand), size=size)
        return filled((places.size, 0), places.dtype.type(0))
    return stack(list(nonzero(operand, size=size, fill_value=fill_value)), axis=-1)


def extract(
    condition: ArrayLike,
    arr: ArrayLike,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = 0,
) -> Array:
    """Return the elements of the flat array where a condition holds.

    Raises:
        ArgumentError: it holds where the array has nothing.
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> print(extract(np.array([True, False, True]), np.array([1, 2, 3])))
        [1 3]
    """
    size = integer_or_none("extract", "size", size)
    chosen, x = [ravel(coerce_array("extract", i, v)) for i, v in enumerate((condition, arr))]
    return _selected("extract", chosen, x, 0, size, fill_value)


def compress(
    condition: ArrayLike | Sequence[bool],
    a: ArrayLike,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = 0,
    out: None = None,
) -> Array:
    """Return the parts along an axis at the places where a condition holds.

    Raises:
        AxisError: `a` has no such axis.
        ConcretizationError: while tracing, without `size`.
        UnsupportedError: `out` is given.
        ArgumentError: the condition does not have one axis, or holds where `a` has nothing.

    Example:
        >>> print(compress(np.array([True, False]), np.array([[1, 2], [3, 4]]), axis=0))
        [[1 2]]
    """
    size = integer_or_none("compress", "size", size)
    named_only("compress", out=out)
    mask = operand_from("compress", 0, condition)
    if len(mask.shape) != 1:
        raise ArgumentError(f"compress: the condition must have one axis, got shape {mask.shape}")
    x = coerce_array("compress", 1, a)
    if axis is None:
        x, axis = ravel(x), 0
    along = as_axis("compress", axis, x.ndim)
    return _selected("compress", mask, x, along, size, fill_value)


def _selected(
    function: str,
    mask: Operand,
    x: Array,
    axis: int,
    size: int | None,
    fill_value: ArrayLike | None,
) -> Array:
    """Return the parts of `x` along an axis where a vector, the mask, holds."""
    count = x.shape[axis]
    if size is not None:
        (places,) = nonzero(mask, size=size, fill_value=count)
        return taken(function, x, places, axis, fill_value)
    (places,) = nonzero(mask)
    if mask.shape[0] > count:
        last = max(np.asarray(places), default=-1)
        if last >= count:
            raise ArgumentError(
                f"{function}: the condition holds at place {last}, but there are {count} to choose from"
            )
    return take(x, places, axis, mode="clip")


def taken(function: str, x: Array, places: Array, axis: int, fill_value: ArrayLike | None) -> Array:
    """Return the parts of `x` at places along an axis, and a fill, which may be traced, at places beyond its last."""
    count = x.shape[axis]
    if not isinstance(fill_value, Array) or not count:
        return take(x, places, axis, mode="fill", fill_value=fill_value)  # type: ignore[arg-type]  # a number
    parts = take(x, places, axis, mode="clip")
    inside = ops.compare(places, places.dtype.type(count), direction="lt")
    known = ops.broadcast_in_dim(inside, shape=parts.shape, dimensions=(axis,))
    fill = converted(coerce(function, 2, fill_value), x.dtype)
    return ops.select(known, parts, broadcast_to_shape(fill, parts.shape))
