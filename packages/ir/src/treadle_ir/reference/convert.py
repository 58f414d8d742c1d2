"""NumPy kernels of element-type conversion."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME, DType, bit_width, is_narrow_integer
from treadle_ir.primitives.convert import BitcastConvert, Convert, Copy, ReducePrecision
from treadle_ir.reference.bits import as_type, unsigned
from treadle_ir.reference.registry import Elements, eval_rule

_EXPONENT_BITS: Final[dict[DType, int]] = {
    BY_NAME[name]: bits
    for name, bits in {
        "f16": 5,
        "bf16": 8,
        "f32": 8,
        "f64": 11,
        "f8e5m2": 5,
        "f8e4m3": 4,
        "f8e3m4": 3,
    }.items()
}


@eval_rule(Convert)
def convert_eval(primitive: Convert, x: Elements) -> list[Elements]:
    """Compute NumPy's cast where it is defined; floats to integers saturate, and NaN becomes 0."""
    target = primitive.dtype
    if x.dtype is target:
        return [x]
    kind, wanted = x.dtype.kind, target.kind  # NumPy's own types first: the kind says enough
    if wanted == "f" and kind in "biuf":
        return [x.astype(target)]
    if wanted in "iu":
        if kind == "f":
            return [saturated(x, target)]
        if kind in "biu":
            return [x.astype(target)]
    if x.dtype == target:
        return [x]
    if dtypes.is_extended(target) or dtypes.is_extended(x.dtype):
        return [_of_physical(_physical(x), target)]
    if dtypes.is_float0(target) or dtypes.is_float0(x.dtype):  # it has no data
        return [np.zeros(x.shape, target)]
    if dtypes.is_bool(target):
        return [np.asarray(x != x.dtype.type(0))]
    if dtypes.is_complex(x.dtype) and not dtypes.is_complex(target):
        x = x.real
    if dtypes.is_integer(target):
        if dtypes.is_floating(x.dtype):
            return [saturated(x, target)]
        return [as_type(x.astype(np.int8) if is_narrow_integer(x.dtype) else x, target)]
    if dtypes.is_complex(target) and x.dtype not in (np.float64, np.complex64, np.complex128):
        return [x.astype(np.float64 if target == np.complex128 else np.float32).astype(target)]
    if (
        x.dtype.itemsize == 1 == target.itemsize
    ):  # ml_dtypes has no cast of some pairs; f32 holds all
        x = x.astype(np.float32)
    return [x.astype(target)]


def converted_elements(x: Elements, dtype: DType) -> Elements:
    """Convert elements of the host to another element type as `convert` does; neither type depends on the context."""
    return convert_eval(Convert(dtype), x)[0]


def _physical(x: Elements) -> Elements:
    """Return the physical representation of elements of an extended dtype; other elements are unchanged."""
    return np.ascontiguousarray(x).view(dtypes.physical_type(x.dtype)[0]).reshape(x.shape)


def _of_physical(x: Elements, target: DType) -> Elements:
    """Return elements of `target` with the representation `x`, which is converted to the physical type first."""
    made, _ = dtypes.physical_type(target)
    (x,) = convert_eval(Convert(made), x)
    return x if made is target else np.ascontiguousarray(x).view(target).reshape(x.shape)


def saturated(x: Elements, target: DType) -> Elements:
    """Convert floats to integers: values out of range saturate, and NaN becomes 0."""
    if (  # all inside, as nearly always: one cast will do; with a NaN the greatest is NaN, not inside
        x.dtype.char in "efd"
        and target.kind == "i"
        and np.maximum.reduce(abs(x), axis=None, initial=0.0) < 2.0 ** (8 * target.itemsize - 1)
    ):
        return x.astype(target)
    bits = bit_width(target)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    if dtypes.is_unsigned(target):
        low, high = 0, (1 << bits) - 1
        if x.dtype.char in "efd" and ((x > -1) & (x < float(high + 1))).all():
            return x.astype(target)
    wide = np.trunc(
        x.astype(np.float64)
    )  # exact, as are the limits: low and high + 1 are powers of two
    inside = (wide >= low) & (wide < float(high + 1))
    middle = np.uint64 if high > 2**63 else np.int64
    limits = np.where(wide < low, np.asarray(low, middle), np.asarray(high, middle))
    limits = np.where(np.isnan(wide), np.asarray(0, middle), limits)
    return np.where(inside, np.where(inside, wide, 0.0).astype(middle), limits).astype(target)


@eval_rule(BitcastConvert)
def bitcast_convert_eval(primitive: BitcastConvert, x: Elements) -> list[Elements]:
    """Return a view; narrow integers, which fill a byte each, wrap around instead."""
    if is_narrow_integer(x.dtype):
        bits = unsigned(x)
    elif is_narrow_integer(primitive.dtype):
        bits = x.view(np.uint8)
    else:
        return [x.view(primitive.dtype)]
    if is_narrow_integer(primitive.dtype):
        return [as_type(bits, primitive.dtype)]
    return [bits.view(primitive.dtype)]


@eval_rule(Copy)
def copy_eval(primitive: Copy, x: Elements) -> list[Elements]:
    """Return a new buffer."""
    return [np.array(x)]


@eval_rule(ReducePrecision)
def reduce_precision_eval(primitive: ReducePrecision, x: Elements) -> list[Elements]:
    """On the bits: round the mantissa to nearest even, then clear what the exponent cannot say.

    Too great becomes infinite, too small a zero; NaN stays.

    Source: StableHLO specification, `reduce_precision`; XLA operation semantics, `ReducePrecision`.
    """
    if x.dtype not in _EXPONENT_BITS:  # it has no infinities to overflow to, or no sign
        wide = reduce_precision_eval(primitive, x.astype(np.float32))[0]
        return [wide.astype(x.dtype)]
    width = bit_width(x.dtype)
    exponent = _EXPONENT_BITS[x.dtype]
    mantissa = width - 1 - exponent
    number = np.dtype(f"u{x.dtype.itemsize}").type
    bits = np.asarray(x).view(number)
    sign = bits & number(1 << (width - 1))
    magnitude = bits & number((1 << (width - 1)) - 1)
    dropped = mantissa - primitive.mantissa_bits
    if dropped > 0:
        last = (magnitude >> number(dropped)) & number(1)
        magnitude = magnitude + number((1 << (dropped - 1)) - 1) + last
        magnitude = (magnitude >> number(dropped)) << number(dropped)
    if primitive.exponent_bits < exponent:
        bias = (1 << (exponent - 1)) - 1
        reach = (1 << (primitive.exponent_bits - 1)) - 1
        field = magnitude >> number(mantissa)
        infinity = number(((1 << exponent) - 1) << mantissa)
        magnitude = np.where(field > number(bias + reach), infinity, magnitude)
        magnitude = np.where(field <= number(bias - reach), number(0), magnitude)
    rounded = np.asarray(sign | magnitude).view(x.dtype)
    return [np.where(np.isnan(x), x, rounded)]
