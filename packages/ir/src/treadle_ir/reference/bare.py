"""Operations that are one call of NumPy: an evaluator may make it without going through the rule.

A rule looks at the types each time it runs. Here that is done once, and what is left is NumPy's function, closed over
the attributes. The results are the rule's, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e, reduce as r, shape as s
from treadle_ir.primitives.call import StopGradient
from treadle_ir.primitives.compare import Clamp, Compare, Select
from treadle_ir.primitives.convert import BitcastConvert, Convert
from treadle_ir.primitives.indexing import DynamicSlice
from treadle_ir.reference.compare import UFUNCS
from treadle_ir.reference.elementwise import BARE, WIDENING, Kernel, logistic
from treadle_ir.reference.reduce import OWN_ACCUMULATOR
from treadle_ir.reference.shape import WRITTEN
from treadle_ir.types import ArrayType, Type

_FLOATS: Final = (
    "fdFD"  # NumPy's letters of types in which it adds unasked; integers it would widen
)
_INTEGERS: Final = "bhilqBHILQ"
_NATIVE: Final = "?efdFD" + _INTEGERS  # types of NumPy itself

# Any: a primitive's class says what attributes it has.
Maker = Callable[[Any, Sequence[ArrayType], ArrayType], "Kernel | None"]


def bare_kernel(primitive: Primitive, operands: Sequence[Type], result: ArrayType) -> Kernel | None:
    """The NumPy function that gives a primitive's only result, of this type, from its operands; None if none does.

    What it returns may be a NumPy scalar, and a view of an operand where the primitive may alias.
    """
    kind = type(primitive)
    function = BARE.get(kind)
    if function is not None:
        return function
    types = [type for type in operands if isinstance(type, ArrayType)]
    if any([type.dtype.char not in _NATIVE for type in (*types, result)]):
        return None
    function = WIDENING.get(kind)
    if function is not None:
        return function
    maker = _MAKERS.get(kind)
    return None if maker is None else maker(primitive, types, result)


def _add(primitive: r.ReduceAdd, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    add, axes, dtype = np.add.reduce, primitive.axes, result.dtype
    if dtype.char in _FLOATS:
        return lambda x: add(x, axes)  # `partial` would take half as long again
    if dtype.char in OWN_ACCUMULATOR:
        return lambda x: add(x, axes, dtype)
    return None


def _ordered(reduce: Kernel) -> Maker:
    def make(
        primitive: r.ReduceMaximum | r.ReduceMinimum,
        operands: Sequence[ArrayType],
        result: ArrayType,
    ) -> Kernel | None:
        axes = primitive.axes
        if operands[0].size == 0 or result.dtype.char not in "fd" + _INTEGERS:
            return None
        return lambda x: reduce(x, axes)

    return make


def _of_truths(reduce: Kernel) -> Maker:
    def make(
        primitive: r.ReduceAnd | r.ReduceOr, operands: Sequence[ArrayType], result: ArrayType
    ) -> Kernel | None:
        axes = primitive.axes
        return (lambda x: reduce(x, axes)) if result.dtype.char == "?" else None

    return make


def _compare(primitive: Compare, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    return UFUNCS[primitive.direction]


def _floating(function: Kernel) -> Maker:
    def make(
        primitive: Primitive, operands: Sequence[ArrayType], result: ArrayType
    ) -> Kernel | None:
        return function if result.dtype.kind == "f" else None

    return make


def _rsqrt(primitive: e.Rsqrt, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    sqrt, divide, one = np.sqrt, np.divide, np.int8(1)
    return (lambda x: divide(one, sqrt(x))) if result.dtype.char in "fd" else None


def _sign(primitive: e.Sign, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    sign, copysign = np.sign, np.copysign
    return (lambda x: copysign(sign(x), x)) if result.dtype.kind == "f" else None


def _shift_left(primitive: e.ShiftLeft, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    return np.left_shift  # which gives 0 for shifts by the width or more, or by negative numbers


def _shift_right_arithmetic(
    primitive: e.ShiftRightArithmetic, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    return np.right_shift if result.dtype.kind == "i" else None


def _shift_right_logical(
    primitive: e.ShiftRightLogical, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel:
    shift, dtype, bits = np.right_shift, result.dtype, np.dtype(f"u{result.dtype.itemsize}")
    if dtype == bits:
        return shift
    return lambda x, y: shift(x.view(bits), y.view(bits)).view(dtype)


def _clamp(primitive: Clamp, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    minimum, maximum = np.minimum, np.maximum
    return lambda low, x, high: minimum(maximum(x, low), high)


def _logistic(
    primitive: e.Logistic, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    return logistic if result.dtype.char in "fd" else None


def _convert(primitive: Convert, operands: Sequence[ArrayType], result: ArrayType) -> Kernel | None:
    source, target = operands[0].dtype, result.dtype
    if source == target:
        return lambda x: x
    widened = (target.kind == "f" and source.kind in "biuf") or (
        target.kind in "iu" and source.kind in "biu"
    )
    return (lambda x: x.astype(target)) if widened else None


def _bitcast(primitive: BitcastConvert, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    dtype = result.dtype
    return lambda x: x.view(dtype)


def _reshape(primitive: s.Reshape, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    shape = result.shape
    return lambda x: x.reshape(shape)


def _broadcast(
    primitive: s.BroadcastInDim, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel:
    shape, dtype, aligned = result.shape, result.dtype, [1] * len(result.shape)
    for size, dimension in zip(operands[0].shape, primitive.dimensions, strict=True):
        aligned[dimension] = size
    if tuple(aligned) == shape:
        return lambda x: x.reshape(shape)
    if prod(shape) > WRITTEN:
        return lambda x: np.broadcast_to(x.reshape(aligned), shape)
    empty = np.empty

    def written(x: Any) -> Any:
        out = empty(shape, dtype)
        out[...] = x.reshape(aligned)
        return out

    return written


def _slice(primitive: s.Slice, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    place = tuple(map(slice, primitive.start, primitive.limit, primitive.strides))
    return lambda x: x[place]


def _dynamic_slice(
    primitive: DynamicSlice, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    if len(result.shape) != 1:
        return None
    (size,) = result.shape
    last = operands[0].shape[0] - size

    def place(x: Any, start: Any) -> Any:
        first = min(max(int(start), 0), last)
        return x[first : first + size]

    return place


def _transpose(primitive: s.Transpose, operands: Sequence[ArrayType], result: ArrayType) -> Kernel:
    permutation = primitive.permutation
    return lambda x: x.transpose(permutation)


def _concatenate(
    primitive: s.Concatenate, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel:
    concatenate, axis = np.concatenate, primitive.dimension
    return lambda *operands: concatenate(operands, axis)


_MAKERS: Final[Mapping[type[Primitive], Maker]] = {
    BitcastConvert: _bitcast,
    Clamp: _clamp,
    Compare: _compare,
    Convert: _convert,
    DynamicSlice: _dynamic_slice,
    Select: lambda primitive, operands, result: np.where,
    StopGradient: lambda primitive, operands, result: lambda x: x,
    e.Abs: lambda primitive, operands, result: np.abs,
    e.Divide: lambda primitive, operands, result: np.divide if result.dtype.kind in "fc" else None,
    e.Logistic: _logistic,
    e.Power: _floating(np.power),
    e.Remainder: _floating(np.fmod),
    e.Rsqrt: _rsqrt,
    e.ShiftLeft: _shift_left,
    e.ShiftRightArithmetic: _shift_right_arithmetic,
    e.ShiftRightLogical: _shift_right_logical,
    e.Sign: _sign,
    r.ReduceAdd: _add,
    r.ReduceAnd: _of_truths(np.logical_and.reduce),
    r.ReduceMaximum: _ordered(np.maximum.reduce),
    r.ReduceMinimum: _ordered(np.minimum.reduce),
    r.ReduceOr: _of_truths(np.logical_or.reduce),
    s.BroadcastInDim: _broadcast,
    s.Concatenate: _concatenate,
    s.Reshape: _reshape,
    s.Slice: _slice,
    s.Transpose: _transpose,
}
