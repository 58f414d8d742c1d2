"""Derivatives of elementwise arithmetic: two tables, and the rules that read them.

`DERIVATIVES` says how each function of one operand changes with it; `PARTIALS` how each function of two changes
with either. Formulas are written in terms of the result where that is cheaper. Functions that are analytic have
the same formula for complex numbers; `abs`, `real`, `imag`, `conjugate`, `complex` and `sign` are only
real-linear there and have rules of their own. Cotangents are paired without conjugation: the pairing of v and w
is the real part of v w, so the transpose of a complex multiplication is the same multiplication.

Where a derivative does not exist these give (decided in the project's behaviour list): abs at 0: 0;
maximum and minimum at a tie: half each; rounding and sign everywhere: 0; log at 0: infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Flat,
    LinearOperands,
    flat,
    jvp_rule,
    jvp_rules,
    linear,
    locally_constant,
    not_linear,
    transpose_rule,
    unary_transpose_rule,
)
from treadle_autodiff.tangents import Linear, Tangents, Zero
from treadle_ir import ArrayType, DType, Literal, Operand, Operands, Primitive, bind, ops, type_of
from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.compare import Direction

Derivative: TypeAlias = Callable[[Operand, Operand], Operand]
Partial: TypeAlias = Callable[[Operand, Operand, Operand, Operand], Operand]
_F16, _F32 = BY_NAME["f16"], BY_NAME["f32"]


@lru_cache(maxsize=1024)
def _literal(value: float, dtype: DType) -> Literal:
    return Literal(dtype.type(value), ArrayType((), dtype, weak=True))


def number(value: float, like: Operand) -> Operand:
    """A constant of an operand's element type; weak, so that what is made with it is as weak as the operand."""
    return _literal(value, type_of(like).dtype)


def broadcast_to(tangent: Operand, type: ArrayType) -> Operand:
    """A tangent of a result's shape, from one of a scalar operand."""
    if type_of(tangent).shape == type.shape:
        return tangent
    return ops.broadcast_in_dim(tangent, shape=type.shape, dimensions=())


def gather(cotangent: Operand, type: ArrayType) -> Operand:
    """Return a cotangent of an operand's shape: summed if the operand was a scalar together with arrays."""
    shape = type_of(cotangent).shape
    if shape == type.shape:
        return cotangent
    return ops.reduce_add(cotangent, axes=tuple(range(len(shape))))


def _reciprocal(x: Operand) -> Operand:
    return ops.divide(number(1, x), x)


def _one_minus_square(x: Operand) -> Operand:
    # Not 1 - x^2, which cancels near 1.
    return ops.multiply(ops.subtract(number(1, x), x), ops.add(number(1, x), x))


def _one_plus_square(x: Operand) -> Operand:
    return ops.add(number(1, x), ops.square(x))


def _scaled(factor: float, x: Operand) -> Operand:
    return ops.multiply(number(factor, x), x)


def _of_squares(slope: Callable[[Operand], Operand]) -> Derivative:
    """Wrap a slope that is computed from squares: squares in f16 overflow at 256, so f16 is computed in f32."""

    def derivative(x: Operand, y: Operand) -> Operand:
        if type_of(x).dtype != _F16:
            return slope(x)
        return ops.convert(slope(ops.convert(x, dtype=_F32)), dtype=_F16)

    return derivative


def _acosh(x: Operand) -> Operand:
    below, above = ops.subtract(x, number(1, x)), ops.add(x, number(1, x))
    if dtypes.is_complex(type_of(x).dtype):  # one root would take the wrong branch left of 0
        return ops.multiply(ops.rsqrt(below), ops.rsqrt(above))
    return ops.rsqrt(ops.multiply(below, above))


