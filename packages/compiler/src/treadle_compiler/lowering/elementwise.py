"""StableHLO of elementwise arithmetic.

Most are one operation of StableHLO, or of CHLO, which jaxlib expands itself. A scalar with arrays is broadcast
here: StableHLO wants operands of one shape.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.decompositions.euclid import greatest_common_divisor_program
from treadle_compiler.lowering.elementwise_complex import function_of
from treadle_compiler.lowering.integer_powers import integer_power
from treadle_compiler.registry import lowering_rule, lowering_rules
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, Primitive
from treadle_ir.core import dtypes
from treadle_ir.primitives import elementwise as e

_F32: Final = np.dtype(np.float32)
_F64: Final = np.dtype(np.float64)
_U8: Final = np.dtype(np.uint8)

# 2^r for |r| <= 1/2, to 2^-27; interpolated at Chebyshev's points.
_EXP2: Final = (
    1.0,
    0.6931472067106199,
    0.2402265121359523,
    0.05550327214209201,
    0.009618025602955837,
    0.0013400432165385696,
    0.00015469731977475548,
)


def _operation(primitive: type[Primitive], op: str) -> None:
    def rule(context: LoweringContext, primitive: Primitive, /, *operands: HloValue) -> HloValues:
        types = context.result_types
        for x in operands:
            if x.type is not types[0]:  # another shape, or only another weak mark
                type = emit.result_type(context)
                return context.emit(
                    op, [context.broadcast_scalar(x, type) for x in operands], types
                )
        return context.emit(op, operands, types)

    lowering_rules.register(primitive, rule)


for _primitive, _row in e.OPERATIONS.items():
    if _row.hlo:
        _operation(_primitive, _row.hlo)


def _extreme(primitive: type[Primitive], op: str) -> None:
    def rule(
        context: LoweringContext, primitive: Primitive, /, x: HloValue, y: HloValue
    ) -> HloValues:
        type = emit.result_type(context)
        x, y = context.broadcast_scalar(x, type), context.broadcast_scalar(y, type)
        return [emit.binary(context, op, x, y)]

    lowering_rules.register(primitive, rule)


_extreme(e.Maximum, "maximum")
_extreme(e.Minimum, "minimum")


@lowering_rule(e.Abs)
def abs_lowering(context: LoweringContext, primitive: e.Abs, x: HloValue) -> HloValues:
    """Of unsigned integers nothing, which StableHLO would refuse."""
    if dtypes.is_unsigned(x.dtype):
        return [x]
    return context.emit("stablehlo.abs", [x], context.result_types)


@lowering_rule(e.Digamma)
def digamma_lowering(context: LoweringContext, primitive: e.Digamma, x: HloValue) -> HloValues:
    """CHLO's, with -inf at 0: XLA has that since jaxlib 0.12, and NaN before."""
    x = context.broadcast_scalar(x, emit.result_type(context))
    value = context.one("chlo.digamma", [x], emit.result_type(context))
    at_zero = emit.compare(context, x, emit.like(context, x, 0.0), "eq")
    return [emit.select(context, at_zero, emit.like(context, x, -math.inf), value)]


@lowering_rule(e.GreatestCommonDivisor)
def greatest_common_divisor_lowering(
    context: LoweringContext, primitive: e.GreatestCommonDivisor, x: HloValue, y: HloValue
) -> HloValues:
    """Euclid's algorithm, until no element goes on."""
    type = emit.result_type(context)
    spread = [context.broadcast_scalar(each, type) for each in (x, y)]
    program = greatest_common_divisor_program(ArrayType(type.shape, type.dtype))
    return context.program(context.legalised(program), *spread)


@lowering_rule(e.Popcnt)
def popcnt_lowering(context: LoweringContext, primitive: e.Popcnt, x: HloValue) -> HloValues:
    """Of integers of less than a byte in a whole one, without the copies of the sign that XLA counts, too."""
    bits = dtypes.bit_width(x.dtype)
    if bits >= 8:
        return context.emit("stablehlo.popcnt", [x], context.result_types)
    byte = emit.convert(context, x, _U8)
    own = emit.binary(context, "and", byte, emit.like(context, byte, (1 << bits) - 1))
    return [emit.convert(context, emit.unary(context, "popcnt", own), x.dtype)]


@lowering_rule(e.Atanh)
def atanh_lowering(context: LoweringContext, primitive: e.Atanh, x: HloValue) -> HloValues:
    """CHLO's; in f64 the sign of x times log1p(2 |x| / (1 - |x|)) / 2, where XLA's difference of logarithms cancels.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 4.6.22.
    """
    if x.dtype != _F64:
        return [function_of(context, primitive, "chlo.atanh", x)]
    size = emit.unary(context, "abs", x)
    rest = emit.binary(context, "subtract", emit.like(context, x, 1.0), size)
    ratio = emit.binary(context, "divide", emit.binary(context, "add", size, size), rest)
    half = emit.binary(
        context, "multiply", emit.like(context, x, 0.5), emit.unary(context, "sign", x)
    )
    return [emit.binary(context, "multiply", half, emit.unary(context, "log_plus_one", ratio))]


@lowering_rule(e.Square)
def square_lowering(context: LoweringContext, primitive: e.Square, x: HloValue) -> HloValues:
    """A product."""
    return context.emit("stablehlo.multiply", [x, x], context.result_types)


