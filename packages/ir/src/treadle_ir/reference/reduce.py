"""NumPy kernels of reductions.

Floats narrower than 32 bits are added and multiplied in f32 and rounded once; NumPy would round at each step.
Integer sums and products wrap around in the operand's own width, where NumPy would widen.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType, greatest, least
from treadle_ir.primitives.reduce import (
    Argmax,
    Argmin,
    ReduceAdd,
    ReduceAnd,
    ReduceMaximum,
    ReduceMinimum,
    ReduceMultiply,
    ReduceOr,
    ReduceXor,
)
from treadle_ir.reference.registry import Elements, eval_rule

_F32 = np.dtype(np.float32)
_I32 = np.dtype(np.int32)
OWN_ACCUMULATOR: Final = (
    "fdilqFD"  # NumPy's letters of types that are their own accumulators, for the shortest test
)


def accumulator(dtype: DType) -> DType:
    """Return the type to add and multiply in: f32 for narrower floats, i32 for 4-bit integers, else the same."""
    if dtypes.is_floating(dtype):
        return _F32 if dtype.itemsize < 4 else dtype
    if dtype.kind not in "biufc":  # NumPy has no arithmetic worth the name on 4-bit integers
        return _I32
    return dtype


@eval_rule(ReduceAdd)
def reduce_add_eval(primitive: ReduceAdd, x: Elements) -> list[Elements]:
    """Return the sum in the accumulator's type."""
    if x.dtype.char in OWN_ACCUMULATOR:
        return [np.asarray(np.add.reduce(x, primitive.axes, x.dtype))]
    wide = accumulator(x.dtype)
    total = (
        np.add.reduce(x, axis=primitive.axes, dtype=wide)
        if wide is x.dtype or wide == x.dtype
        else (np.add.reduce(x.astype(wide), axis=primitive.axes))
    )
    return [np.asarray(total).astype(x.dtype, copy=False)]


@eval_rule(ReduceMultiply)
def reduce_multiply_eval(primitive: ReduceMultiply, x: Elements) -> list[Elements]:
    """Compute NumPy's product in the accumulator's type."""
    wide = accumulator(x.dtype)
    total = np.multiply.reduce(x.astype(wide, copy=False), axis=primitive.axes, dtype=wide)
    return [np.asarray(total).astype(x.dtype, copy=False)]


@eval_rule(ReduceMaximum)
def reduce_maximum_eval(primitive: ReduceMaximum, x: Elements) -> list[Elements]:
    """Compute NumPy's maximum, which propagates NaN."""
    return [_ordered(np.maximum, x, primitive.axes, least(x.dtype))]


@eval_rule(ReduceMinimum)
def reduce_minimum_eval(primitive: ReduceMinimum, x: Elements) -> list[Elements]:
    """Compute NumPy's minimum, which propagates NaN."""
    return [_ordered(np.minimum, x, primitive.axes, greatest(x.dtype))]


def _ordered(
    ufunc: np.ufunc, x: Elements, axes: tuple[int, ...], identity: np.generic[Any]
) -> Elements:
    wide = accumulator(x.dtype)
    result = ufunc.reduce(x.astype(wide, copy=False), axis=axes, initial=identity.astype(wide))
    if x.dtype.kind == "c":
        result = np.where(np.isnan(result), complex(np.nan, np.nan), result)
    return np.asarray(result).astype(x.dtype, copy=False)


@eval_rule(ReduceAnd)
def reduce_and_eval(primitive: ReduceAnd, x: Elements) -> list[Elements]:
    """Compute NumPy's bitwise and."""
    return [_bitwise(np.bitwise_and, x, primitive.axes)]


@eval_rule(ReduceOr)
def reduce_or_eval(primitive: ReduceOr, x: Elements) -> list[Elements]:
    """Compute NumPy's bitwise or."""
    return [_bitwise(np.bitwise_or, x, primitive.axes)]


@eval_rule(ReduceXor)
def reduce_xor_eval(primitive: ReduceXor, x: Elements) -> list[Elements]:
    """Compute NumPy's bitwise exclusive or."""
    return [_bitwise(np.bitwise_xor, x, primitive.axes)]


def _bitwise(ufunc: np.ufunc, x: Elements, axes: tuple[int, ...]) -> Elements:
    wide = accumulator(x.dtype)
    return np.asarray(ufunc.reduce(x.astype(wide, copy=False), axis=axes)).astype(
        x.dtype, copy=False
    )


@eval_rule(Argmax)
def argmax_eval(primitive: Argmax, x: Elements) -> list[Elements]:
    """Compute NumPy's argmax: the first NaN, else the first maximum."""
    wide = accumulator(x.dtype)  # ml_dtypes' own argmax passes over NaN
    return [
        np.asarray(np.argmax(x.astype(wide, copy=False), axis=primitive.axis)).astype(
            primitive.dtype
        )
    ]


@eval_rule(Argmin)
def argmin_eval(primitive: Argmin, x: Elements) -> list[Elements]:
    """Compute NumPy's argmin: the first NaN, else the first minimum."""
    wide = accumulator(x.dtype)
    return [
        np.asarray(np.argmin(x.astype(wide, copy=False), axis=primitive.axis)).astype(
            primitive.dtype
        )
    ]
