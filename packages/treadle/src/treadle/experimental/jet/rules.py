"""The rules of Taylor mode: linear operations, products, and the recurrences of elementary functions.

With `x = x_0 + x_1 t + ...` and `v = x'`, a function `y = f(x)` that satisfies a differential equation such as
`y' = y v` has the coefficients `k y_k = sum over i < k of y_i v_(k-1-i)`.

Source: A. Griewank and A. Walther, Evaluating Derivatives, second edition (2008), chapter 13, tables 13.1 and 13.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.experimental.jet import control as control, own as own
from treadle.experimental.jet.registry import deflinear, defzero, jet_rule
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
from treadle_ir import Operand, Operands, bind, ops
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
    primitive: c.DotGeneral | c.Convolution,
    primals: Operands,
    series: Sequence[Series],
    order: int,
    /,
) -> tuple[Operands, Sequence[Series]]:
    """Return the convolution of both series; a factor that does not move is one coefficient."""
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


jet_rule(c.DotGeneral)(_bilinear)
jet_rule(c.Convolution)(_bilinear)


@jet_rule(e.Multiply)
def multiply_jet(
    primitive: e.Multiply, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """z_k = sum of x_i y_(k-i)."""
    (x, y), (dx, dy) = primals, series
    if dx is zero_series:
        return [ops.multiply(x, y)], [[ops.multiply(x, each) for each in terms(y, dy, order)[1:]]]
    if dy is zero_series:
        return [ops.multiply(x, y)], [[ops.multiply(each, y) for each in terms(x, dx, order)[1:]]]
    first, *rest = product(terms(x, dx, order), terms(y, dy, order))
    return [first], [rest]


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


@jet_rule(e.Square)
def square_jet(
    primitive: e.Square, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return the product with itself."""
    xs = terms(primals[0], series[0], order)
    first, *rest = product(xs, xs)
    return [first], [rest]


def _power(x: Operand, exponent: Operand, series: Series, order: int, y: Operand) -> Series:
    """y = x**a with a constant: x y' = a y x', so k x_0 y_k = sum of (a (k - i) - i) y_i x_(k-i) over i < k."""
    xs = terms(x, series, order)
    ys = [y]
    for k in range(1, order + 1):
        parts = []
        for i in range(k):
            weight = ops.subtract(ops.multiply(number(k - i, x), exponent), number(i, x))
            parts.append(ops.multiply(ops.multiply(weight, ys[i]), xs[k - i]))
        ys.append(ops.divide(total(parts), ops.multiply(number(k, x), x)))
    return ys[1:]


@jet_rule(e.Sqrt)
def sqrt_jet(
    primitive: e.Sqrt, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return the power 1/2."""
    (x,) = primals
    y = ops.sqrt(x)
    return [y], [_power(x, number(0.5, x), series[0], order, y)]


@jet_rule(e.Rsqrt)
def rsqrt_jet(
    primitive: e.Rsqrt, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Return the power -1/2."""
    (x,) = primals
    y = ops.rsqrt(x)
    return [y], [_power(x, number(-0.5, x), series[0], order, y)]


@jet_rule(e.Exponential)
def exponential_jet(
    primitive: e.Exponential, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """y' = y x'."""
    (x,) = primals
    y = ops.exponential(x)
    return [y], [_grown(y, terms(x, series[0], order), lambda ys: ys)]


@jet_rule(e.ExponentialMinusOne)
def exponential_minus_one_jet(
    primitive: e.ExponentialMinusOne, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Expand `exp(x) - 1`: all coefficients but the first agree with the exponential's."""
    (x,) = primals
    grown = _grown(ops.exponential(x), terms(x, series[0], order), lambda ys: ys)
    return bind(primitive, x), [grown]


@jet_rule(e.Log)
def log_jet(
    primitive: e.Log, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """x y' = x'."""
    (x,) = primals
    return [ops.log(x)], [_log(x, terms(x, series[0], order))]


@jet_rule(e.LogPlusOne)
def log_plus_one_jet(
    primitive: e.LogPlusOne, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """(1 + x) y' = x'."""
    (x,) = primals
    return bind(primitive, x), [_log(ops.add(x, number(1, x)), terms(x, series[0], order))]


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


@jet_rule(e.Tanh)
def tanh_jet(
    primitive: e.Tanh, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """y' = (1 - y y) x'."""
    (x,) = primals
    one = number(1, x)

    def slope(ys: list[Operand]) -> list[Operand]:
        first, *rest = product(ys, ys)
        return [ops.subtract(one, first), *(ops.negate(each) for each in rest)]

    y = ops.tanh(x)
    return [y], [_grown(y, terms(x, series[0], order), slope)]


@jet_rule(e.Logistic)
def logistic_jet(
    primitive: e.Logistic, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """y' = y (1 - y) x'."""
    (x,) = primals
    one = number(1, x)

    def slope(ys: list[Operand]) -> list[Operand]:
        return product(ys, [ops.subtract(one, ys[0]), *(ops.negate(each) for each in ys[1:])])

    y = ops.logistic(x)
    return [y], [_grown(y, terms(x, series[0], order), slope)]


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


@jet_rule(e.Sine)
def sine_jet(
    primitive: e.Sine, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Together with the cosine."""
    (x,) = primals
    y = ops.sine(x)
    return [y], [_pair(y, ops.cosine(x), -1, terms(x, series[0], order))[0]]


@jet_rule(e.Cosine)
def cosine_jet(
    primitive: e.Cosine, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Together with the sine."""
    (x,) = primals
    y = ops.cosine(x)
    return [y], [_pair(ops.sine(x), y, -1, terms(x, series[0], order))[1]]


@jet_rule(e.Sinh)
def sinh_jet(
    primitive: e.Sinh, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Together with the hyperbolic cosine."""
    (x,) = primals
    y = ops.sinh(x)
    return [y], [_pair(y, ops.cosh(x), 1, terms(x, series[0], order))[0]]


@jet_rule(e.Cosh)
def cosh_jet(
    primitive: e.Cosh, primals: Operands, series: Sequence[Series], order: int, /
) -> tuple[Operands, Sequence[Series]]:
    """Together with the hyperbolic sine."""
    (x,) = primals
    y = ops.cosh(x)
    return [y], [_pair(ops.sinh(x), y, 1, terms(x, series[0], order))[1]]


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
