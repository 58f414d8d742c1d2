"""Lowering of sorting: one sort of plain integers, which XLA recognises, instead of a float comparator.

XLA:CPU calls compiled code for every comparison unless the comparator is one plain `LT`; with one it sorts four
to five times as fast. So elements become integers in the same order. Where several operands move together, the
upper half of an i64 is the key and the lower half its position: that sort is stable by construction, and the
operands are then gathered. Further keys and halves of 64-bit keys take further passes, the least significant
first. Accelerators have radix sorts for the same form.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.registry import lowering_rule
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType
from treadle_ir.core import dtypes
from treadle_ir.primitives.sort import Sort, TopK

_F32: Final = np.dtype(np.float32)
_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)
_U32: Final = np.dtype(np.uint32)


def _plain_sort(context: LoweringContext, x: HloValue, axis: int) -> HloValue:
    element = ArrayType((), x.dtype)
    region = context.region(
        (element, element), lambda xy: [emit.compare(context, xy[0], xy[1], "lt")]
    )
    attributes = {"dimension": f"{axis} : i64", "is_stable": "false"}
    return context.one("stablehlo.sort", (x,), ArrayType(x.shape, x.dtype), attributes, (region,))


def _flipped(context: LoweringContext, x: HloValue) -> HloValue:
    """Negative integers with the other bits inverted: from floats' bits to their order, and back."""
    negative = emit.compare(context, x, emit.like(context, x, 0), "lt")
    mask = emit.like(context, x, np.iinfo(x.dtype).max)
    return emit.select(context, negative, emit.binary(context, "xor", x, mask), x)


def _widened(context: LoweringContext, x: HloValue) -> HloValue:
    """The same numbers in a type of 32 or 64 bits, in which XLA sorts fast."""
    if dtypes.is_floating(x.dtype):
        return emit.convert(context, x, _F32) if x.dtype.itemsize < 4 else x
    if dtypes.is_integer(x.dtype) and x.dtype.itemsize >= 4:
        return x
    return emit.convert(context, x, _I32)


def _plain_bits(context: LoweringContext, x: HloValue, *, zeros_equal: bool) -> HloValue:
    """The bits of floats, with one NaN (positive, above infinity) and, if so asked, one zero.

    Compared as integers: XLA:CPU compares floats with subnormal numbers taken for zero.
    """
    integer = np.dtype(f"i{x.dtype.itemsize}")
    bits = emit.bitcast(context, x, integer)
    magnitude = emit.binary(context, "and", bits, emit.like(context, bits, np.iinfo(integer).max))
    infinity, nan = (
        emit.like(context, bits, np.asarray(value, x.dtype).view(integer)[()])
        for value in (np.inf, np.nan)
    )
    bits = emit.select(context, emit.compare(context, magnitude, infinity, "gt"), nan, bits)
    if zeros_equal:
        zero = emit.like(context, bits, 0)
        bits = emit.select(context, emit.compare(context, magnitude, zero, "eq"), zero, bits)
    return bits


def order_keys(context: LoweringContext, x: HloValue) -> list[HloValue]:
    """i64 values below 2^31 in magnitude, in the order of the elements, most significant first."""
    if dtypes.is_complex(x.dtype):
        real, imag = emit.parts(context, x)
        return [*order_keys(context, real), *order_keys(context, imag)]
    x = _widened(context, x)
    if dtypes.is_floating(x.dtype):
        x = _flipped(context, _plain_bits(context, x, zeros_equal=True))
    if x.dtype == _U32:
        signed = emit.convert(context, x, _I64)
        return [emit.binary(context, "subtract", signed, emit.like(context, signed, 1 << 31))]
    if x.dtype.itemsize == 4:
        return [emit.convert(context, x, _I64)]
    # the sign bit inverted turns the unsigned order into the signed one
    if dtypes.is_unsigned(x.dtype):
        x = emit.bitcast(context, x, _I64)
        x = emit.binary(context, "xor", x, emit.like(context, x, np.iinfo(_I64).min))
    upper = emit.binary(context, "shift_right_arithmetic", x, emit.like(context, x, 32))
    lower = emit.binary(context, "and", x, emit.like(context, x, 0xFFFFFFFF))
    return [upper, emit.binary(context, "subtract", lower, emit.like(context, x, 1 << 31))]


