"""StableHLO of element-type conversion."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.core import dtypes
from treadle_ir.primitives.convert import BitcastConvert, Convert, Copy, ReducePrecision

_I8: Final = np.dtype(np.int8)


@lowering_rule(Convert)
def convert_lowering(context: LoweringContext, primitive: Convert, x: HloValue) -> HloValues:
    """XLA saturates and takes NaN to 0; booleans and the real part of complex numbers need a word."""
    type = emit.result_type(context)
    if x.dtype == type.dtype:
        return [x]
    if dtypes.is_extended(x.dtype) or dtypes.is_extended(type.dtype):
        return [_of_library(context, primitive, x, type)]
    if dtypes.is_float0(type.dtype) or dtypes.is_float0(x.dtype):  # it has no data
        return [context.constant(0, type)]
    if dtypes.is_bool(type.dtype):
        zero = context.constant(0, ArrayType(type.shape, x.dtype))
        return [emit.compare(context, x, zero, "ne")]
    if dtypes.is_complex(x.dtype) and not dtypes.is_complex(type.dtype):
        part = ArrayType(type.shape, dtypes.real_part(x.dtype))
        x = context.one("stablehlo.real", [x], part)
        if part.dtype == type.dtype:
            return [x]
    if dtypes.is_bool(x.dtype) and dtypes.is_inexact(type.dtype):
        # XLA takes a converted boolean times x for `x if boolean else 0`, and a quotient for a product: 0 / 0 would be
        # 0, and 0 times infinity, too. Of integers it does not.
        x = emit.convert(context, x, _I8)
    return [emit.convert(context, x, type.dtype)]


def _of_library(
    context: LoweringContext, primitive: Convert, x: HloValue, type: ArrayType
) -> HloValue:
    """To or from an element type of a library's: what its elements are made of is converted."""
    given, wanted = [
        ArrayType(type.shape, dtypes.physical_type(dtype)[0]) for dtype in (x.dtype, type.dtype)
    ]
    context.result_types = (wanted,)
    (made,) = convert_lowering(context, primitive, HloValue(x.name, given))
    context.result_types = (type,)
    return HloValue(made.name, type)


@lowering_rule(BitcastConvert)
def bitcast_convert_lowering(
    context: LoweringContext, primitive: BitcastConvert, x: HloValue
) -> HloValues:
    """StableHLO's bitcast_convert."""
    return context.emit("stablehlo.bitcast_convert", [x], context.result_types)


@lowering_rule(ReducePrecision)
def reduce_precision_lowering(
    context: LoweringContext, primitive: ReducePrecision, x: HloValue
) -> HloValues:
    """StableHLO's reduce_precision, of which XLA makes infinities of NaN where no bit of a mantissa is left."""
    bits = {
        "exponent_bits": f"{primitive.exponent_bits} : i32",
        "mantissa_bits": f"{primitive.mantissa_bits} : i32",
    }
    reduced = context.emit("stablehlo.reduce_precision", [x], context.result_types, bits)
    if primitive.mantissa_bits:
        return reduced
    return [emit.select(context, emit.compare(context, x, x, "ne"), x, reduced[0])]


@lowering_rule(Copy)
def copy_lowering(context: LoweringContext, primitive: Copy, x: HloValue) -> HloValues:
    """The value itself: XLA gives every result of a program a buffer of its own."""
    return [x]
