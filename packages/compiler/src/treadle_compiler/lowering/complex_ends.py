"""Functions of complex numbers at the ends: where a part of the argument is zero, infinite or NaN.

XLA's formulas lose signs of zeros there, and make NaN of results that are zero or infinite. Each function here takes
both parts of the argument and of XLA's result, and gives the parts that the standard of the array API states; for
all other arguments they are XLA's.

Source: Python array API standard 2025.12, the special cases of each function, as in C99, Annex G; and
`f(conj(z)) = conj(f(z))`, for odd functions `f(-z) = -f(z)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np

from treadle_compiler import emit
from treadle_compiler.context import LoweringContext
from treadle_compiler.value import HloValue
from treadle_ir import ArrayType, Primitive
from treadle_ir.core import dtypes
from treadle_ir.primitives import elementwise as e

Parts: TypeAlias = tuple[HloValue, HloValue]
Ends: TypeAlias = "Callable[[_Emit, HloValue, HloValue, HloValue, HloValue], Parts]"


class _Emit:
    """The operations that ends are written in: `v.where(v.infinite(a), b, re)`."""

    def __init__(self, context: LoweringContext) -> None:
        self.context = context

    def infinite(self, x: HloValue) -> HloValue:
        """Return whether a number is an infinity."""
        return self.equals(self.abs(x), np.inf)

    def finite(self, x: HloValue) -> HloValue:
        """Return whether a number is neither an infinity nor NaN."""
        return emit.compare(self.context, self.abs(x), emit.like(self.context, x, np.inf), "lt")

    def nan(self, x: HloValue) -> HloValue:
        """Return whether a number is NaN."""
        return emit.compare(self.context, x, x, "ne")

    def equals(self, x: HloValue, value: float) -> HloValue:
        """Return whether a number equals `value`."""
        return emit.compare(self.context, x, emit.like(self.context, x, value), "eq")

    def both(self, x: HloValue, y: HloValue) -> HloValue:
        """Both conditions."""
        return emit.binary(self.context, "and", x, y)

    def either(self, x: HloValue, y: HloValue) -> HloValue:
        """One of two conditions."""
        return emit.binary(self.context, "or", x, y)

    def lost(self, a: HloValue, b: HloValue) -> HloValue:
        """Return whether one part is NaN and neither is infinite: then the logarithm of their size is NaN."""
        known = self.both(self.finite(a), self.finite(b))
        return self.isnt(self.either(known, self.either(self.infinite(a), self.infinite(b))))

    def isnt(self, x: HloValue) -> HloValue:
        """The opposite of a condition."""
        return emit.unary(self.context, "not", x)

    def where(self, condition: HloValue, x: HloValue | float, y: HloValue) -> HloValue:
        """The one where a condition holds, else the other."""
        if not isinstance(x, HloValue):
            x = emit.like(self.context, y, x)
        return emit.select(self.context, condition, x, y)

    def abs(self, x: HloValue) -> HloValue:
        """Without its sign."""
        return emit.unary(self.context, "abs", x)

    def negative(self, x: HloValue) -> HloValue:
        """With the other sign."""
        return emit.unary(self.context, "negate", x)

    def signed(self, x: HloValue, like: HloValue) -> HloValue:
        """With the sign of another, also where that is a zero."""
        bits = np.dtype(f"u{x.dtype.itemsize}")
        top = 1 << (8 * x.dtype.itemsize - 1)
        context = self.context
        sign = emit.bitcast(context, like, bits)
        sign = emit.binary(context, "and", sign, emit.like(context, sign, top))
        size = emit.bitcast(context, self.abs(x), bits)
        return emit.bitcast(context, emit.binary(context, "or", size, sign), x.dtype)

    def zero(self, like: HloValue) -> HloValue:
        """A zero with the sign of another."""
        return self.signed(emit.like(self.context, like, 0.0), like)


def _exponential(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    beyond = v.both(v.infinite(a), v.isnt(v.finite(b)))
    none = v.both(beyond, v.equals(a, -np.inf))
    re = v.where(beyond, v.where(none, 0.0, a), re)
    return re, v.where(v.equals(b, 0), b, v.where(none, 0.0, im))


def _expm1(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    beyond = v.both(v.infinite(a), v.isnt(v.finite(b)))
    none = v.both(beyond, v.equals(a, -np.inf))
    re = v.where(beyond, v.where(none, -1.0, a), re)
    return re, v.where(v.equals(b, 0), b, v.where(none, 0.0, im))


def _log(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    return v.where(v.either(v.infinite(a), v.infinite(b)), np.inf, re), im


def _sqrt(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    upright = v.infinite(b)
    re = v.where(v.either(upright, v.equals(a, np.inf)), np.inf, re)
    im = v.where(v.both(v.equals(a, -np.inf), v.nan(b)), np.inf, im)
    im = v.where(v.equals(b, 0), v.signed(im, b), im)
    return re, v.where(upright, b, im)


def _hyperbolic_sine(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    # sinh(a) cos(b) and cosh(a) sin(b)
    kept = v.both(v.either(v.equals(a, 0), v.infinite(a)), v.isnt(v.finite(b)))
    return v.where(kept, a, re), v.where(v.equals(b, 0), b, im)


def _hyperbolic_cosine(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    # cosh(a) cos(b) and sinh(a) sin(b)
    beyond = v.isnt(v.finite(b))
    re = v.where(v.both(v.infinite(a), beyond), np.inf, re)
    im = v.where(v.both(v.equals(a, 0), beyond), a, im)
    turned = v.where(v.equals(a, -np.inf), v.negative(b), b)
    return re, v.where(v.both(v.equals(b, 0), v.isnt(v.finite(a))), turned, im)


def _hyperbolic_tangent(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    re = v.where(v.both(v.equals(a, 0), v.isnt(v.finite(b))), a, re)
    return re, v.where(v.equals(b, 0), b, v.where(v.infinite(a), v.zero(b), im))


def _inverse_hyperbolic_sine(
    v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue
) -> Parts:
    im = v.where(v.both(v.nan(a), v.equals(b, 0)), b, v.signed(im, b))
    return v.where(v.lost(a, b), np.nan, v.signed(re, a)), im


def _inverse_hyperbolic_cosine(
    v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue
) -> Parts:
    im = v.where(v.both(v.equals(a, 0), v.nan(b)), math.pi / 2, im)
    return v.where(v.lost(a, b), np.nan, re), v.signed(im, b)


def _inverse_cosine(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    re = v.where(v.both(v.equals(a, 0), v.nan(b)), math.pi / 2, re)
    return re, v.where(v.lost(a, b), np.nan, v.signed(im, v.negative(b)))


def _inverse_hyperbolic_tangent(
    v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue
) -> Parts:
    # 0 where the imaginary part alone is NaN, with a zero or an infinity
    none = v.both(v.nan(b), v.either(v.equals(a, 0), v.infinite(a)))
    re = v.where(none, 0.0, v.where(v.lost(a, b), np.nan, re))
    lost = v.either(v.nan(b), v.both(v.nan(a), v.isnt(v.infinite(b))))
    return v.signed(re, a), v.where(lost, np.nan, v.signed(im, b))


def _turned(ends: Ends) -> Ends:
    """Return the ends of `g(z) = -i f(iz)` from the ends of an odd `f`: parts change places; both have conjugates."""

    def of_turned(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
        im, re = ends(v, b, a, im, re)
        return re, im

    return of_turned


def _cosine(v: _Emit, a: HloValue, b: HloValue, re: HloValue, im: HloValue) -> Parts:
    # cos(a + bi) = cosh(-b + ai)
    return _hyperbolic_cosine(v, v.negative(b), a, re, im)


_ENDS: Final[Mapping[type[Primitive], Ends]] = {
    e.Acos: _inverse_cosine,
    e.Acosh: _inverse_hyperbolic_cosine,
    e.Asin: _turned(_inverse_hyperbolic_sine),
    e.Asinh: _inverse_hyperbolic_sine,
    e.Atan: _turned(_inverse_hyperbolic_tangent),
    e.Atanh: _inverse_hyperbolic_tangent,
    e.Cosh: _hyperbolic_cosine,
    e.Cosine: _cosine,
    e.Exponential: _exponential,
    e.ExponentialMinusOne: _expm1,
    e.Log: _log,
    e.LogPlusOne: _log,
    e.Sine: _turned(_hyperbolic_sine),
    e.Sinh: _hyperbolic_sine,
    e.Sqrt: _sqrt,
    e.Tan: _turned(_hyperbolic_tangent),
    e.Tanh: _hyperbolic_tangent,
}


def with_ends(
    context: LoweringContext, primitive: Primitive, x: HloValue, parts: Parts
) -> HloValue:
    """The result of a function of complex numbers, of these parts where no part of `x` is at an end."""
    parts = _ENDS[type(primitive)](_Emit(context), *emit.parts(context, x), *parts)
    type_ = ArrayType(x.shape, dtypes.complex_of(parts[0].dtype))
    return context.one("stablehlo.complex", parts, type_)
