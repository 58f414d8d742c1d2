"""Elementwise functions that XLA's CPU compiler leaves to scalar code, in plain operations that it vectorises.

Only for f32 and arrays of some size: small ones are not worth the longer text. All steps are in float64, where
a polynomial and a reduction in parts are good to 1e-8, and rounded once: results are within one unit in the
last place (tan: 1.4, tried for every f32). The polynomials are Chebyshev and minimax fits of relative error
below 2e-10 (sine: 6e-9).

Before and after, 1e6 elements, jaxlib 0.10.2, two shared cores, CPU time (compiling costs 30 ms before, 35 to
45 after):

    ms       sine  cosine    tan  atan  atan2   cbrt  power
    before   8.01    7.76  12.63  8.64  15.26  11.80   4.20
    after    0.66    0.54   0.79  0.63   0.95   1.23   1.44

Two rules keep XLA's fusion what it is around its own functions:

- It recomputes what it takes for cheap in every consumer, also inside of a broadcast, and never the functions
  replaced here. So each ends in a division by 1 or -1, which puts the sign on: a division is never recomputed.
- For the same reason a division inside must have one user, or a chain of such functions falls apart and each
  part computes all before it again (20 arctangents: 16 ms each, now 2.6).

Every further function takes 6 to 9 ms to compile, and a loop of more than some 4,500 operations is not vectorised
any more (a gradient through 100 sines took 36 ms for each). So a program that has more than `MOST` of them keeps
XLA's, all of them: one program has one algorithm for a function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.decompositions.turns import FAR_ANGLES, TURNS
from treadle_compiler.kept import kept
from treadle_compiler.registry import lowering_rule, lowering_rules
from treadle_compiler.value import HloValue, HloValues
from treadle_ir import ArrayType, Primitive, Program, Type
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.compare import Direction
from treadle_ir.process import frozen

LEAST_SIZE: Final = 4096  # smaller arrays keep XLA's own functions
MOST: Final = 64  # functions written out in one program

_F64: Final = np.dtype(np.float64)
_I32: Final = np.dtype(np.int32)
_I64: Final = np.dtype(np.int64)
_BOOL: Final = np.dtype(np.bool_)

# sin(2 pi t) / t for |t| <= 1/4, in t^2.
_SIN: Final = (
    6.2831852737907745,
    -41.341677478388426,
    81.60223124249518,
    -76.57499217626719,
    39.71091809927748,
)
# atan(z) / z for 0 <= z <= 1, in z^2.
_ATAN: Final = (
    0.9999999995535376,
    -0.33333322488911593,
    0.19999558100363982,
    -0.14278576024807985,
    0.1105077127584966,
    -0.08785043282362845,
    0.06685281517877424,
    -0.04392841073326746,
    0.021912945865448393,
    -0.007030669470424213,
    0.001057607438057242,
)
# log2((1 + s) / (1 - s)) / s for numbers from sqrt(1/2) to sqrt(2), in s^2.
_LOG2: Final = (
    2.885390081777846,
    0.9617966941219199,
    0.5770779396096877,
    0.4122095544082238,
    0.31989243436159814,
    0.28310105034388616,
)
# 2^r for |r| <= 1/2.
_EXP2: Final = (
    1.0,
    0.6931471805459335,
    0.2402265069581299,
    0.05550410941205933,
    0.009618129159402558,
    0.0013333450568000645,
    0.00015403455852453838,
    1.5310079402249296e-05,
    1.3255224878668817e-06,
)
_ROUNDER: Final = 1.5 * 2.0**52  # adding it leaves the nearest whole number in the low bits


@final
@frozen
class Doubles:
    """Float64 arithmetic on values of one shape."""

    context: LoweringContext
    shape: tuple[int, ...]

    def _type(self, dtype: np.dtype[np.generic]) -> ArrayType:
        return ArrayType(self.shape, dtype)

    def number(self, value: float) -> HloValue:
        """A constant."""
        return self.context.constant(value, self._type(_F64))

    def apply(self, op: str, *operands: HloValue) -> HloValue:
        """One operation on floats."""
        return self.context.one(f"stablehlo.{op}", operands, self._type(_F64))

    def integers(self, op: str, x: HloValue, y: int) -> HloValue:
        """One operation on 64-bit integers with a constant."""
        constant = self.context.constant(y, self._type(_I64))
        return self.context.one(f"stablehlo.{op}", [x, constant], self._type(_I64))

    def bits(self, x: HloValue) -> HloValue:
        """A float's bits as an integer."""
        return self.context.one("stablehlo.bitcast_convert", [x], self._type(_I64))

    def from_bits(self, x: HloValue) -> HloValue:
        """A float from its bits."""
        return self.context.one("stablehlo.bitcast_convert", [x], self._type(_F64))

    def compare(self, direction: Direction, x: HloValue, y: HloValue | float) -> HloValue:
        """A comparison."""
        other = y if isinstance(y, HloValue) else self.number(y)
        return emit.compare(self.context, x, other, direction)

    def logic(self, op: str, *conditions: HloValue) -> HloValue:
        """One operation on conditions."""
        return self.context.one(f"stablehlo.{op}", conditions, self._type(_BOOL))

    def select(self, condition: HloValue, x: HloValue, y: HloValue) -> HloValue:
        """One or the other."""
        return self.apply("select", condition, x, y)

    def polynomial(self, coefficients: Sequence[float], x: HloValue) -> HloValue:
        """The polynomial with these coefficients, lowest first."""
        total = self.number(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.apply("add", self.apply("multiply", total, x), self.number(c))
        return total

    def negative(self, x: HloValue) -> HloValue:
        """Return whether the sign bit is set, as it is for -0."""
        zero = self.context.constant(0, self._type(_I64))
        return emit.compare(self.context, self.bits(x), zero, "lt")

    def quotient(self, x: HloValue, y: HloValue) -> HloValue:
        """x / y to a unit and a half in the last place, for several users: a division may have one only."""
        return self.apply("multiply", x, self.apply("divide", self.number(1), y))

    def fraction(self, x: HloValue) -> HloValue:
        """Return how far a number is above the nearest integer, exactly; NaN for infinities."""
        return self.apply("subtract", x, self.apply("round_nearest_even", x))

    def rounded(self, x: HloValue) -> tuple[HloValue, HloValue]:
        """The nearest whole number, as a float and in the low bits of an integer; |x| < 2^51."""
        # Not `x + rounder - rounder`, which XLA takes for x.
        whole = self.apply("round_nearest_even", x)
        return whole, self.bits(self.apply("add", whole, self.number(_ROUNDER)))


Kernel: TypeAlias = Callable[..., tuple[HloValue, HloValue]]
"""From float64 operands to the result's magnitude and whether it is negative."""


def _turns(d: Doubles, x: HloValue) -> HloValue:
    """The angle x >= 0 in turns, from -1/2 to 1/2, to 2^-54: at least 2^-19 of the result, whatever x is.

    Source: M. Payne and R. Hanek, "Radian reduction for trigonometric functions", SIGNUM 18 (1983), in floats.
    """
    far, farther = (d.compare("ge", x, limit) for limit in FAR_ANGLES)
    products = []
    for near, middle, last in zip(*TURNS, strict=True):
        part = d.select(far, d.number(middle), d.number(near))
        products.append(d.apply("multiply", x, d.select(farther, d.number(last), part)))
    first, second, third = products
    rest = d.apply("add", d.fraction(second), third)
    return d.fraction(d.apply("add", d.fraction(first), rest))


def _sine_of_turns(d: Doubles, t: HloValue) -> HloValue:
    """sin(2 pi t) for 0 <= t <= 1/4."""
    return d.apply("multiply", t, d.polynomial(_SIN, d.apply("multiply", t, t)))


def _folded(d: Doubles, t: HloValue) -> HloValue:
    """The angle below a quarter that has the same sine, for 0 <= t <= 1/2."""
    other = d.apply("subtract", d.number(0.5), t)
    return d.select(d.compare("gt", t, 0.25), other, t)


def _sine(d: Doubles, x: HloValue) -> tuple[HloValue, HloValue]:
    turns = _turns(d, d.apply("abs", x))
    negative = d.logic("xor", d.compare("lt", turns, 0), d.negative(x))
    return _sine_of_turns(d, _folded(d, d.apply("abs", turns))), negative


def _cosine(d: Doubles, x: HloValue) -> tuple[HloValue, HloValue]:
    turns = _turns(d, d.apply("abs", x))
    t = d.apply("subtract", d.number(0.25), d.apply("abs", turns))
    return _sine_of_turns(d, d.apply("abs", t)), d.compare("lt", t, 0)


def _tan(d: Doubles, x: HloValue) -> tuple[HloValue, HloValue]:
    turns = _turns(d, d.apply("abs", x))
    t = d.apply("abs", turns)
    sine = _sine_of_turns(d, _folded(d, t))
    cosine = _sine_of_turns(d, d.apply("subtract", d.number(0.25), t))
    negative = d.logic("xor", d.compare("lt", turns, 0), d.negative(x))
    return d.apply("divide", sine, cosine), negative


def _atan(d: Doubles, x: HloValue) -> tuple[HloValue, HloValue]:
    magnitude = d.apply("abs", x)
    steep = d.compare("gt", magnitude, 1)
    z = d.select(steep, d.apply("divide", d.number(1), magnitude), magnitude)
    angle = d.apply("multiply", z, d.polynomial(_ATAN, d.apply("multiply", z, z)))
    beyond = d.apply("subtract", d.number(math.pi / 2), angle)
    return d.select(steep, beyond, angle), d.negative(x)


def _atan2(d: Doubles, y: HloValue, x: HloValue) -> tuple[HloValue, HloValue]:
    a, b = d.apply("abs", y), d.apply("abs", x)
    low, high = d.apply("minimum", a, b), d.apply("maximum", a, b)
    z = d.quotient(low, high)
    z = d.select(d.compare("eq", low, math.inf), d.number(1), z)  # the diagonal at infinity
    z = d.select(d.compare("eq", high, 0), d.number(0), z)
    angle = d.apply("multiply", z, d.polynomial(_ATAN, d.apply("multiply", z, z)))
    steep = d.apply("subtract", d.number(math.pi / 2), angle)
    angle = d.select(d.compare("gt", a, b), steep, angle)
    opposite = d.apply("subtract", d.number(math.pi), angle)
    return d.select(d.negative(x), opposite, angle), d.negative(y)


def _log2(d: Doubles, x: HloValue) -> HloValue:
    # x = 2^n m with m from sqrt(1/2) to sqrt(2), for x > 0; -inf at 0 and inf at inf.
    bits = d.bits(x)
    # The bits of sqrt(1/2) are taken off first, so that the exponent field counts from there; 1024 more keep
    # it positive, since processors have no vector instruction for a signed shift of 64 bits.
    shifted = d.integers("add", bits, (1024 << 52) - _SQRT_HALF_BITS)
    n = d.integers("shift_right_logical", shifted, 52)
    field = d.integers("subtract", d.integers("shift_left", n, 52), 1024 << 52)
    m = d.from_bits(d.context.one("stablehlo.subtract", [bits, field], ArrayType(d.shape, _I64)))
    # A small integer as a float, without XLA's scalar conversion: below the rounder's bits.
    rounder = int(np.float64(_ROUNDER).view(np.int64))
    whole = d.apply(
        "subtract", d.from_bits(d.integers("add", n, rounder)), d.number(_ROUNDER + 1024)
    )
    s = d.quotient(d.apply("subtract", m, d.number(1)), d.apply("add", m, d.number(1)))
    log = d.apply("multiply", s, d.polynomial(_LOG2, d.apply("multiply", s, s)))
    log = d.apply("add", whole, log)
    log = d.select(d.compare("eq", x, 0), d.number(-math.inf), log)
    return d.select(d.compare("lt", x, math.inf), log, x)  # inf and NaN stay


_SQRT_HALF_BITS: Final = int(np.float64(math.sqrt(0.5)).view(np.int64))


def _exp2(d: Doubles, x: HloValue) -> HloValue:
    # Past 2^+-300 an f32 has long been 0 or infinite.
    kept = d.apply("clamp", d.number(-300), x, d.number(300))
    n, bits = d.rounded(kept)
    power = d.polynomial(_EXP2, d.apply("subtract", kept, n))
    scaled = d.integers("shift_left", bits, 52)
    return d.from_bits(
        d.context.one("stablehlo.add", [d.bits(power), scaled], ArrayType(d.shape, _I64))
    )


def _cbrt(d: Doubles, x: HloValue) -> tuple[HloValue, HloValue]:
    magnitude = d.apply("abs", x)
    root = _exp2(d, d.apply("multiply", _log2(d, magnitude), d.number(1 / 3)))
    unchanged = d.compare("eq", d.apply("multiply", x, d.number(0.5)), x)  # 0, inf
    return d.select(unchanged, magnitude, root), d.negative(x)


def _power(d: Doubles, x: HloValue, y: HloValue) -> tuple[HloValue, HloValue]:
    magnitude = d.apply("abs", x)
    product = d.apply("multiply", y, _log2(d, magnitude))
    nan = d.compare("ne", product, product)
    power = d.select(nan, product, _exp2(d, product))
    # A negative x has a power only for whole y, negative for odd y. Infinite y are even.
    half = d.apply("multiply", y, d.number(0.5))
    fractional = d.compare("ne", d.apply("floor", y), y)
    odd = d.logic("and", d.compare("ne", d.apply("floor", half), half), d.logic("not", fractional))
    below = d.logic("and", d.compare("lt", x, 0), d.compare("lt", magnitude, math.inf))
    power = d.select(d.logic("and", below, fractional), d.number(math.nan), power)
    # 1^y, x^0 and (-1)^inf are 1 whatever the other is; 0 times infinity would say NaN.
    endless = d.compare("eq", d.apply("abs", y), math.inf)
    unit = d.logic("and", d.compare("eq", magnitude, 1), endless)
    one = d.logic("or", d.logic("or", unit, d.compare("eq", x, 1)), d.compare("eq", y, 0))
    return d.select(one, d.number(1), power), d.logic("and", odd, d.negative(x))


def _in_doubles(context: LoweringContext, kernel: Kernel, *operands: HloValue) -> HloValue:
    type = operands[0].type
    assert isinstance(type, ArrayType)
    type = type.strong()
    wide = ArrayType(type.shape, _F64)
    doubles = [context.one("stablehlo.convert", [x], wide) for x in operands]
    magnitude, negative = kernel(Doubles(context, type.shape), *doubles)
    rounded = context.one("stablehlo.convert", [magnitude], type)
    signs = [negative, context.constant(-1, type), context.constant(1, type)]
    return context.one(
        "stablehlo.divide", [rounded, context.one("stablehlo.select", signs, type)], type
    )


def _subnormal(context: LoweringContext, x: HloValue) -> HloValue:
    """Return whether an f32 is below the least normal number: told by its bits, since XLA takes it for zero."""
    type = ArrayType(x.shape, _I32)
    bits = context.one("stablehlo.bitcast_convert", [x], type)
    magnitude = context.one("stablehlo.and", [bits, context.constant(0x7FFFFFFF, type)], type)
    least = context.constant(0x00800000, type)
    return emit.compare(context, magnitude, least, "lt")


def _register(
    primitive: type[e.Unary | e.Binary], kernel: Kernel, *, keeps_subnormals: bool = False
) -> None:
    usual = lowering_rules.get(primitive)
    assert usual is not None

    def rule(
        context: LoweringContext, primitive: e.Unary | e.Binary, /, *operands: HloValue
    ) -> HloValues:
        type = emit.result_type(context)
        program = context.module.program
        if not _is_large(type) or not kept(program, _has_few, lambda: _has_few(program)):
            return usual(context, primitive, *operands)
        spread = [context.broadcast_scalar(x, type) for x in operands]
        result = _in_doubles(context, kernel, *spread)
        if keeps_subnormals:  # f(x) is x there
            chosen = [_subnormal(context, spread[0]), spread[0], result]
            result = context.one("stablehlo.select", chosen, type.strong())
        return [result]

    lowering_rule(primitive, platform="cpu")(rule)
    _WRITTEN_OUT.add(primitive)


_WRITTEN_OUT: Final[set[type[Primitive]]] = set()


def _is_large(type: Type) -> bool:
    return isinstance(type, ArrayType) and type.dtype == np.float32 and type.size >= LEAST_SIZE


def _has_few(program: Program) -> bool:
    """Return whether the functions of a whole program are few enough to be written out."""
    count = sum(
        type(equation.primitive) in _WRITTEN_OUT and _is_large(equation.results[0].type)
        for each in (program, *program.nested())
        for equation in each.equations
    )
    return count <= MOST


_register(e.Sine, _sine, keeps_subnormals=True)
_register(e.Cosine, _cosine)
_register(e.Tan, _tan, keeps_subnormals=True)
_register(e.Atan, _atan, keeps_subnormals=True)
_register(e.Atan2, _atan2)
_register(e.Cbrt, _cbrt)
_register(e.Power, _power)
