"""Batch rules of indexing: a mapped axis is part of the slices if only the operand has it, of the batch of index
vectors if only they have it, and a pair of batching axes if both have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treadle_batching.axis import Axis, Dim, Dims, WithDims
from treadle_batching.moving import at_front, move, with_dim
from treadle_batching.registry import batch_rule
from treadle_batching.rules.contract import past
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.primitives.indexing import (
    DynamicSlice,
    DynamicUpdateSlice,
    Gather,
    Scatter,
    ScatterFamily,
)


def _with(values: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    """The tuple with a value put in."""
    return (*values[:at], value, *values[at:])


@batch_rule(Gather)
def gather_batch(primitive: Gather, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """Slices that are one axis larger, or more index vectors, or batching axes; no operand is moved or repeated."""
    operand, indices = operands
    operand_dim, indices_dim = dims
    collapsed = past(primitive.collapsed_slice_dims, operand_dim)
    batching = past(primitive.operand_batching_dims, operand_dim)
    index_map = past(primitive.start_index_map, operand_dim)
    offsets, sizes = primitive.offset_dims, primitive.slice_sizes
    paired = primitive.start_indices_batching_dims
    if indices_dim is None:
        assert operand_dim is not None
        dropped = collapsed + batching
        rank = type_of(indices).ndim - 1 + len(offsets)
        # among the axes of a slice that stay
        number = sum(other not in dropped for other in range(operand_dim))
        result = offsets[number] if number < len(offsets) else rank
        offsets = _with(past(offsets, result), number, result)
        sizes = _with(sizes, operand_dim, axis.size)
        batched = replace(
            primitive,
            collapsed_slice_dims=collapsed,
            operand_batching_dims=batching,
            start_index_map=index_map,
            offset_dims=offsets,
            slice_sizes=sizes,
        )
        return bind(batched, operand, indices), [result]
    if indices_dim == type_of(indices).ndim - 1:  # behind the index vectors, where it cannot stay
        indices, indices_dim = move(indices, indices_dim, 0), 0
    paired = past(paired, indices_dim)
    rank = type_of(indices).ndim - 2 + len(offsets)
    outside = [place for place in range(rank) if place not in offsets]
    result = outside[indices_dim] if indices_dim < len(outside) else rank
    if operand_dim is not None:
        pairs = sorted([(operand_dim, indices_dim), *zip(batching, paired, strict=True)])
        batching, paired = tuple([pair[0] for pair in pairs]), tuple([pair[1] for pair in pairs])
        sizes = _with(sizes, operand_dim, min(1, axis.size))
    batched = replace(
        primitive,
        collapsed_slice_dims=collapsed,
        operand_batching_dims=batching,
        start_indices_batching_dims=paired,
        start_index_map=index_map,
        offset_dims=past(offsets, result),
        slice_sizes=sizes,
        indices_are_sorted=False,
        unique_indices=primitive.unique_indices and operand_dim is not None,
    )
    return bind(batched, operand, indices), [result]


@batch_rule(ScatterFamily)
def scatter_batch(primitive: ScatterFamily, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """Windows that are one axis larger, or batching axes if the indices have the batch."""
    operand = at_front(operands[0], dims[0], axis)
    updates = at_front(operands[2], dims[2], axis)
    batched = replace(
        primitive,
        update_window_dims=past(primitive.update_window_dims, 0),
        inserted_window_dims=past(primitive.inserted_window_dims, 0),
        scatter_dims_to_operand_dims=past(primitive.scatter_dims_to_operand_dims, 0),
        operand_batching_dims=past(primitive.operand_batching_dims, 0),
    )
    if dims[1] is None:
        batched = replace(batched, update_window_dims=(0, *batched.update_window_dims))
        return bind(batched, operand, operands[1], updates), [0]
    indices = move(operands[1], dims[1], 0)
    batched = replace(
        batched,
        operand_batching_dims=(0, *batched.operand_batching_dims),
        scatter_indices_batching_dims=(0, *past(primitive.scatter_indices_batching_dims, 0)),
        indices_are_sorted=False,
    )
    return bind(batched, operand, indices, updates), [0]


def _starts_for_all(starts: Operands, dims: Dims, place: Dim) -> list[Operand]:
    """Return starts that are the same for all batch elements, with one for the batch at `place`.

    A start that has a batch belongs to a slice that takes the whole axis, so it is 0.
    """
    zero = type_of(starts[0]).dtype.type(0) if starts else np.int32(0)
    fixed = [start if dim is None else zero for start, dim in zip(starts, dims, strict=True)]
    if place is not None:
        fixed.insert(place, zero)
    return fixed


def _vectors(starts: Operands, dims: Dims, axis: Axis) -> Operand:
    """Starts of which some have the batch, as index vectors [batch, starts]."""
    columns = [
        ops.reshape(at_front(start, dim, axis), shape=(axis.size, 1))
        for start, dim in zip(starts, dims, strict=True)
    ]
    return columns[0] if len(columns) == 1 else ops.concatenate(columns, dimension=1)


def _moving(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The axes along which a slice can move: where it takes the whole axis, its start is always clipped to 0."""
    return [axis for axis, (n, size) in enumerate(zip(sizes, shape, strict=True)) if n != size]


