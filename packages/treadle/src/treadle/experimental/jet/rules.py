"""The rules of Taylor mode: linear operations, products, and the recurrences of elementary functions.

With `x = x_0 + x_1 t + ...` and `v = x'`, a function `y = f(x)` that satisfies a differential equation such as
`y' = y v` has the coefficients `k y_k = sum over i < k of y_i v_(k-1-i)`.

Source: A. Griewank and A. Walther, Evaluating Derivatives, second edition (2008), chapter 13, tables 13.1 and 13.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from treadle.experimental.jet import control as control, own as own
from treadle.experimental.jet.defining import deflinear, defzero
from treadle.experimental.jet.registry import jet_rule
from treadle.experimental.jet.series import (
    Series,
    derivative,
    number,
    product,
    terms,
    total,
    zero_series,
)
from treadle.experimental.jet.trace import by_derivative, composed
from treadle_ir import Operand, Operands, Primitive, bind, ops
from treadle_ir.core import Rearrangement
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.primitives import contract as c, convert, cumulative, elementwise as e, reduce
from treadle_ir.primitives.call import StopGradient
from treadle_ir.primitives.compare import Compare

for _linear in (
    *(Rearrangement, convert.Copy, cumulative.CumulativeAdd, reduce.ReduceAdd),
    *(e.Add, e.Subtract, e.Negate, e.Complex, e.Conjugate, e.Real, e.Imag),
):
    deflinear(_linear)
for _constant in (Compare, StopGradient, e.Ceil, e.Floor, e.IsFinite):
    defzero(_constant)


@jet_rule(convert.Convert)
def convert_jet(
    primitive: convert.Convert, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return each coefficient in the other type; integers do not move."""
    first, *rest = terms(primals[0], series[0], order)
    results = bind(primitive, first)
    if not is_inexact(primitive.dtype):
        return results, [zero_series]
    return results, [[bind(primitive, x)[0] for x in rest]]


def _bilinear(
    primitive: Primitive,
    primals: Operands,
    series: Sequence[Series],
    order: int,
    /,
) -> tuple[Operands, Sequence[Series]]:
    """Return z_k = sum of x_i y_(k-i); a factor that does not move is one coefficient."""
    (x, y), (dx, dy) = primals, series
    if dx is zero_series:
        return bind(primitive, x, y), [
            [bind(primitive, x, each)[0] for each in terms(y, dy, order)[1:]]
        ]
    if dy is zero_series:
        return bind(primitive, x, y), [
            [bind(primitive, each, y)[0] for each in terms(x, dx, order)[1:]]
        ]
    xs, ys = terms(x, dx, order), terms(y, dy, order)
    first, *rest = [
        total([bind(primitive, xs[i], ys[k - i])[0] for i in range(k + 1)])
        for k in range(order + 1)
    ]
    return [first], [rest]


for _product in (e.Multiply, c.DotGeneral, c.Convolution):
    jet_rule(_product)(_bilinear)


