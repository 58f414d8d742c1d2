"""Elements of a byte and less: what XLA's CPU compiler gets wrong in them, or dies of, is computed in wider types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import HloValue, LoweringContext
from treadle_compiler.registry import LoweringRule
from treadle_ir import ArrayType, DType, Elementwise, Primitive, Type
from treadle_ir.core import Conversion, dtypes
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.convert import Copy, ReducePrecision
from treadle_ir.primitives.elementwise import NextAfter, Power
from treadle_ir.primitives.memory import LayoutConstraint, ToMemory
from treadle_ir.primitives.shape import Concatenate, Pad

_F32: Final = np.dtype(np.float32)
_I8: Final = np.dtype(np.int8)
_U8: Final = np.dtype(np.uint8)
_Widen: TypeAlias = Callable[[DType], DType]


def is_small(type: Type) -> bool:
    """Whether arrays of a type have numbers of a byte or less, but for int8 and uint8."""
    return isinstance(type, ArrayType) and type.dtype in dtypes.SMALL


def _at_least_a_byte(dtype: DType) -> DType:
    if dtypes.is_floating(dtype):
        return _F32 if dtype.itemsize == 1 else dtype
    if not dtypes.is_narrow_integer(dtype):
        return dtype
    return _U8 if dtypes.is_unsigned(dtype) else _I8


def _floats(dtype: DType) -> DType:
    return _F32 if dtype.itemsize == 1 and dtypes.is_floating(dtype) else dtype


def _widening(primitive: Primitive) -> _Widen | None:
    """The wider type for each type in which an operation is computed; None where XLA's own way is right.

    * `concatenate` and `pad`: XLA aborts the process over results of no whole number of bytes.
    * `layout_constraint`: XLA's CPU compiler refuses to lay out such arrays anew.
    * Powers of 2-bit integers are wrong.
    * Elementwise functions of floats: formulas of several steps would round at each, and have negative intermediate
      results, which float8_e8m0fnu has not; and small negative results would be NaN, see `emit.convert`.
    """
    if isinstance(primitive, (Concatenate, LayoutConstraint, Pad, Power)):
        return _at_least_a_byte
    moves_bits = isinstance(
        primitive, (Conversion, Copy, NextAfter, ReducePrecision, Select, ToMemory)
    )
    return _floats if isinstance(primitive, Elementwise) and not moves_bits else None


def in_wider_types(
    context: LoweringContext,
    rule: LoweringRule[Any],
    primitive: Primitive,
    operands: Sequence[HloValue],
) -> Sequence[HloValue]:
    """The results of a rule where a result has elements of a byte or less."""
    widen = _widening(primitive)
    if widen is None:
        return rule(context, primitive, *operands)
    type = emit.result_type(context)
    wide = [emit.convert(context, x, widen(x.dtype)) for x in operands]
    context.result_types = (type.with_dtype(widen(type.dtype)),)
    (result,) = rule(context, primitive, *wide)
    context.result_types = (type,)
    return [emit.convert(context, result, type.dtype)]