# The factor by which a tangent is multiplied, from the operand x and the result y.
DERIVATIVES: Final[dict[type[Primitive], Derivative]] = {
    e.Acos: lambda x, y: ops.negate(ops.rsqrt(_one_minus_square(x))),
    e.Acosh: _of_squares(_acosh),
    e.Asin: lambda x, y: ops.rsqrt(_one_minus_square(x)),
    e.Asinh: _of_squares(lambda x: ops.rsqrt(_one_plus_square(x))),
    e.Atan: _of_squares(lambda x: _reciprocal(_one_plus_square(x))),
    e.Atanh: lambda x, y: _reciprocal(_one_minus_square(x)),
    # a power, whose own derivative has its limits at 0 and infinity
    e.Cbrt: lambda x, y: _scaled(1 / 3, ops.integer_power(y, exponent=-2)),
    e.Cosh: lambda x, y: ops.sinh(x),
    e.Cosine: lambda x, y: ops.negate(ops.sine(x)),
    e.Digamma: lambda x, y: trigamma(x),
    e.Erf: lambda x, y: _scaled(2 / math.sqrt(math.pi), ops.exponential(ops.negate(ops.square(x)))),
    e.ErfInv: lambda x, y: _scaled(math.sqrt(math.pi) / 2, ops.exponential(ops.square(y))),
    e.Erfc: lambda x, y: _scaled(
        -2 / math.sqrt(math.pi), ops.exponential(ops.negate(ops.square(x)))
    ),
    e.Exponential: lambda x, y: y,
    e.Exponential2: lambda x, y: _scaled(math.log(2), y),
    e.ExponentialMinusOne: lambda x, y: ops.add(y, number(1, y)),
    e.Lgamma: lambda x, y: ops.digamma(x),
    e.Log: lambda x, y: _reciprocal(x),
    e.LogPlusOne: lambda x, y: _reciprocal(ops.add(number(1, x), x)),
    e.Logistic: lambda x, y: ops.multiply(y, ops.subtract(number(1, y), y)),
    e.Rsqrt: lambda x, y: _scaled(-0.5, ops.divide(y, x)),
    e.Sine: lambda x, y: ops.cosine(x),
    e.Sinh: lambda x, y: ops.cosh(x),
    e.Sqrt: lambda x, y: ops.divide(number(0.5, y), y),
    e.Square: lambda x, y: _scaled(2, x),
    e.Tan: lambda x, y: _one_plus_square(y),
    e.Tanh: lambda x, y: _one_minus_square(y),
}


def _first_wins(x: Operand, y: Operand, z: Operand, direction: Direction) -> Operand:
    # 1 where x is selected, 1/2 at a tie, else 0. `direction` orders no complex numbers: the operand that equals
    # the result is selected.
    tie = ops.select(ops.compare(x, y, direction="eq"), number(0.5, x), number(0, x))
    if dtypes.is_complex(type_of(x).dtype):
        own = ops.select(ops.compare(x, y, direction="eq"), tie, number(1, x))
        return ops.select(ops.compare(x, z, direction="eq"), own, number(0, x))
    return ops.select(ops.compare(x, y, direction=direction), number(1, x), tie)


def _power_by_base(dx: Operand, x: Operand, y: Operand, z: Operand) -> Operand:
    # y x^(y - 1); where both are 0 the exponent is replaced, since 0 * 0^-1 is NaN. Not wherever y is 0: the
    # product has a slope by y there.
    flat = ops.and_(
        ops.compare(x, number(0, x), direction="eq"), ops.compare(y, number(0, y), direction="eq")
    )
    exponent = ops.select(flat, number(1, y), ops.subtract(y, number(1, y)))
    return ops.multiply(dx, ops.multiply(y, ops.power(x, exponent)))


def _power_by_exponent(dy: Operand, x: Operand, y: Operand, z: Operand) -> Operand:
    # x^y log x, which tends to 0 at x = 0 for y > 0: log 1 stands for log 0 there. Where y is 0, too, 0^y falls from 1
    # to 0: the slope is infinite, as x^x has it.
    at_zero = ops.compare(x, number(0, x), direction="eq")
    if not dtypes.is_complex(type_of(y).dtype):
        at_zero = ops.and_(at_zero, ops.compare(y, number(0, y), direction="ne"))
    safe = ops.select(at_zero, number(1, x), x)
    return ops.multiply(dy, ops.multiply(z, ops.log(safe)))


