"""Rules in wider types: for what XLA's CPU compiler gets wrong, or dies of, in elements of less than 16 bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import LoweringRule
from treadle_ir import DType, Primitive, dtypes

_F32: Final = np.dtype(np.float32)
_I8: Final = np.dtype(np.int8)
_U8: Final = np.dtype(np.uint8)


def at_least_a_byte(dtype: DType) -> DType:
    """A type of whole bytes that holds every element of a type."""
    if dtypes.bit_width(dtype) >= 8 or dtypes.is_bool(dtype):
        return dtype
    if dtypes.is_floating(dtype):
        return _F32
    return _U8 if dtypes.is_unsigned(dtype) else _I8


def at_least_half(dtype: DType) -> DType:
    """f32 for floats of a byte or less, in which formulas of several steps lose everything, or have no signs."""
    return _F32 if dtype.itemsize == 1 and dtypes.is_floating(dtype) else dtype


def in_wider_types(
    widen: Callable[[DType], DType],
) -> Callable[[LoweringRule[Any]], LoweringRule[Any]]:
    """Have a rule lower in the types that `widen` gives, and convert the results back.

    The rule gets the operands converted and finds the wide types in `context.result_types`; it has one result.
    """

    def decorate(rule: LoweringRule[Any]) -> LoweringRule[Any]:
        @wraps(rule)
        def widened(
            context: LoweringContext, primitive: Primitive, /, *operands: HloValue
        ) -> Sequence[HloValue]:
            wanted = [widen(x.dtype) for x in operands]
            if all(x.dtype == dtype for x, dtype in zip(operands, wanted, strict=True)):
                return rule(context, primitive, *operands)
            type = emit.result_type(context)
            context.result_types = (type.with_dtype(widen(type.dtype)),)
            wide = [
                emit.convert(context, x, dtype) for x, dtype in zip(operands, wanted, strict=True)
            ]
            (result,) = rule(context, primitive, *wide)
            context.result_types = (type,)
            return [emit.convert(context, result, type.dtype)]

        return widened

    return decorate