def _ranked(context: LoweringContext, key: HloValue, axis: int) -> HloValue:
    """Positions in the stable order of a key of `order_keys`, as i64."""
    upper = emit.binary(context, "shift_left", key, emit.like(context, key, 32))
    packed = emit.binary(context, "or", upper, emit.iota(context, key.shape, _I64, axis))
    ordered = _plain_sort(context, packed, axis)
    return emit.binary(context, "and", ordered, emit.like(context, ordered, 0xFFFFFFFF))


def _sorted_alone(context: LoweringContext, x: HloValue, axis: int) -> HloValue:
    dtype = x.dtype
    wide = _widened(context, x)
    if not dtypes.is_floating(dtype):
        return emit.convert(context, _plain_sort(context, wide, axis), dtype)
    keys = _flipped(context, _plain_bits(context, wide, zeros_equal=False))
    bits = _flipped(context, _plain_sort(context, keys, axis))
    return emit.convert(context, emit.bitcast(context, bits, wide.dtype), dtype)


@lowering_rule(Sort)
def sort_lowering(context: LoweringContext, primitive: Sort, *operands: HloValue) -> HloValues:
    """One operand: sort it as integers. Several: find the order of the keys, then take the operands in it."""
    shape, axis = operands[0].shape, primitive.dimension
    if 0 in shape or shape[axis] == 1:
        return operands
    if len(operands) == 1 and not dtypes.is_complex(operands[0].dtype):
        return [_sorted_alone(context, operands[0], axis)]
    keys = [key for x in operands[: primitive.num_keys] for key in order_keys(context, x)]
    taker = emit.Taker(context, shape, axis)
    indices = _order(context, keys, axis, taker)
    return [taker.take(x, indices) for x in operands]


def _order(context: LoweringContext, keys: HloValues, axis: int, taker: emit.Taker) -> HloValue:
    """The flat indices of the order of several keys: one stable pass for each, the last key first."""
    indices: HloValue | None = None
    for key in reversed(keys):
        if indices is None:
            indices = taker.flat(_ranked(context, key, axis))
        else:
            ranks = taker.flat(_ranked(context, taker.take(key, indices), axis))
            indices = taker.take(indices, ranks)
    assert indices is not None
    return indices


@lowering_rule(TopK)
def top_k_lowering(context: LoweringContext, primitive: TopK, x: HloValue) -> HloValues:
    """XLA's top_k finds the positions among f32; for other types a sort does.

    It orders by bits, so zeros and NaNs are made alike first, and the values are taken from the operand.
    """
    values, positions = context.result_types
    assert isinstance(values, ArrayType)
    axis = len(x.shape) - 1
    if values.size == 0:
        return [context.constant(0, values), emit.iota(context, values.shape, _I32, axis)]
    taker = emit.Taker(context, x.shape, axis)
    wide = _widened(context, x)
    if wide.dtype == _F32:
        alike = emit.bitcast(context, _plain_bits(context, wide, zeros_equal=True), _F32)
        types = ArrayType(values.shape, _F32), positions
        _, chosen = context.emit("chlo.top_k", (alike,), types, {"k": f"{primitive.k} : i64"})
        return [taker.take(x, taker.flat(chosen)), chosen]
    # ~k is -k - 1, so it is in the opposite order
    inverted = [emit.unary(context, "not", key) for key in order_keys(context, wide)]
    if len(inverted) == 1:
        order = emit.slice(context, _ranked(context, inverted[0], axis), axis, 0, primitive.k)
        chosen = emit.convert(context, order, _I32)
        return [taker.take(x, taker.flat(chosen)), chosen]
    indices = emit.slice(context, _order(context, inverted, axis, taker), axis, 0, primitive.k)
    size = emit.like(context, indices, x.shape[axis])
    chosen = emit.convert(context, emit.binary(context, "remainder", indices, size), _I32)
    return [taker.take(x, indices), chosen]