@lowering_rule(e.Power)
def power_lowering(
    context: LoweringContext, primitive: e.Power, x: HloValue, y: HloValue
) -> HloValues:
    """StableHLO's; of signed integers with negative exponents 1 and -1 keep their power, all others give 0.

    XLA:CPU of jaxlib 0.10.2 gives 0 for -1, too.
    """
    type = emit.result_type(context)
    x, wide = context.broadcast_scalar(x, type), context.broadcast_scalar(y, type)
    if dtypes.is_complex(type.dtype):  # XLA's powers of 0 are NaN where the exponent is not real
        zero = emit.like(context, x, 0)
        positive = context.one(
            "stablehlo.real", [wide], type.with_dtype(dtypes.real_part(type.dtype))
        )
        positive = emit.compare(context, positive, emit.like(context, positive, 0), "gt")
        vanishes = emit.binary(context, "and", emit.compare(context, x, zero, "eq"), positive)
        power = context.one("stablehlo.power", [x, wide], type)
        return [emit.select(context, vanishes, zero, power)]
    if not dtypes.is_integer(type.dtype):
        return context.emit("stablehlo.power", [x, wide], [type])
    if dtypes.is_unsigned(type.dtype):
        return [integer_power(context, type, x, y)]
    zero, one = emit.like(context, x, 0), emit.like(context, x, 1)
    power = integer_power(
        context, type, x, emit.binary(context, "maximum", y, emit.like(context, y, 0))
    )
    odd = emit.compare(context, emit.binary(context, "and", wide, one), zero, "ne")
    is_unit = emit.compare(context, emit.unary(context, "abs", x), one, "eq")
    inverse = emit.select(context, is_unit, emit.select(context, odd, x, one), zero)
    return [emit.select(context, emit.compare(context, wide, zero, "lt"), inverse, power)]


@lowering_rule(e.IntegerPower)
def integer_power_lowering(
    context: LoweringContext, primitive: e.IntegerPower, x: HloValue
) -> HloValues:
    """Repeated squaring; a negative exponent inverts at the end."""
    type = emit.result_type(context)
    n = abs(primitive.exponent)
    power: HloValue | None = None
    square = x
    while n:
        if n & 1:
            power = (
                square
                if power is None
                else context.one("stablehlo.multiply", [power, square], type)
            )
        n >>= 1
        if n:
            square = context.one("stablehlo.multiply", [square, square], type)
    if power is None:
        return [context.constant(1, type)]
    if primitive.exponent < 0:
        power = context.one("stablehlo.divide", [context.constant(1, type), power], type)
    return [power]


@lowering_rule(e.Exponential2)
def exponential2_lowering(
    context: LoweringContext, primitive: e.Exponential2, x: HloValue
) -> HloValues:
    """2^x = 2^n e^(r log 2) with n the whole number next to x and r the rest; in f32 on the CPU a polynomial of r.

    The product x log 2 alone would carry an error of x units in the last place into the exponential. 2^n is
    made of bits, in two factors, so that results below the least normal number and exponents past the greatest
    are right.
    """
    type = emit.result_type(context)
    if dtypes.is_complex(type.dtype):
        # part by part: the product of complex numbers makes NaN of an infinite part
        parts = emit.parts(context, x)
        log = emit.like(context, parts[0], math.log(2))
        scaled_parts = [emit.binary(context, "multiply", part, log) for part in parts]
        scaled = context.one("stablehlo.complex", scaled_parts, type)
        return [function_of(context, e.Exponential(), "stablehlo.exponential", scaled)]
    wide = type if type.dtype.itemsize >= 4 else type.with_dtype(_F32)
    if wide.dtype != type.dtype:
        x = context.one("stablehlo.convert", [x], wide)
    double = wide.dtype.itemsize == 8
    mantissa, bias, integer = (52, 1023, np.int64) if double else (23, 127, np.int32)
    bits = wide.with_dtype(np.dtype(integer))
    limit = float(2 * bias)
    limits = [context.constant(v, ArrayType((), wide.dtype)) for v in (-limit, limit)]
    kept = context.one("stablehlo.clamp", [limits[0], x, limits[1]], wide)
    whole = context.one("stablehlo.round_nearest_even", [kept], wide)
    rest = context.one("stablehlo.subtract", [kept, whole], wide)
    if double or context.platform != "cpu":
        rest = context.one("stablehlo.multiply", [rest, context.constant(math.log(2), wide)], wide)
        result = context.one("stablehlo.exponential", [rest], wide)
    else:
        result = context.constant(_EXP2[-1], wide)
        for c in reversed(_EXP2[:-1]):
            result = context.one("stablehlo.multiply", [result, rest], wide)
            result = context.one("stablehlo.add", [result, context.constant(c, wide)], wide)
    n = context.one("stablehlo.convert", [whole], bits)
    first = context.one("stablehlo.shift_right_arithmetic", [n, context.constant(1, bits)], bits)
    for half in (first, context.one("stablehlo.subtract", [n, first], bits)):
        biased = context.one("stablehlo.add", [half, context.constant(bias, bits)], bits)
        shifted = context.one(
            "stablehlo.shift_left", [biased, context.constant(mantissa, bits)], bits
        )
        factor = context.one("stablehlo.bitcast_convert", [shifted], wide)
        result = context.one("stablehlo.multiply", [result, factor], wide)
    if wide.dtype != type.dtype:
        result = context.one("stablehlo.convert", [result], type)
    return [result]
