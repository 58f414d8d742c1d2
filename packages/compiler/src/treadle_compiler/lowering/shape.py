"""Lowering of the shape family: StableHLO has each operation."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import i64_array
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)


@lowering_rule(BroadcastInDim)
def broadcast_in_dim_lowering(
    context: LoweringContext, primitive: BroadcastInDim, x: HloValue
) -> Sequence[HloValue]:
    """One operation."""
    attributes = {"broadcast_dimensions": i64_array(primitive.dimensions)}
    return context.emit("stablehlo.broadcast_in_dim", (x,), context.result_types, attributes)


@lowering_rule(Reshape)
def reshape_lowering(
    context: LoweringContext, primitive: Reshape, x: HloValue
) -> Sequence[HloValue]:
    """One operation."""
    return context.emit("stablehlo.reshape", (x,), context.result_types)


@lowering_rule(Transpose)
def transpose_lowering(
    context: LoweringContext, primitive: Transpose, x: HloValue
) -> Sequence[HloValue]:
    """One operation."""
    attributes = {"permutation": i64_array(primitive.permutation)}
    return context.emit("stablehlo.transpose", (x,), context.result_types, attributes)


@lowering_rule(Reverse)
def reverse_lowering(
    context: LoweringContext, primitive: Reverse, x: HloValue
) -> Sequence[HloValue]:
    """One operation."""
    attributes = {"dimensions": i64_array(primitive.dimensions)}
    return context.emit("stablehlo.reverse", (x,), context.result_types, attributes)


@lowering_rule(Concatenate)
def concatenate_lowering(
    context: LoweringContext, primitive: Concatenate, *operands: HloValue
) -> Sequence[HloValue]:
    """One operation."""
    attributes = {"dimension": f"{primitive.dimension} : i64"}
    return context.emit("stablehlo.concatenate", operands, context.result_types, attributes)


@lowering_rule(Pad)
def pad_lowering(
    context: LoweringContext, primitive: Pad, x: HloValue, value: HloValue
) -> Sequence[HloValue]:
    """One operation."""
    attributes = {
        "edge_padding_low": i64_array(primitive.low),
        "edge_padding_high": i64_array(primitive.high),
        "interior_padding": i64_array(primitive.interior),
    }
    return context.emit("stablehlo.pad", (x, value), context.result_types, attributes)


@lowering_rule(Slice)
def slice_lowering(context: LoweringContext, primitive: Slice, x: HloValue) -> Sequence[HloValue]:
    """One operation."""
    attributes = {
        "start_indices": i64_array(primitive.start),
        "limit_indices": i64_array(primitive.limit),
        "strides": i64_array(primitive.strides),
    }
    return context.emit("stablehlo.slice", (x,), context.result_types, attributes)