@batch_rule(DynamicSlice)
def dynamic_slice_batch(
    primitive: DynamicSlice, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """A slice that is one axis larger; a gather if starts have the batch."""
    operand, *starts = operands
    operand_dim, *start_dims = dims
    shape = list(type_of(operand).shape)
    if operand_dim is not None:
        del shape[operand_dim]
    moving = _moving(primitive.sizes, shape)
    if all([start_dims[i] is None for i in moving]):
        fixed = _starts_for_all(starts, start_dims, operand_dim)
        if operand_dim is None:
            return bind(primitive, operand, *fixed), [None]
        return bind(
            DynamicSlice(_with(primitive.sizes, operand_dim, axis.size)), operand, *fixed
        ), [operand_dim]
    rank = len(shape)
    gathered = Gather(
        offset_dims=tuple(range(1, rank + 1)),
        collapsed_slice_dims=(),
        start_index_map=past(moving, operand_dim),
        slice_sizes=primitive.sizes
        if operand_dim is None
        else _with(primitive.sizes, operand_dim, min(1, axis.size)),
        operand_batching_dims=() if operand_dim is None else (operand_dim,),
        start_indices_batching_dims=() if operand_dim is None else (0,),
        mode="clip",
    )
    indices = _vectors([starts[i] for i in moving], [start_dims[i] for i in moving], axis)
    return bind(gathered, operand, indices), [0]


@batch_rule(DynamicUpdateSlice)
def dynamic_update_slice_batch(
    primitive: DynamicUpdateSlice, axis: Axis, operands: Operands, dims: Dims
) -> WithDims:
    """A slice that is one axis larger; a scatter if starts have the batch."""
    operand, update, *starts = operands
    operand_dim, update_dim, *start_dims = dims
    shape, sizes = list(type_of(operand).shape), list(type_of(update).shape)
    if operand_dim is not None:
        del shape[operand_dim]
    if update_dim is not None:
        del sizes[update_dim]
    moving = _moving(sizes, shape)
    if all([start_dims[i] is None for i in moving]):
        place = operand_dim if operand_dim is not None else update_dim
        fixed = _starts_for_all(starts, start_dims, place)
        if place is None:
            return bind(primitive, operand, update, *fixed), [None]
        operand, update = (
            with_dim(operand, operand_dim, place, axis),
            with_dim(update, update_dim, place, axis),
        )
        return bind(primitive, operand, update, *fixed), [place]
    scattered = Scatter(
        update_window_dims=tuple(range(1, len(shape) + 1)),
        inserted_window_dims=(),
        scatter_dims_to_operand_dims=past(moving, 0),
        operand_batching_dims=(0,),
        scatter_indices_batching_dims=(0,),
        mode="clip",
        unique_indices=True,
    )
    indices = _vectors([starts[i] for i in moving], [start_dims[i] for i in moving], axis)
    return bind(
        scattered, at_front(operand, operand_dim, axis), indices, at_front(update, update_dim, axis)
    ), [0]
