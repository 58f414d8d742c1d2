"""Powers of integers, by the digits of their exponents."""

from __future__ import annotations

from typing import Final

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.value import HloValue
from treadle_ir import ArrayType
from treadle_ir.core import dtypes

_DIGIT: Final = 6
"""The bits of an exponent that XLA's power of integers looks at, in jaxlib 0.10.2 to 0.12.0: it drops all beyond."""
_SHORT: Final = 16
"""Bits of exponents that are all looked at, whatever they are."""


def integer_power(context: LoweringContext, type: ArrayType, x: HloValue, y: HloValue) -> HloValue:
    """A power of integers whose exponents, of the shape of `x` or a scalar, are not negative.

    Long exponents are few: whether there are any is looked at first.
    """
    wide = context.broadcast_scalar(y, type)
    if dtypes.bit_width(type.dtype) <= _DIGIT:
        return emit.binary(context, "power", x, wide)
    if dtypes.bit_width(type.dtype) <= _SHORT:
        return _by_digits(context, x, wide)
    used = emit.reduce(context, "or", y, 0, range(len(y.shape))) if y.shape else y
    beyond = emit.like(context, used, (1 << _DIGIT) - 1)
    long = emit.compare(context, used, beyond, "gt")
    regions = (
        context.region((), lambda _: [_by_digits(context, x, wide)]),
        context.region((), lambda _: [emit.binary(context, "power", x, wide)]),
    )
    (power,) = context.emit("stablehlo.if", (long,), (type,), None, regions)
    return power


def _by_digits(context: LoweringContext, x: HloValue, y: HloValue) -> HloValue:
    """The product of `x^d`, `(x^64)^d'`, ..., of the digits of the exponent to the base 64, the last ones first."""
    digit = emit.like(context, y, (1 << _DIGIT) - 1)
    result: HloValue | None = None
    for shift in range(0, dtypes.bit_width(x.dtype), _DIGIT):
        if shift:
            for _ in range(_DIGIT):
                x = emit.binary(context, "multiply", x, x)
            y = emit.binary(context, "shift_right_logical", y, emit.like(context, y, _DIGIT))
        power = emit.binary(context, "power", x, emit.binary(context, "and", y, digit))
        result = power if result is None else emit.binary(context, "multiply", result, power)
    assert result is not None
    return result