def _over_squared_distance(part: Operand, x: Operand, y: Operand) -> Operand:
    """`part / (x² + y²)`, of numbers brought to where no square overflows or vanishes."""
    greater = ops.maximum(ops.abs(x), ops.abs(y))
    exponent = dtypes.greatest_exponent(type_of(greater).dtype)
    shift, end = 2.0 ** (9 * exponent // 16), 2.0 ** (7 * exponent // 16)
    great = ops.compare(greater, number(end, greater), direction="gt")
    small = ops.compare(greater, number(1 / end, greater), direction="lt")
    one = ops.select(small, number(shift, greater), number(1, greater))
    unit = ops.select(great, number(1 / shift, greater), one)
    squares = ops.add(ops.square(ops.multiply(x, unit)), ops.square(ops.multiply(y, unit)))
    return ops.multiply(ops.divide(ops.multiply(part, unit), squares), unit)


# How the result z changes with x, and with y.
PARTIALS: Final[dict[type[Primitive], tuple[Partial, Partial]]] = {
    e.Add: (lambda dx, x, y, z: dx, lambda dy, x, y, z: dy),
    e.Subtract: (lambda dx, x, y, z: dx, lambda dy, x, y, z: ops.negate(dy)),
    e.Multiply: (lambda dx, x, y, z: ops.multiply(dx, y), lambda dy, x, y, z: ops.multiply(x, dy)),
    # XLA makes x / (y y) of (x / y) / y, whose square overflows or vanishes, but not with the sign between.
    e.Divide: (
        lambda dx, x, y, z: ops.divide(dx, y),
        lambda dy, x, y, z: ops.multiply(dy, ops.divide(ops.negate(z), y)),
    ),
    # The operands of atan2 are (y, x) by custom; here x is the first and y the second.
    e.Atan2: (
        lambda dx, x, y, z: ops.multiply(dx, _over_squared_distance(y, x, y)),
        lambda dy, x, y, z: ops.multiply(dy, ops.negate(_over_squared_distance(x, x, y))),
    ),
    e.Maximum: (
        lambda dx, x, y, z: ops.multiply(dx, _first_wins(x, y, z, "gt")),
        lambda dy, x, y, z: ops.multiply(dy, _first_wins(y, x, z, "gt")),
    ),
    e.Minimum: (
        lambda dx, x, y, z: ops.multiply(dx, _first_wins(x, y, z, "lt")),
        lambda dy, x, y, z: ops.multiply(dy, _first_wins(y, x, z, "lt")),
    ),
    e.Power: (_power_by_base, _power_by_exponent),
    # z = x - y q with the whole number q = (x - z) / y.
    e.Remainder: (
        lambda dx, x, y, z: dx,
        lambda dy, x, y, z: ops.multiply(
            dy, ops.round_nearest_even(ops.divide(ops.subtract(z, x), y))
        ),
    ),
}


def trigamma(x: Operand) -> Operand:
    """The derivative of digamma: shifted up by eight, where the asymptotic series is exact to rounding.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 6.4.6 (recurrence),
        6.4.7 (reflection), 6.4.12 (asymptotic series).
    """
    half, one = number(0.5, x), number(1, x)
    below = ops.compare(x, half, direction="lt")
    positive = ops.select(below, ops.subtract(one, x), x)
    total: Operand = number(0, x)
    shifted = positive
    for _ in range(8):
        total = ops.add(total, _reciprocal(ops.square(shifted)))
        shifted = ops.add(shifted, one)
    inverse = _reciprocal(shifted)
    square = ops.square(inverse)
    series: Operand = number(_TRIGAMMA_TAIL[-1], x)
    for coefficient in reversed(_TRIGAMMA_TAIL[:-1]):
        series = ops.add(ops.multiply(series, square), number(coefficient, x))
    tail = ops.add(
        inverse,
        ops.add(ops.multiply(half, square), ops.multiply(ops.multiply(inverse, square), series)),
    )
    total = ops.add(total, tail)
    # psi1(1 - x) + psi1(x) = (pi / sin(pi x))^2, with the angle taken from the nearest whole number. Where the sum is
    # the result, 1/2 stands for x: at whole numbers the derivatives of what is not selected would be infinite times 0.
    turned = ops.select(below, x, half)
    angle = _scaled(math.pi, ops.subtract(turned, ops.round_nearest_even(turned)))
    reflected = ops.subtract(ops.square(ops.divide(number(math.pi, x), ops.sine(angle))), total)
    return ops.select(below, reflected, total)


_TRIGAMMA_TAIL: Final = (
    1 / 6,
    -1 / 30,
    1 / 42,
    -1 / 30,
    5 / 66,
    -691 / 2730,
    7 / 6,
)  # Bernoulli numbers


def register_derivative(primitive: type[Primitive], derivative: Derivative) -> None:
    """The rule of a function of one operand."""

    def rule(primitive: Primitive, primals: Operands, tangents: Tangents, /) -> Duals:
        (x,), (dx,) = primals, tangents
        (y,) = results = bind(primitive, x)
        if isinstance(dx, Zero) or not dtypes.is_inexact(type_of(y).dtype):
            return results, [Zero(type_of(y).tangent())]
        return results, [ops.multiply(dx, derivative(x, y))]

    jvp_rules.register(primitive, rule)


def register_partials(primitive: type[Primitive], partials: tuple[Partial, Partial]) -> None:
    """The rule of a function of two operands."""

    by_first, by_second = partials

    def rule(primitive: Primitive, primals: Operands, tangents: Tangents, /) -> Duals:
        x, y = primals
        dx, dy = tangents
        (z,) = results = bind(primitive, x, y)
        type = type_of(z)
        if not dtypes.is_inexact(type.dtype):
            return results, [Zero(type.tangent())]
        if isinstance(dy, Zero):
            if isinstance(dx, Zero):
                return results, [Zero(type)]
            return results, [broadcast_to(by_first(dx, x, y, z), type)]
        if isinstance(dx, Zero):
            return results, [broadcast_to(by_second(dy, x, y, z), type)]
        return results, [broadcast_to(ops.add(by_first(dx, x, y, z), by_second(dy, x, y, z)), type)]

    jvp_rules.register(primitive, rule)


for _primitive, _derivative in DERIVATIVES.items():
    register_derivative(_primitive, _derivative)
for _primitive, _partials in PARTIALS.items():
    register_partials(_primitive, _partials)
for _step in (e.Ceil, e.Floor, e.RoundNearestAfz, e.RoundNearestEven):
    locally_constant(_step, Flat.ROUNDING)
locally_constant(e.IsFinite, Flat.COMPARISON)
for _of_integers in (
    *(e.And, e.Or, e.Xor, e.Not, e.Popcnt, e.CountLeadingZeros),
    e.GreatestCommonDivisor,
    *(e.ShiftLeft, e.ShiftRightArithmetic, e.ShiftRightLogical),
):
    locally_constant(_of_integers, Flat.INTEGER)
flat(e.IntegerPower, Flat.CONSTANT, when=lambda power, _: power.exponent == 0)
flat(e.Sign, Flat.ROUNDING, when=lambda _, of: not dtypes.is_complex(of.dtype))
flat(e.NextAfter, Flat.COMPARISON, operands=(1,))  # it gives the direction
for _linear in (e.Negate, e.Real, e.Imag, e.Conjugate):
    linear(_linear)


@jvp_rule(e.Abs)
def abs_jvp(primitive: e.Abs, primals: Operands, tangents: Tangents, /) -> Duals:
    """d|x| = sign(x) dx; of complex numbers the real part of conj(x / |x|) dx. 0 at 0."""
    (x,), (dx,) = primals, tangents
    (y,) = results = bind(primitive, x)
    if isinstance(dx, Zero) or not dtypes.is_inexact(type_of(x).dtype):
        return results, [Zero(type_of(y).tangent())]
    if dtypes.is_complex(type_of(x).dtype):
        return results, [ops.real(ops.multiply(dx, ops.conjugate(ops.sign(x))))]
    return results, [ops.multiply(dx, ops.sign(x))]


@jvp_rule(e.Sign)
def sign_jvp(primitive: e.Sign, primals: Operands, tangents: Tangents, /) -> Duals:
    """Flat for reals. A complex s = x / |x| turns: ds = i s Im(conj(s) dx) / |x|; 0 at 0."""
    (x,), (dx,) = primals, tangents
    (s,) = results = bind(primitive, x)
    if isinstance(dx, Zero) or not dtypes.is_complex(type_of(x).dtype):
        return results, [Zero(type_of(s).tangent())]
    modulus = ops.abs(x)
    at_zero = ops.compare(modulus, number(0, modulus), direction="eq")
    turned = ops.imag(ops.multiply(dx, ops.conjugate(s)))
    angle = ops.divide(turned, ops.select(at_zero, number(1, modulus), modulus))
    return results, [ops.multiply(ops.complex(number(0, angle), angle), s)]


@jvp_rule(e.IntegerPower)
def integer_power_jvp(primitive: e.IntegerPower, primals: Operands, tangents: Tangents, /) -> Duals:
    """d x^n = n x^(n - 1) dx."""
    (x,), (dx,) = primals, tangents
    results = bind(primitive, x)
    n = primitive.exponent
    if n == 0 or isinstance(dx, Zero) or not dtypes.is_inexact(type_of(x).dtype):
        return results, [Zero(type_of(x).tangent())]
    if n == 1:
        return results, [dx]
    factor = x if n == 2 else ops.integer_power(x, exponent=n - 1)
    return results, [ops.multiply(dx, _scaled(n, factor))]


@jvp_rule(e.NextAfter)
def next_after_jvp(primitive: e.NextAfter, primals: Operands, tangents: Tangents, /) -> Duals:
    """Return the tangent of x, which the result follows at one unit in the last place, whatever the direction."""
    (z,) = results = bind(primitive, *primals)
    dx, _ = tangents
    type = type_of(z)
    return results, [Zero(type) if isinstance(dx, Zero) else broadcast_to(dx, type)]


@jvp_rule(e.Complex)
def complex_jvp(primitive: e.Complex, primals: Operands, tangents: Tangents, /) -> Duals:
    """Linear in both parts."""
    (z,) = results = bind(primitive, *primals)
    dx, dy = [
        number(0, x) if isinstance(dx, Zero) else dx
        for x, dx in zip(primals, tangents, strict=True)
    ]
    return results, [broadcast_to(ops.complex(dx, dy), type_of(z))]


@unary_transpose_rule(e.Negate)
def negate_transpose(primitive: e.Negate, ct: Operand, type: ArrayType, /) -> Operand:
    """Its own."""
    return ops.negate(ct)


@transpose_rule(e.Add)
def add_transpose(
    primitive: e.Add, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The cotangent goes to both."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    return [_gathered(ct, operand) for operand in operands]


@transpose_rule(e.Subtract)
def subtract_transpose(
    primitive: e.Subtract, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The cotangent, and its opposite."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    x, y = operands
    ct_y = ops.negate(gather(ct, _array(y))) if isinstance(y, Linear) else None
    return [_gathered(ct, x), ct_y]


@transpose_rule(e.Multiply)
def multiply_transpose(
    primitive: e.Multiply, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """z = x y with y known: ct_x = ct y."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    x, y = operands
    if isinstance(x, Linear):
        if isinstance(y, Linear):
            raise not_linear(primitive)
        return [_gathered(ops.multiply(ct, y), x), None]
    assert isinstance(y, Linear)
    return [None, _gathered(ops.multiply(x, ct), y)]


@transpose_rule(e.Divide)
def divide_transpose(
    primitive: e.Divide, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """z = x / y with y known: ct_x = ct / y."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    x, y = operands
    if isinstance(y, Linear):
        raise not_linear(primitive)
    assert isinstance(x, Linear)
    return [_gathered(ops.divide(ct, y), x), None]


# With the pairing Re(v w), a + bi meets c + di in ac - bd.


@unary_transpose_rule(e.Real)
def real_transpose(primitive: e.Real, ct: Operand, type: ArrayType, /) -> Operand:
    """Re(v) t = Re(v (t + 0i))."""
    return ops.complex(ct, number(0, ct))


@unary_transpose_rule(e.Imag)
def imag_transpose(primitive: e.Imag, ct: Operand, type: ArrayType, /) -> Operand:
    """Im(v) t = Re(v (0 - ti))."""
    return ops.complex(number(0, ct), ops.negate(ct))


@transpose_rule(e.Complex)
def complex_transpose(
    primitive: e.Complex, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """Re((x + yi) w) = x Re(w) - y Im(w)."""
    (ct,) = cotangents
    assert not isinstance(ct, Zero)
    x, y = operands
    ct_x = gather(ops.real(ct), _array(x)) if isinstance(x, Linear) else None
    ct_y = gather(ops.negate(ops.imag(ct)), _array(y)) if isinstance(y, Linear) else None
    return [ct_x, ct_y]


@unary_transpose_rule(e.Conjugate)
def conjugate_transpose(primitive: e.Conjugate, ct: Operand, type: ArrayType, /) -> Operand:
    """Re(conj(v) w) = Re(v conj(w))."""
    return ops.conjugate(ct)


def _array(operand: Linear) -> ArrayType:
    assert isinstance(operand.type, ArrayType)
    return operand.type


def _gathered(cotangent: Operand, operand: Operand | Linear) -> Operand | None:
    return gather(cotangent, _array(operand)) if isinstance(operand, Linear) else None
