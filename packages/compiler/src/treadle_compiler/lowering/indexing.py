"""Lowering of indexing: StableHLO's gather, scatter, dynamic_slice, dynamic_update_slice.

StableHLO's gather and dynamic_slice clip, and XLA's scatter drops slices that are not inside, so "clip" for a
scatter and "fill" for a gather are written out. One index vector is a dynamic slice: XLA compiles it in a
fraction of the time, and neither loops nor checks for duplicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import axes_text, i64_array
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, DType, Primitive
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import greatest, least
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

_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)

_COMBINE: Final[dict[type[Primitive], str]] = {
    ScatterAdd: "add",
    ScatterMultiply: "multiply",
    ScatterMaximum: "maximum",
    ScatterMinimum: "minimum",
}


def signed_indices(context: LoweringContext, indices: HloValue, sizes: Sequence[int]) -> HloValue:
    """The indices as i32 or i64, wide enough for these sizes; what is out of range stays so."""
    dtype = indices.dtype
    wanted = _I64 if dtype.itemsize == 8 or max(sizes, default=0) > np.iinfo(np.int32).max else _I32
    if dtypes.is_unsigned(dtype) and dtype.itemsize >= wanted.itemsize:
        largest = emit.like(context, indices, np.iinfo(wanted).max)
        indices = emit.binary(context, "minimum", indices, largest)
    return emit.convert(context, indices, wanted)


def _vector(
    context: LoweringContext, values: Sequence[int], shape: tuple[int, ...], dtype: DType
) -> HloValue:
    """A constant along the last axis, broadcast to a shape."""
    small = context.constant(np.asarray(values, dtype), ArrayType((len(values),), dtype))
    return emit.broadcast(context, small, shape, [len(shape) - 1])


def _inside(context: LoweringContext, indices: HloValue, limits: Sequence[int]) -> HloValue:
    """Return whether each index vector is between 0 and the limits: booleans of the shape of the batch."""
    limit = _vector(context, limits, indices.shape, indices.dtype)
    above = emit.compare(context, indices, emit.like(context, indices, 0), "ge")
    below = emit.compare(context, indices, limit, "le")
    both = emit.binary(context, "and", above, below)
    return emit.reduce(context, "and", both, True, [len(indices.shape) - 1])


def _starts(
    context: LoweringContext, indices: HloValue, axes: Sequence[int], rank: int
) -> list[HloValue]:
    """One index vector as the starts of a slice, 0 where it does not say."""
    starts = [emit.scalar(context, 0, indices.dtype)] * rank
    if not axes:
        return starts
    flat = emit.reshape(context, indices, (len(axes),))
    for number, axis in enumerate(axes):
        starts[axis] = emit.reshape(context, emit.slice(context, flat, 0, number, number + 1), ())
    return starts


def _sliced(
    context: LoweringContext, x: HloValue, starts: HloValues, sizes: tuple[int, ...]
) -> HloValue:
    if not x.shape:
        return x
    return emit.dynamic_slice(context, x, starts, sizes)


def _updated(
    context: LoweringContext, x: HloValue, update: HloValue, starts: HloValues
) -> HloValue:
    if not x.shape:
        return update
    return emit.dynamic_update_slice(context, x, update, starts)


def _is_one(indices: HloValue, batching: tuple[int, ...]) -> bool:
    return not batching and all(size == 1 for size in indices.shape[:-1])


@lowering_rule(Gather)
def gather_lowering(
    context: LoweringContext, primitive: Gather, operand: HloValue, indices: HloValue
) -> HloValues:
    """A gather, which clips, and a selection of what to fill in; a dynamic slice for one index vector."""
    type = emit.result_type(context)
    axes, sizes = primitive.start_index_map, primitive.slice_sizes
    indices = signed_indices(context, indices, operand.shape)
    if _is_one(indices, primitive.operand_batching_dims):
        starts = _starts(context, indices, axes, len(operand.shape))
        result = emit.reshape(context, _sliced(context, operand, starts, sizes), type.shape)
    else:
        numbers = (
            f"#stablehlo.gather<offset_dims = {axes_text(primitive.offset_dims)}, "
            f"collapsed_slice_dims = {axes_text(primitive.collapsed_slice_dims)}, "
            f"operand_batching_dims = {axes_text(primitive.operand_batching_dims)}, "
            f"start_indices_batching_dims = {axes_text(primitive.start_indices_batching_dims)}, "
            f"start_index_map = {axes_text(axes)}, index_vector_dim = {len(indices.shape) - 1}>"
        )
        attributes = {
            "dimension_numbers": numbers,
            "slice_sizes": i64_array(sizes),
            "indices_are_sorted": "true" if primitive.indices_are_sorted else "false",
        }
        result = context.one("stablehlo.gather", (operand, indices), type, attributes)
    if primitive.mode != "fill" or not axes:
        return [result]
    valid = _inside(context, indices, [operand.shape[axis] - sizes[axis] for axis in axes])
    batch = [axis for axis in range(len(type.shape)) if axis not in primitive.offset_dims]
    valid = emit.broadcast(context, valid, type.shape, batch)
    return [
        emit.select(context, valid, result, emit.like(context, result, primitive.fill(type.dtype)))
    ]


def _merged(context: LoweringContext, primitive: ScatterFamily, updates: HloValue) -> HloValue:
    """All updates of one place as one: the last, or all combined."""
    batch = [axis for axis in range(len(updates.shape)) if axis not in primitive.update_window_dims]
    if isinstance(primitive, Scatter):
        for axis in batch:
            size = updates.shape[axis]
            updates = emit.slice(context, updates, axis, size - 1, size)
        return emit.reshape(
            context, updates, [n for i, n in enumerate(updates.shape) if i not in batch]
        )
    kind = type(primitive)
    identity: object = 0 if kind is ScatterAdd else 1
    if kind is ScatterMaximum or kind is ScatterMinimum:
        identity = (least if kind is ScatterMaximum else greatest)(updates.dtype)
    return emit.reduce(context, _COMBINE[kind], updates, identity, batch)


@lowering_rule(ScatterFamily)
def scatter_lowering(
    context: LoweringContext,
    primitive: ScatterFamily,
    operand: HloValue,
    indices: HloValue,
    updates: HloValue,
) -> HloValues:
    """A scatter, which drops what is not inside; a dynamic update of a slice for one index vector."""
    axes = primitive.scatter_dims_to_operand_dims
    sizes = primitive.window_sizes(emit.array_type(operand), emit.array_type(updates))
    limits = [operand.shape[axis] - sizes[axis] for axis in axes]
    indices = signed_indices(context, indices, operand.shape)

    def combined(old: HloValue, new: HloValue) -> HloValue:
        if isinstance(primitive, Scatter):
            return new
        return emit.binary(context, _COMBINE[type(primitive)], old, new)

    if not axes and not primitive.operand_batching_dims and 0 not in indices.shape[:-1]:
        # Nothing tells the batch apart; XLA 0.10 fails on such scatters of rank 0.
        updates = _merged(context, primitive, updates)
        indices = emit.reshape(context, indices, (0,))
    if _is_one(indices, primitive.operand_batching_dims):
        starts = _starts(context, indices, axes, len(operand.shape))
        old = _sliced(context, operand, starts, sizes)
        new = combined(old, emit.reshape(context, updates, sizes))
        if primitive.mode == "fill" and axes:
            valid = emit.reshape(context, _inside(context, indices, limits), ())
            new = emit.select(context, emit.broadcast(context, valid, sizes, ()), new, old)
        return [_updated(context, operand, new, starts)]
    if primitive.mode == "clip" and axes:
        low = emit.like(context, indices, 0)
        high = _vector(context, limits, indices.shape, indices.dtype)
        indices = context.one("stablehlo.clamp", (low, indices, high), indices.type)
    scalar = ArrayType((), operand.dtype)
    region = context.region((scalar, scalar), lambda pair: [combined(*pair)])
    numbers = (
        f"#stablehlo.scatter<update_window_dims = {axes_text(primitive.update_window_dims)}, "
        f"inserted_window_dims = {axes_text(primitive.inserted_window_dims)}, "
        f"input_batching_dims = {axes_text(primitive.operand_batching_dims)}, "
        f"scatter_indices_batching_dims = {axes_text(primitive.scatter_indices_batching_dims)}, "
        f"scatter_dims_to_operand_dims = {axes_text(axes)}, index_vector_dim = {len(indices.shape) - 1}>"
    )
    attributes = {
        "scatter_dimension_numbers": numbers,
        "indices_are_sorted": "true" if primitive.indices_are_sorted else "false",
        "unique_indices": "true" if primitive.unique_indices else "false",
    }
    return context.emit(
        "stablehlo.scatter",
        (operand, indices, updates),
        context.result_types,
        attributes,
        (region,),
    )


@lowering_rule(DynamicSlice)
def dynamic_slice_lowering(
    context: LoweringContext, primitive: DynamicSlice, operand: HloValue, *starts: HloValue
) -> HloValues:
    """One operation."""
    signed = [signed_indices(context, start, operand.shape) for start in starts]
    return [_sliced(context, operand, signed, primitive.sizes)]


@lowering_rule(DynamicUpdateSlice)
def dynamic_update_slice_lowering(
    context: LoweringContext,
    primitive: DynamicUpdateSlice,
    operand: HloValue,
    update: HloValue,
    *starts: HloValue,
) -> HloValues:
    """One operation."""
    signed = [signed_indices(context, start, operand.shape) for start in starts]
    return [_updated(context, operand, update, signed)]
