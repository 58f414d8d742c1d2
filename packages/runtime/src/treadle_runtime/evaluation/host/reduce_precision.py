"""The rounding of float32 to fewer bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.primitives.convert import ReducePrecision
from treadle_runtime.evaluation.host.by_rule import Kernel


def reduce_precision(
    primitive: ReducePrecision, operands: Sequence[ArrayType], result: ArrayType
) -> Kernel | None:
    """Return the kernel for float32, with everything that depends on the format computed in advance; else None."""
    dtype, exponent, mantissa = result.dtype, 8, 23
    if dtype != np.float32 or not 0 <= primitive.mantissa_bits < mantissa:
        return None
    dropped = mantissa - primitive.mantissa_bits
    number = np.dtype(np.uint32)
    one, by, half, stays, all_but_sign = [
        np.array(x, number)
        for x in (1, dropped, (1 << (dropped - 1)) - 1, (1 << 32) - (1 << dropped), 0x7FFFFFFF)
    ]
    bias, reach = (1 << (exponent - 1)) - 1, (1 << (primitive.exponent_bits - 1)) - 1
    narrow = primitive.exponent_bits < exponent
    # The least magnitude that overflows, and the least that stays.
    over = np.array(min(bias + reach + 1, 255) << mantissa, number)
    under = np.array(max(bias - reach + 1, 0) << mantissa, number)
    infinity = np.array(255 << mantissa, number)
    zero = np.array(0, number)

    def rounded(x: Any) -> Any:
        bits = x.view(number)
        magnitude = bits & all_but_sign
        sign = bits ^ magnitude
        magnitude = (magnitude + half + (magnitude >> by & one)) & stays
        if narrow:
            np.putmask(magnitude, magnitude >= over, infinity)
            np.putmask(magnitude, magnitude < under, zero)
        found = (sign | magnitude).view(dtype)
        np.putmask(found, np.isnan(x), x)
        return found

    return rounded if result.shape and result.size else None
