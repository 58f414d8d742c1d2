"""NumPy kernels of contractions: matrix products, and windows times a kernel matrix.

Floats of 16 and 8 bits are multiplied and added in f32 and rounded once, at the end.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from treadle_ir.core.dtypes import DType
from treadle_ir.core.types import ArrayType
from treadle_ir.primitives.contract import (
    Convolution,
    DotGeneral,
    dilated,
    free_axes,
    multiplies_padding,
    window_counts,
)
from treadle_ir.reference.reduce import accumulator
from treadle_ir.reference.registry import Elements, eval_rule


def _working(x: Elements, y: Elements, asked: DType | None) -> tuple[Elements, Elements, DType]:
    """Return the operands in the type to accumulate in, and the type of the result."""
    result = x.dtype if asked is None else asked
    working = accumulator(result)
    if x.dtype is not working:
        x, y = x.astype(working), y.astype(working)
    return x, y, result


@eval_rule(DotGeneral)
def dot_general_eval(primitive: DotGeneral, x: Elements, y: Elements) -> list[Elements]:
    """Multiply by NumPy's matmul, with operands as [batching, free_x, contracted] and [.., contracted, free_y]."""
    x, y, dtype = _working(x, y, primitive.element_type)
    batching, contracting = primitive.batching, primitive.contracting
    if (
        not batching[0] and contracting == ((x.ndim - 1,), (0,)) and y.ndim <= 2
    ):  # the common layouts: x @ y
        result: Elements = np.asarray(np.dot(x, y))
    else:
        result = _dot(x, y, primitive)
    return [result if result.dtype is dtype else result.astype(dtype)]


def _dot(x: Elements, y: Elements, primitive: DotGeneral) -> Elements:
    (batch_x, batch_y), (sum_x, sum_y) = primitive.batching, primitive.contracting
    free_x, free_y = free_axes(x.ndim, batch_x, sum_x), free_axes(y.ndim, batch_y, sum_y)
    batch = tuple([x.shape[i] for i in batch_x])
    kept_x, kept_y = tuple([x.shape[i] for i in free_x]), tuple([y.shape[i] for i in free_y])
    count = 1
    for i in sum_x:
        count *= x.shape[i]
    left = x.transpose(batch_x + free_x + sum_x).reshape((*batch, _product(kept_x), count))
    right = y.transpose(batch_y + sum_y + free_y).reshape((*batch, count, _product(kept_y)))
    product: Elements = np.matmul(left, right)
    return product.reshape(batch + kept_x + kept_y)


def _product(sizes: tuple[int, ...]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def kept(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    padding: tuple[tuple[int, int], ...],
    dilation: tuple[int, ...],
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return slices of the elements that negative padding leaves, and of their places among holes and padding."""
    source, place = [slice(None)] * len(shape), [slice(None)] * len(shape)
    for axis, (low, high), hole in zip(axes, padding, dilation, strict=True):
        size = shape[axis]
        whole = max(low + dilated(size, hole) + high, 0)
        first = -(low // hole) if low < 0 else 0
        last = min(size, (whole - 1 - low) // hole + 1)
        if last <= first:
            source[axis] = place[axis] = slice(0, 0)
        else:
            start = low + first * hole
            source[axis] = slice(first, last)
            place[axis] = slice(start, start + (last - first - 1) * hole + 1, hole)
    return tuple(source), tuple(place)


def spaced(
    x: Elements,
    value: object,
    axes: tuple[int, ...],
    padding: tuple[tuple[int, int], ...],
    dilation: tuple[int, ...],
) -> Elements:
    """Return `x` with holes between neighbours along `axes`, and padded there (cut, where the padding is negative)."""
    if all(pads == (0, 0) for pads in padding) and all(hole == 1 for hole in dilation):
        return x
    shape = list(x.shape)
    for axis, (low, high), hole in zip(axes, padding, dilation, strict=True):
        shape[axis] = max(low + dilated(x.shape[axis], hole) + high, 0)
    source, place = kept(x.shape, axes, padding, dilation)
    result = np.full(shape, value, x.dtype)
    result[place] = x[source]
    return result


def windows(
    x: Elements,
    first_axis: int,
    counts: tuple[int, ...],
    window: tuple[int, ...],
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
) -> Elements:
    """Return a view `[*axes before first_axis, *places, *window]` of an array that has been padded."""
    spatial = x.strides[first_axis:]
    return as_strided(
        x,
        x.shape[:first_axis] + counts + window,
        x.strides[:first_axis]
        + tuple([s * step for s, step in zip(spatial, strides, strict=True)])
        + tuple([s * step for s, step in zip(spatial, dilation, strict=True)]),
        writeable=False,
    )


@eval_rule(Convolution)
def convolution_eval(primitive: Convolution, x: Elements, kernel: Elements) -> list[Elements]:
    """Each place's window as a row, times the kernel as a matrix, group by group."""
    skips = not multiplies_padding(primitive, ArrayType(kernel.shape, kernel.dtype))
    x, kernel, dtype = _working(x, kernel, primitive.element_type)
    x = x.transpose(primitive.lhs_spec)
    kernel = kernel.transpose(primitive.rhs_spec)
    size = kernel.shape[2:]
    counts = window_counts(
        x.shape[2:],
        size,
        primitive.strides,
        primitive.padding,
        primitive.lhs_dilation,
        primitive.rhs_dilation,
    )
    outputs = kernel.shape[0]
    groups, batches = primitive.feature_group_count, primitive.batch_group_count
    batch = x.shape[0] // batches
    result = np.zeros((batch, outputs, *counts), x.dtype)
    if result.size and kernel.size:
        spatial, steps = tuple(range(2, x.ndim)), (primitive.strides, primitive.rhs_dilation)
        there = np.ones((1, 1, *x.shape[2:]), bool)
        x = spaced(x, 0, spatial, primitive.padding, primitive.lhs_dilation)
        view = windows(x, 2, counts, size, *steps)
        exists = None
        if skips and not np.isfinite(kernel).all():
            there = spaced(there, False, spatial, primitive.padding, primitive.lhs_dilation)
            exists = windows(there, 2, counts, size, *steps)
        inputs, share = kernel.shape[1], outputs // (groups * batches)
        places = len(counts)
        for group in range(groups * batches):
            part = (
                view[:, group * inputs : (group + 1) * inputs]
                if batches == 1
                else view[group * batch : (group + 1) * batch]
            )
            matrix = (batch * _product(counts), -1)
            rows = np.moveaxis(part, 1, 1 + places).reshape(matrix)
            own = slice(group * share, (group + 1) * share)
            weights = kernel[own].reshape(share, -1)
            if exists is None:
                product = np.dot(rows, weights.T)
            else:
                held = np.broadcast_to(exists, part.shape)
                product = _of_elements(
                    rows, weights, np.moveaxis(held, 1, 1 + places).reshape(matrix)
                )
            result[:, own] = np.moveaxis(product.reshape(batch, *counts, share), -1, 1)
    result = result.transpose(np.argsort(primitive.out_spec))
    return [result if result.dtype is dtype else result.astype(dtype)]


def _of_elements(rows: Elements, weights: Elements, exists: Elements) -> Elements:
    """Return the product of rows with each of some rows of weights, only of elements: padding times NaN is 0."""
    zero = rows.dtype.type(0)
    sums = [np.where(exists, rows * each, zero).sum(axis=1, dtype=rows.dtype) for each in weights]
    return np.stack(sums, axis=-1)