@jet_rule(e.Divide)
def divide_jet(
    primitive: e.Divide, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """z = x / y, from x = z y: z_k = (x_k - sum over i < k of z_i y_(k-i)) / y_0."""
    (x, y), (dx, dy) = primals, series
    if dy is zero_series:
        return [ops.divide(x, y)], [[ops.divide(each, y) for each in terms(x, dx, order)[1:]]]
    xs, ys = terms(x, dx, order), terms(y, dy, order)
    zs = [ops.divide(x, y)]
    for k in range(1, order + 1):
        known = total([ops.multiply(zs[i], ys[k - i]) for i in range(k)])
        zs.append(ops.divide(ops.subtract(xs[k], known), y))
    return [zs[0]], [zs[1:]]


def _power(y: Operand, xs: Sequence[Operand], exponent: float) -> Sequence[Operand]:
    """y = x**a with a constant: x y' = a y x', so k x_0 y_k = sum of (a (k - i) - i) y_i x_(k-i) over i < k."""
    x = xs[0]
    ys = [y]
    for k in range(1, len(xs)):
        parts = []
        for i in range(k):
            weight = ops.subtract(ops.multiply(number(k - i, x), number(exponent, x)), number(i, x))
            parts.append(ops.multiply(ops.multiply(weight, ys[i]), xs[k - i]))
        ys.append(ops.divide(total(parts), ops.multiply(number(k, x), x)))
    return ys[1:]


def _log(x: Operand, xs: Sequence[Operand]) -> list[Operand]:
    """k y_k = (k x_k - sum over 0 < i < k of i y_i x_(k-i)) / x_0."""
    ys: list[Operand] = []
    for k in range(1, len(xs)):
        numerator = xs[k]
        if k > 1:
            known = total(
                [
                    ops.multiply(ops.multiply(number(i / k, x), ys[i - 1]), xs[k - i])
                    for i in range(1, k)
                ]
            )
            numerator = ops.subtract(numerator, known)
        ys.append(ops.divide(numerator, x))
    return ys


def _grown(
    y: Operand, xs: Sequence[Operand], slope: Callable[[list[Operand]], Sequence[Operand]]
) -> list[Operand]:
    """Return the coefficients of `y' = g(y) x'`: `slope` gives as many coefficients of `g(y)`
    as `y` has known ones.
    """
    speeds = derivative(xs[1:])
    ys = [y]
    for k in range(1, len(xs)):
        slopes = slope(ys)
        summed = total([ops.multiply(slopes[i], speeds[k - 1 - i]) for i in range(k)])
        ys.append(ops.divide(summed, number(k, y)))
    return ys[1:]


def _tanh(y: Operand, xs: Sequence[Operand]) -> list[Operand]:
    """y' = (1 - y y) x'."""
    one = number(1, y)

    def slope(ys: list[Operand]) -> list[Operand]:
        first, *rest = product(ys, ys)
        return [ops.subtract(one, first), *(ops.negate(each) for each in rest)]

    return _grown(y, xs, slope)


def _logistic(y: Operand, xs: Sequence[Operand]) -> list[Operand]:
    """y' = y (1 - y) x'."""
    one = number(1, y)

    def slope(ys: list[Operand]) -> list[Operand]:
        return product(ys, [ops.subtract(one, ys[0]), *(ops.negate(each) for each in ys[1:])])

    return _grown(y, xs, slope)


def _exponential(y: Operand, xs: Sequence[Operand]) -> list[Operand]:
    """y' = y x'."""
    return _grown(y, xs, lambda ys: ys)


def _pair(
    first: Operand, second: Operand, sign: float, xs: Sequence[Operand]
) -> tuple[list[Operand], list[Operand]]:
    """Return the coefficients of `s' = c x'` and `c' = sign s x'`, for (sinh, cosh) or (sin, cos)."""
    speeds = derivative(xs[1:])
    s, c = [first], [second]
    for k in range(1, len(xs)):
        ds = total([ops.multiply(c[i], speeds[k - 1 - i]) for i in range(k)])
        dc = total([ops.multiply(s[i], speeds[k - 1 - i]) for i in range(k)])
        s.append(ops.divide(ds, number(k, first)))
        c.append(ops.divide(dc, number(sign * k, first)))
    return s[1:], c[1:]


# The coefficients of t, t**2, ... of a result, from the result and all coefficients of the operand.
_EXPANSIONS: Final[
    dict[type[e.Unary], Callable[[Operand, Sequence[Operand]], Sequence[Operand]]]
] = {
    e.Square: lambda y, xs: product(xs, xs)[1:],
    e.Sqrt: lambda y, xs: _power(y, xs, 0.5),
    e.Rsqrt: lambda y, xs: _power(y, xs, -0.5),
    e.Exponential: _exponential,
    # All coefficients of exp(x) - 1 but the first agree with the exponential's.
    e.ExponentialMinusOne: lambda y, xs: _exponential(ops.exponential(xs[0]), xs),
    e.Log: lambda y, xs: _log(xs[0], xs),
    e.LogPlusOne: lambda y, xs: _log(ops.add(xs[0], number(1, xs[0])), xs),
    e.Tanh: _tanh,
    e.Logistic: _logistic,
    e.Sine: lambda y, xs: _pair(y, ops.cosine(xs[0]), -1, xs)[0],
    e.Cosine: lambda y, xs: _pair(ops.sine(xs[0]), y, -1, xs)[1],
    e.Sinh: lambda y, xs: _pair(y, ops.cosh(xs[0]), 1, xs)[0],
    e.Cosh: lambda y, xs: _pair(ops.sinh(xs[0]), y, 1, xs)[1],
}


def _elementary(
    primitive: e.Unary, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Expand an elementary function by its recurrence."""
    (y,) = bind(primitive, *primals)
    return [y], [_EXPANSIONS[type(primitive)](y, terms(primals[0], series[0], order))]


for _elementary_function in _EXPANSIONS:
    jet_rule(_elementary_function)(_elementary)


@jet_rule(e.IntegerPower)
def integer_power_jet(
    primitive: e.IntegerPower, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Products by repeated squaring: they have a series also where the base is zero."""
    (x,) = primals
    xs = terms(x, series[0], order)
    power: list[Operand] | None = None
    left = abs(primitive.exponent)
    while left:
        if left & 1:
            power = xs if power is None else product(power, xs)
        left >>= 1
        if left:
            xs = product(xs, xs)
    if power is None:
        return bind(primitive, x), [zero_series]
    if primitive.exponent < 0:
        one = number(1, x)
        return divide_jet(e.Divide(), [one, power[0]], [zero_series, power[1:]], order)
    return bind(primitive, x), [power[1:]]


@jet_rule(e.Power)
def power_jet(
    primitive: e.Power, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Of a constant exponent by the derivative, which is right also where the base is zero; else exp(y log x)."""
    if series[1] is zero_series:
        return by_derivative(primitive, primals, series, order)
    _, found = composed(
        lambda x, y: [ops.exponential(ops.multiply(y, ops.log(x)))], primals, series, order
    )
    return bind(primitive, *primals), found
