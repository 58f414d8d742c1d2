"""Lowering of the shape family: StableHLO has each operation."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import axes_text, i64_array
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.core import is_symbolic
from treadle_ir.primitives.shape import (
    BroadcastInDim,
    Concatenate,
    Pad,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)

_I32: Final = np.dtype(np.int32)
_LARGE: Final = 1 << 16  # elements of a result from which it matters how a pad is computed
_MOST: Final = np.iinfo(_I32).max
_SHARE: Final = 100  # elements of a result for each place that is written
_WIDEST: Final = 256  # elements that go to one place, which are not neighbours in memory


@lowering_rule(BroadcastInDim)
def broadcast_in_dim_lowering(
    context: LoweringContext, primitive: BroadcastInDim, x: HloValue
) -> HloValues:
    """One operation."""
    attributes = {"broadcast_dimensions": i64_array(primitive.dimensions)}
    return context.emit("stablehlo.broadcast_in_dim", (x,), context.result_types, attributes)


@lowering_rule(Reshape)
def reshape_lowering(context: LoweringContext, primitive: Reshape, x: HloValue) -> HloValues:
    """One operation."""
    return context.emit("stablehlo.reshape", (x,), context.result_types)


@lowering_rule(Transpose)
def transpose_lowering(context: LoweringContext, primitive: Transpose, x: HloValue) -> HloValues:
    """One operation."""
    attributes = {"permutation": i64_array(primitive.permutation)}
    return context.emit("stablehlo.transpose", (x,), context.result_types, attributes)


@lowering_rule(Reverse)
def reverse_lowering(context: LoweringContext, primitive: Reverse, x: HloValue) -> HloValues:
    """One operation."""
    attributes = {"dimensions": i64_array(primitive.dimensions)}
    return context.emit("stablehlo.reverse", (x,), context.result_types, attributes)


@lowering_rule(Concatenate)
def concatenate_lowering(
    context: LoweringContext, primitive: Concatenate, *operands: HloValue
) -> HloValues:
    """One operation."""
    attributes = {"dimension": f"{primitive.dimension} : i64"}
    return context.emit("stablehlo.concatenate", operands, context.result_types, attributes)


@lowering_rule(Pad)
def pad_lowering(
    context: LoweringContext, primitive: Pad, x: HloValue, value: HloValue
) -> HloValues:
    """One operation."""
    attributes = {
        "edge_padding_low": i64_array(primitive.low),
        "edge_padding_high": i64_array(primitive.high),
        "interior_padding": i64_array(primitive.interior),
    }
    return context.emit("stablehlo.pad", (x, value), context.result_types, attributes)


@lowering_rule(Pad, platform="cpu")
def pad_lowering_on_cpu(
    context: LoweringContext, primitive: Pad, x: HloValue, value: HloValue
) -> HloValues:
    """Few elements that go far apart, as in the derivative of a diagonal, are put into an array of the value.

    XLA's pad asks of every element of the result where it comes from: 300 elements on a diagonal take 195 us, so 53.
    """
    type = emit.result_type(context)
    axis = _spread_axis(primitive, x, type)
    if axis is None:
        return pad_lowering(context, primitive, x, value)
    places = emit.iota(context, (x.shape[axis], 1), _I32, 0)
    step = emit.like(context, places, primitive.interior[axis] + 1)
    places = emit.binary(context, "multiply", places, step)
    places = emit.binary(context, "add", places, emit.like(context, places, primitive.low[axis]))
    scalar = ArrayType((), type.dtype)
    others = [i for i in range(len(type.shape)) if i != axis]
    numbers = (
        f"#stablehlo.scatter<update_window_dims = {axes_text(others)}, inserted_window_dims = [{axis}], "
        f"scatter_dims_to_operand_dims = [{axis}], index_vector_dim = 1>"
    )
    return context.emit(
        "stablehlo.scatter",
        (context.broadcast_scalar(value, type), places, x),
        (type,),
        {
            "scatter_dimension_numbers": numbers,
            "indices_are_sorted": "true",
            "unique_indices": "true",
        },
        (context.region((scalar, scalar), lambda pair: [pair[1]]),),
    )


def _spread_axis(primitive: Pad, x: HloValue, type: ArrayType) -> int | None:
    """The axis along which few elements go far apart, where nothing else is padded or cut off."""
    padded = zip(primitive.low, primitive.high, primitive.interior, strict=True)
    axes = [i for i, amounts in enumerate(padded) if any(amounts)]
    if len(axes) != 1 or is_symbolic(type.shape) or not _LARGE <= type.size <= _MOST:
        return None
    (axis,) = axes
    if min(primitive.low[axis], primitive.high[axis]) < 0 or not primitive.interior[axis]:
        return None
    places, length = x.shape[axis], type.shape[axis]
    few = 0 < places <= type.size // _SHARE and type.size // length <= _WIDEST
    return axis if few else None


@lowering_rule(Slice)
def slice_lowering(context: LoweringContext, primitive: Slice, x: HloValue) -> HloValues:
    """One operation."""
    attributes = {
        "start_indices": i64_array(primitive.start),
        "limit_indices": i64_array(primitive.limit),
        "strides": i64_array(primitive.strides),
    }
    return context.emit("stablehlo.slice", (x,), context.result_types, attributes)
