"""Elements as integers of the same bits, and back; integers of less than a byte are in its lowest bits."""

from __future__ import annotations

import numpy as np

from treadle_ir.core.dtypes import DType, bit_width, is_narrow_integer, is_unsigned
from treadle_ir.reference.registry import Elements


def unsigned(x: Elements) -> Elements:
    """Return the bits of `x` as NumPy's unsigned integers; narrow integers are the lowest bits of a byte."""
    if is_narrow_integer(x.dtype):
        return np.asarray(x).astype(np.int8).view(np.uint8) & _mask(x.dtype)
    return np.asarray(x).view(f"u{x.dtype.itemsize}")


def signed(x: Elements) -> Elements:
    """Return the bits of `x` as NumPy's signed integers; narrow integers are sign-extended to a byte."""
    if is_narrow_integer(x.dtype):
        return _sign_extended(unsigned(x), 8 - bit_width(x.dtype))
    return np.asarray(x).view(f"i{x.dtype.itemsize}")


def as_type(bits: Elements, dtype: DType) -> Elements:
    """Return the integers `bits` as elements of `dtype`, which has the same width; they wrap around."""
    if is_narrow_integer(dtype):
        low = bits.astype(np.uint8) & _mask(dtype)
        if is_unsigned(dtype):
            return low.astype(dtype)
        return _sign_extended(low, 8 - bit_width(dtype)).astype(dtype)
    return np.asarray(bits).astype(dtype, copy=False)


def _mask(dtype: DType) -> np.uint8:
    return np.uint8((1 << bit_width(dtype)) - 1)


def _sign_extended(low: Elements, by: int) -> Elements:
    return (low << np.uint8(by)).view(np.int8) >> np.int8(by)
