"""Compute in wider types what XLA's CPU compiler gets wrong, or dies of, in elements of a byte and less.

Example:
    >>> from treadle_ir import ArrayType, ops, stage
    >>> from treadle_ir.core import dtypes
    >>> x = ArrayType((2,), dtypes.BY_NAME["f8e5m2"])
    >>> program = widen_narrow_dtypes(stage(lambda x: [ops.exponential(x)], x).program)
    >>> for each in program.equations:
    ...     print(each)
    <equation f32[2] = convert>
    <equation f32[2] = exponential>
    <equation f8e5m2[2] = convert>
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from treadle_compiler.legalise.features import Features
from treadle_compiler.legalise.rewriting import map_equations
from treadle_ir import (
    ArrayType,
    Atom,
    DType,
    Elementwise,
    Equation,
    Primitive,
    Program,
    Type,
    Value,
)
from treadle_ir.core import PURE, Conversion, dtypes
from treadle_ir.primitives.compare import Select
from treadle_ir.primitives.convert import Convert, Copy, ReducePrecision
from treadle_ir.primitives.elementwise import NextAfter, Power
from treadle_ir.primitives.memory import LayoutConstraint, ToMemory
from treadle_ir.primitives.shape import Concatenate, Pad

_F32: Final = np.dtype(np.float32)
_I8: Final = np.dtype(np.int8)
_U8: Final = np.dtype(np.uint8)
_Widen: TypeAlias = Callable[[DType], DType]


def is_narrow(type: Type) -> bool:
    """Return whether arrays of a type have numbers of a byte or less, but for int8 and uint8."""
    return isinstance(type, ArrayType) and type.dtype in dtypes.SMALL


def applies(features: Features) -> bool:
    """Return whether a value has a narrow type."""
    return any(map(is_narrow, features.types))


def widen_narrow_dtypes(program: Program) -> Program:
    """Put conversions around the operations that are computed in wider types."""
    return map_equations(program, lambda _: _widened)


def _at_least_a_byte(dtype: DType) -> DType:
    if dtypes.is_floating(dtype):
        return _F32 if dtype.itemsize == 1 else dtype
    if not dtypes.is_narrow_integer(dtype):
        return dtype
    return _U8 if dtypes.is_unsigned(dtype) else _I8


def _floats(dtype: DType) -> DType:
    return _F32 if dtype.itemsize == 1 and dtypes.is_floating(dtype) else dtype


def _widening(primitive: Primitive) -> _Widen | None:
    """Return the wider type for each type in which an operation is computed; None where XLA's own way is right.

    * `concatenate` and `pad`: XLA aborts the process over results of no whole number of bytes.
    * `layout_constraint`: XLA's CPU compiler refuses to assign other layouts to such arrays.
    * Powers of 2-bit integers are wrong.
    * Elementwise functions of floats: formulas of several steps would round at each, and have negative intermediate
      results, which float8_e8m0fnu cannot represent; and small negative results would be NaN, see `emit.convert`.
    """
    if isinstance(primitive, (Concatenate, LayoutConstraint, Pad, Power)):
        return _at_least_a_byte
    moves_bits = isinstance(
        primitive, (Conversion, Copy, NextAfter, ReducePrecision, Select, ToMemory)
    )
    return _floats if isinstance(primitive, Elementwise) and not moves_bits else None


def _widened(equation: Equation) -> Sequence[Equation] | None:
    if not equation.results or not is_narrow(equation.results[0].type):
        return None
    widen = _widening(equation.primitive)
    if widen is None:
        return None
    made: list[Equation] = []

    def convert(x: Atom, result: Value) -> Value:
        assert isinstance(result.type, ArrayType)
        primitive = Convert(result.type.dtype, result.type.weak)
        made.append(Equation(primitive, (x,), (result,), PURE, equation.source))
        return result

    operands = []
    for x in equation.operands:
        wide = _wide(x.type, widen)
        operands.append(x if wide is x.type else convert(x, Value(wide)))
    (result,) = equation.results
    wide = _wide(result.type, widen)
    computed = result if wide is result.type else Value(wide)
    if computed is result and not made:
        return None
    made.append(equation._replace(operands=tuple(operands), results=(computed,)))
    if computed is not result:
        convert(computed, result)
    return made


def _wide(type: Type, widen: _Widen) -> Type:
    if not isinstance(type, ArrayType):
        return type
    dtype = widen(type.dtype)
    return type if dtype == type.dtype else type.with_dtype(dtype)
