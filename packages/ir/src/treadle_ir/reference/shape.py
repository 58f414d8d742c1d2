"""NumPy kernels of the shape family: views where NumPy makes views."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)
from treadle_ir.reference.registry import Elements, eval_rule

WRITTEN: Final = 1 << 12
"""Elements up to which writing every element takes less time than making a view with strides of 0."""


@eval_rule(BroadcastInDim)
def broadcast_in_dim_eval(primitive: BroadcastInDim, x: Elements) -> list[Elements]:
    """Axes of size 1 put in, then broadcast without copying."""
    shape = primitive.shape
    if not x.shape:
        if prod(shape) > WRITTEN:
            return [np.broadcast_to(x, shape)]
        result = np.empty(shape, x.dtype)
        result[...] = x
        return [result]
    aligned = [1] * len(shape)
    for size, dimension in zip(x.shape, primitive.dimensions, strict=True):
        aligned[dimension] = size
    spread = x.reshape(aligned)
    if spread.shape == shape:
        return [spread]
    if prod(shape) > WRITTEN:
        return [np.broadcast_to(spread, shape)]
    result = np.empty(shape, x.dtype)
    result[...] = spread
    return [result]


@eval_rule(Reshape)
def reshape_eval(primitive: Reshape, x: Elements) -> list[Elements]:
    """Compute NumPy's reshape, in row-major order."""
    return [x.reshape(primitive.shape)]


@eval_rule(Transpose)
def transpose_eval(primitive: Transpose, x: Elements) -> list[Elements]:
    """Return a view with the strides permuted."""
    return [x.transpose(primitive.permutation)]


@eval_rule(Reverse)
def reverse_eval(primitive: Reverse, x: Elements) -> list[Elements]:
    """Return a view with negative strides."""
    backwards, forwards = slice(None, None, -1), slice(None)
    return [
        x[
            tuple(
                [backwards if axis in primitive.dimensions else forwards for axis in range(x.ndim)]
            )
        ]
    ]


@eval_rule(Concatenate)
def concatenate_eval(primitive: Concatenate, *operands: Elements) -> list[Elements]:
    """Compute NumPy's concatenate."""
    return [np.concatenate(operands, axis=primitive.dimension)]


def padding_of(
    primitive: Pad, sizes: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[slice, ...], tuple[slice, ...]]:
    """Return the padded shape, which elements stay, and where they are in it.

    Element k of an axis goes to low + k * (interior + 1); those that land outside of the result are dropped.
    """
    shape, sources, targets = [], [], []
    for size, low, high, interior in zip(
        sizes, primitive.low, primitive.high, primitive.interior, strict=True
    ):
        step = interior + 1
        padded = low + size + max(size - 1, 0) * interior + high
        first = max(0, -(low // step))  # the least k with low + k * step >= 0
        last = min(size, -((low - padded) // step))  # the least k with low + k * step >= padded
        count = max(0, last - first)
        shape.append(padded)
        sources.append(slice(first, first + count))
        begin = low + first * step
        targets.append(slice(begin, begin + count * step, step) if count else slice(0, 0))
    return tuple(shape), tuple(sources), tuple(targets)


@eval_rule(Pad)
def pad_eval(primitive: Pad, x: Elements, value: Elements) -> list[Elements]:
    """Return an array of `value` with the elements that stay written into it."""
    shape, sources, targets = padding_of(primitive, x.shape)
    result = np.full(shape, value, x.dtype)
    result[targets] = x[sources]
    return [result]


@eval_rule(Slice)
def slice_eval(primitive: Slice, x: Elements) -> list[Elements]:
    """Return a view of the selected elements."""
    return [x[tuple(map(slice, primitive.start, primitive.limit, primitive.strides))]]
