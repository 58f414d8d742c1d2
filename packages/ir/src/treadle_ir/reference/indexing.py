"""NumPy kernels of indexing: index arithmetic, with short cuts for one index vector and for whole rows."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitives.indexing import (
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    Scatter,
    ScatterAdd,
    ScatterFamily,
    ScatterMaximum,
    ScatterMinimum,
    ScatterMultiply,
)
from treadle_ir.reference.registry import Elements, eval_rule

_LARGEST = np.iinfo(np.int64).max


def signed_indices(indices: Elements) -> Elements:
    """Return the indices as i64; those that do not fit are out of range anyhow."""
    if indices.dtype == np.uint64:
        indices = np.minimum(indices, np.uint64(_LARGEST))
    return indices.astype(np.int64)


def _clipped(starts: list[int], limits: list[int]) -> list[int]:
    return [min(max(start, 0), limit) for start, limit in zip(starts, limits, strict=True)]


def _one_slice(
    indices: Elements, axes: tuple[int, ...], shape: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[tuple[slice, ...], bool]:
    """Return the one slice that a single index vector names, clipped, and whether it was in range."""
    starts = [0] * len(shape)
    limits = [size - n for size, n in zip(shape, sizes, strict=True)]
    inside = True
    for axis, start in zip(axes, indices.tolist(), strict=True):
        limit = limits[axis]
        if start < 0:
            start, inside = 0, False
        elif start > limit:
            start, inside = limit, False
        starts[axis] = start
    return tuple([slice(start, start + n) for start, n in zip(starts, sizes, strict=True)]), inside


def _positions(
    indices: Elements,
    axes: tuple[int, ...],
    shape: tuple[int, ...],
    sizes: tuple[int, ...],
    window_dims: tuple[int, ...],
    dropped: tuple[int, ...],
    batching: tuple[tuple[int, ...], tuple[int, ...]],
) -> tuple[list[Elements], Elements]:
    """Return the positions of all elements of all slices for each axis of the operand, and which slices are in range.

    The arrays broadcast to the full shape: slices run over `window_dims`, the batch of the indices over the others.
    """
    vectors = signed_indices(indices)
    batch = vectors.shape[:-1]
    rank = len(batch) + len(window_dims)
    outside = [axis for axis in range(rank) if axis not in window_dims]
    spread = [1] * rank
    for axis, size in zip(outside, batch, strict=True):
        spread[axis] = size
    inside = np.ones(batch, np.bool_)
    offsets: list[Elements] = []
    window = iter(window_dims)
    for axis, n in enumerate(sizes):
        if axis in dropped:
            offsets.append(np.zeros((1,) * rank, np.int64))
        else:
            place = next(window)
            offsets.append(np.arange(n).reshape([n if i == place else 1 for i in range(rank)]))
    for number, axis in enumerate(axes):
        start, limit = vectors[..., number], shape[axis] - sizes[axis]
        inside &= (start >= 0) & (start <= limit)
        offsets[axis] = offsets[axis] + np.clip(start, 0, limit).reshape(spread)
    for axis, place in zip(*batching, strict=True):
        steps = np.arange(shape[axis])
        offsets[axis] = offsets[axis] + steps.reshape(
            [len(steps) if i == outside[place] else 1 for i in range(rank)]
        )
    return offsets, inside.reshape(spread)


def element_positions(
    primitive: Gather | ScatterFamily,
    indices: Elements,
    shape: tuple[int, ...],
    sizes: tuple[int, ...],
) -> tuple[list[Elements], Elements]:
    """Return `_positions` of an operation on an operand of this shape, in slices of these sizes."""
    batching = primitive.operand_batching_dims
    if isinstance(primitive, Gather):
        return _positions(
            indices,
            primitive.start_index_map,
            shape,
            sizes,
            primitive.offset_dims,
            primitive.collapsed_slice_dims + batching,
            (batching, primitive.start_indices_batching_dims),
        )
    return _positions(
        indices,
        primitive.scatter_dims_to_operand_dims,
        shape,
        sizes,
        primitive.update_window_dims,
        primitive.inserted_window_dims + batching,
        (batching, primitive.scatter_indices_batching_dims),
    )


def _whole_slices(
    axes: tuple[int, ...],
    dropped: tuple[int, ...],
    batching: tuple[int, ...],
    window_dims: tuple[int, ...],
    indices: Elements,
    operand: Elements,
    sizes: tuple[int, ...],
) -> bool:
    """Return whether index vectors select complete entries of the leading axes, as NumPy's `operand[i, j]` does."""
    count, batch = len(axes), indices.ndim - 1
    return (
        count > 0
        and not batching
        and dropped == tuple(range(count))
        and (count == 1 or sorted(axes) == list(dropped))
        and axes[-1] < count
        and sizes[count:] == operand.shape[count:]
        and window_dims == tuple(range(batch, batch + operand.ndim - count))
    )


