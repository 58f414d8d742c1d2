"""Lowering of contractions: StableHLO's dot_general and convolution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.types import axes_text, i64_array, i64_pairs
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, DType
from treadle_ir.core import dtypes
from treadle_ir.primitives.contract import EIGENS_AXES, Convolution, DotGeneral, has_one_feature

_F32: Final = np.dtype(np.float32)
_I32: Final = np.dtype(np.int32)


def _precision(precision: str) -> str:
    one = f"#stablehlo<precision {precision.upper()}>"
    return f"[{one}, {one}]"


def _substitute(dtype: DType) -> DType | None:
    """The element type to compute in where XLA has no products of this one.

    Booleans are counted in f32, which never rounds a positive count to zero.
    """
    if dtypes.is_bool(dtype) or (dtypes.is_floating(dtype) and dtype.itemsize < 2):
        return _F32
    return _I32 if dtypes.is_narrow_integer(dtype) else None


Operation: TypeAlias = Callable[[HloValue, HloValue, ArrayType], HloValue]


def _product(context: LoweringContext, operation: Operation, x: HloValue, y: HloValue) -> HloValues:
    type = emit.result_type(context)
    substitute = _substitute(x.dtype)
    if substitute is None:
        return [operation(x, y, type)]
    operands = emit.convert(context, x, substitute), emit.convert(context, y, substitute)
    result = operation(*operands, ArrayType(type.shape, substitute))
    if dtypes.is_bool(type.dtype):
        return [emit.compare(context, result, emit.like(context, result, 0), "ne")]
    return [emit.convert(context, result, type.dtype)]


@lowering_rule(DotGeneral)
def dot_general_lowering(
    context: LoweringContext, primitive: DotGeneral, x: HloValue, y: HloValue
) -> HloValues:
    """One operation."""
    (batch_x, batch_y), (sum_x, sum_y) = primitive.batching, primitive.contracting
    numbers = (
        f"#stablehlo.dot<lhs_batching_dimensions = {axes_text(batch_x)}, "
        f"rhs_batching_dimensions = {axes_text(batch_y)}, "
        f"lhs_contracting_dimensions = {axes_text(sum_x)}, "
        f"rhs_contracting_dimensions = {axes_text(sum_y)}>"
    )
    attributes = {
        "dot_dimension_numbers": numbers,
        "precision_config": _precision(primitive.precision),
    }

    def operation(x: HloValue, y: HloValue, type: ArrayType) -> HloValue:
        return context.one("stablehlo.dot_general", (x, y), type, attributes)

    return _product(context, operation, x, y)


@lowering_rule(Convolution)
def convolution_lowering(
    context: LoweringContext, primitive: Convolution, x: HloValue, kernel: HloValue
) -> HloValues:
    """One operation; complex numbers by their parts, which is all that XLA has everywhere. Zeros of an empty window."""
    if 0 in [kernel.shape[axis] for axis in primitive.rhs_spec[2:]]:
        return [context.constant(0, emit.result_type(context).strong())]
    if dtypes.is_complex(x.dtype):
        return [_by_parts(context, primitive, x, kernel)]
    return _product(context, partial(_convolved, context, primitive), x, kernel)


def _convolved(
    context: LoweringContext, primitive: Convolution, x: HloValue, kernel: HloValue, type: ArrayType
) -> HloValue:
    if context.platform != "cpu" or not _is_of_one_feature(primitive, kernel, type):
        attributes = _convolution_attributes(primitive)
        return context.one("stablehlo.convolution", (x, kernel), type, attributes)
    more = _BEYOND_EIGEN - len(primitive.strides)
    one, first = (1,) * more, tuple(range(more))

    def moved(spec: tuple[int, ...]) -> tuple[int, ...]:
        batch, feature, *spatial = [axis + more for axis in spec]
        return (batch, feature, *first, *spatial)

    deep = replace(
        primitive,
        strides=(*one, *primitive.strides),
        padding=(*[(0, 0)] * more, *primitive.padding),
        lhs_dilation=(*one, *primitive.lhs_dilation),
        rhs_dilation=(*one, *primitive.rhs_dilation),
        lhs_spec=moved(primitive.lhs_spec),
        rhs_spec=moved(primitive.rhs_spec),
        out_spec=moved(primitive.out_spec),
    )
    operands = [emit.reshape(context, each, (*one, *each.shape)) for each in (x, kernel)]
    result = ArrayType((*one, *type.shape), type.dtype, type.weak)
    attributes = _convolution_attributes(deep)
    deep_result = context.one("stablehlo.convolution", operands, result, attributes)
    return context.one("stablehlo.reshape", (deep_result,), type)


# XLA on the CPU gives convolutions of up to three spatial axes to Eigen, which is made for many features: its own loops
# take a fifth to a thirtieth of the time for one feature (20,000 numbers and 11: 170 of 840 µs).
_BEYOND_EIGEN: Final = EIGENS_AXES + 1


def _is_of_one_feature(primitive: Convolution, kernel: HloValue, type: ArrayType) -> bool:
    """Return whether there is one feature in and one out, in a type that Eigen has, and sizes are known."""
    return (
        0 < len(primitive.padding) <= EIGENS_AXES
        and has_one_feature(primitive, kernel.shape)
        and dtypes.is_floating(kernel.dtype)
        and kernel.dtype.itemsize <= 4
        and all([isinstance(size, int) for size in (*type.shape, *kernel.shape)])
    )


def _convolution_attributes(primitive: Convolution) -> dict[str, str]:
    lhs, rhs, out = primitive.lhs_spec, primitive.rhs_spec, primitive.out_spec
    numbers = (
        f"#stablehlo.conv<raw input_batch_dimension = {lhs[0]}, input_feature_dimension = {lhs[1]}, "
        f"input_spatial_dimensions = {axes_text(lhs[2:])}, kernel_input_feature_dimension = {rhs[1]}, "
        f"kernel_output_feature_dimension = {rhs[0]}, kernel_spatial_dimensions = {axes_text(rhs[2:])}, "
        f"output_batch_dimension = {out[0]}, output_feature_dimension = {out[1]}, "
        f"output_spatial_dimensions = {axes_text(out[2:])}>"
    )
    return {
        "dimension_numbers": numbers,
        "window_strides": i64_array(primitive.strides),
        "padding": i64_pairs(primitive.padding),
        "lhs_dilation": i64_array(primitive.lhs_dilation),
        "rhs_dilation": i64_array(primitive.rhs_dilation),
        "feature_group_count": f"{primitive.feature_group_count} : i64",
        "batch_group_count": f"{primitive.batch_group_count} : i64",
        "precision_config": _precision(primitive.precision),
    }


def _by_parts(
    context: LoweringContext, primitive: Convolution, x: HloValue, kernel: HloValue
) -> HloValue:
    # (a + bi)(c + di) = (ac - bd) + (ad + bc)i
    type = emit.result_type(context)
    part = ArrayType(type.shape, dtypes.real_part(type.dtype))

    def convolved(u: HloValue, v: HloValue) -> HloValue:
        return _convolved(context, primitive, u, v, part)

    a, b, c, d = [
        emit.convert(context, each, part.dtype)
        for each in (*emit.parts(context, x), *emit.parts(context, kernel))
    ]
    real = emit.binary(context, "subtract", convolved(a, c), convolved(b, d))
    imag = emit.binary(context, "add", convolved(a, d), convolved(b, c))
    return context.one("stablehlo.complex", (real, imag), type.strong())