def _leading(
    indices: Elements, axes: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[tuple[Elements, ...], Elements]:
    """Return positions along the leading axes, clipped, and which index vectors were in range."""
    vectors = signed_indices(indices)
    places: list[Elements] = [vectors] * len(axes)
    valid: Elements | None = None
    for number, axis in enumerate(axes):
        place, last = vectors[..., number], shape[axis] - 1
        clipped = np.minimum(np.maximum(place, 0), last)
        inside = clipped == place
        valid = inside if valid is None else valid & inside
        places[axis] = clipped
    assert valid is not None
    return tuple(places), valid


@eval_rule(Gather)
def gather_eval(primitive: Gather, operand: Elements, indices: Elements) -> list[Elements]:
    """Use basic slicing for one index vector, `take` for complete rows, else advanced indexing."""
    axes, sizes, dropped = (
        primitive.start_index_map,
        primitive.slice_sizes,
        primitive.collapsed_slice_dims,
    )
    if indices.ndim == 1:
        where, inside = _one_slice(indices, axes, operand.shape, sizes)
        result = operand[where]
        if dropped:
            result = result.reshape([n for axis, n in enumerate(sizes) if axis not in dropped])
        if not inside and primitive.mode == "fill":
            result = np.full(result.shape, primitive.fill(operand.dtype))
        return [result]
    if _whole_slices(
        axes,
        dropped,
        primitive.operand_batching_dims,
        primitive.offset_dims,
        indices,
        operand,
        sizes,
    ):
        places, valid = _leading(indices, axes, operand.shape)
        result = operand.take(places[0], axis=0) if len(places) == 1 else operand[places]
        if primitive.mode == "fill" and not valid.all():
            result[~valid] = primitive.fill(operand.dtype)
        return [result]
    positions, valid = element_positions(primitive, indices, operand.shape, sizes)
    shape = np.broadcast_shapes(valid.shape, *[position.shape for position in positions])
    result = np.broadcast_to(operand[tuple(positions)], shape)
    if primitive.mode == "fill" and not valid.all():
        result = np.where(valid, result, primitive.fill(operand.dtype))
    return [result]


_UFUNCS = {
    ScatterAdd: np.add,
    ScatterMultiply: np.multiply,
    ScatterMaximum: np.maximum,
    ScatterMinimum: np.minimum,
}


@eval_rule(ScatterFamily)
def scatter_eval(
    primitive: ScatterFamily, operand: Elements, indices: Elements, updates: Elements
) -> list[Elements]:
    """Use basic slicing for one index vector, else apply the updates one by one, in row-major order."""
    if not operand.size:  # nowhere to write, nor to clip to
        return [operand]
    ufunc = None if isinstance(primitive, Scatter) else _UFUNCS[type(primitive)]
    axes, dropped = primitive.scatter_dims_to_operand_dims, primitive.inserted_window_dims
    batching = primitive.operand_batching_dims
    window = iter([updates.shape[i] for i in primitive.update_window_dims])
    sizes = tuple(
        [1 if axis in dropped or axis in batching else next(window) for axis in range(operand.ndim)]
    )
    result = operand.copy()
    if indices.ndim == 1:
        where, inside = _one_slice(indices, axes, operand.shape, sizes)
        if inside or primitive.mode != "fill":
            part = updates.reshape(sizes)
            result[where] = part if ufunc is None else ufunc(result[where], part)
        return [result]
    if _whole_slices(
        axes, dropped, batching, primitive.update_window_dims, indices, operand, sizes
    ):
        places, valid = _leading(indices, axes, operand.shape)
        if primitive.mode == "fill" and not valid.all():
            places = tuple([place[valid] for place in places])
            updates = updates[valid]
        if ufunc is None:
            result[places] = updates
        else:
            ufunc.at(result, places, updates)
        return [result]
    positions, valid = element_positions(primitive, indices, operand.shape, sizes)
    if primitive.mode == "fill" and not valid.all():
        chosen = np.broadcast_to(valid, updates.shape)
        positions = [np.broadcast_to(position, updates.shape)[chosen] for position in positions]
        updates = updates[chosen]
    if positions and not axes:  # nothing tells the batch apart, so nothing broadcasts over it
        positions[0] = np.broadcast_to(positions[0], updates.shape)
    if not positions:  # rank 0: every update goes to the one element
        for update in updates.reshape(-1):
            new = np.asarray(update if ufunc is None else ufunc(result, update))
            result = new.astype(operand.dtype, copy=False)  # NumPy widens 4-bit integers
    elif ufunc is None:
        result[tuple(positions)] = updates
    else:
        ufunc.at(result, tuple(positions), updates)
    return [result]


@eval_rule(DynamicSlice)
def dynamic_slice_eval(
    primitive: DynamicSlice, operand: Elements, *starts: Elements
) -> list[Elements]:
    """Use basic slicing."""
    sizes = primitive.sizes
    limits = [size - n for size, n in zip(operand.shape, sizes, strict=True)]
    clipped = _clipped([int(start) for start in starts], limits)
    return [
        operand[tuple([slice(start, start + n) for start, n in zip(clipped, sizes, strict=True)])]
    ]


@eval_rule(DynamicUpdateSlice)
def dynamic_update_slice_eval(
    primitive: DynamicUpdateSlice, operand: Elements, update: Elements, *starts: Elements
) -> list[Elements]:
    """Use basic slicing on a copy."""
    window = []
    for size, n, start in zip(operand.shape, update.shape, starts, strict=True):
        first = int(start)
        if first > size - n:
            first = size - n
        if first < 0:
            first = 0
        window.append(slice(first, first + n))
    result = operand.copy()
    result[tuple(window)] = update
    return [result]
