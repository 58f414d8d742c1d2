"""Derivatives of the special functions that formulas compute.

Where a derivative has no closed form, as by the parameters of the incomplete functions, it is the derivative of the
function's own formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from treadle_autodiff.registry import Duals, jvp_rule
from treadle_autodiff.rules.elementwise import (
    Derivative,
    Partial,
    broadcast_to,
    number,
    register_derivative,
    register_partials,
)
from treadle_autodiff.tangents import Tangent, Tangents, Zero
from treadle_ir import Operand, Operands, Primitive, bind, ops, type_of
from treadle_ir.primitives import elementwise as e


def _log_of(x: Operand, exponent: Operand) -> Operand:
    """`exponent * log(x)`, 0 where both x and the exponent are 0."""
    flat = ops.and_(
        ops.compare(x, number(0, x), direction="eq"),
        ops.compare(exponent, number(0, x), direction="eq"),
    )
    return ops.multiply(exponent, ops.log(ops.select(flat, number(1, x), x)))


def _gamma_density(a: Operand, x: Operand) -> Operand:
    """x^(a - 1) e^-x / Gamma(a)."""
    exponent = ops.subtract(_log_of(x, ops.subtract(a, number(1, a))), x)
    return ops.exponential(ops.subtract(exponent, ops.lgamma(a)))


def _beta_density(a: Operand, b: Operand, x: Operand) -> Operand:
    """x^(a - 1) (1 - x)^(b - 1) / B(a, b)."""
    one = number(1, x)
    powers = ops.add(
        _log_of(x, ops.subtract(a, one)), _log_of(ops.subtract(one, x), ops.subtract(b, one))
    )
    gammas = ops.subtract(ops.add(ops.lgamma(a), ops.lgamma(b)), ops.lgamma(ops.add(a, b)))
    return ops.exponential(ops.subtract(powers, gammas))


def _by_two(x: Operand) -> Operand:
    """I1(x) e^-|x| / x, by its series near 0."""
    near = ops.compare(ops.abs(x), number(1e-2, x), direction="lt")
    inner = ops.select(near, x, number(0, x))
    square = ops.square(inner)
    series: Operand = number(1 / 18432, x)
    for c in (1 / 384, 1 / 16, 1 / 2):
        series = ops.add(ops.multiply(series, square), number(c, x))
    outer = ops.select(near, number(1, x), x)
    scaled = ops.multiply(series, ops.exponential(ops.negate(ops.abs(inner))))
    return ops.select(near, scaled, ops.divide(ops.bessel_i1e(outer), outer))


def _times(factor: float, x: Operand) -> Operand:
    return ops.multiply(number(factor, x), x)


def _normal(x: Operand) -> Operand:
    """exp(-x^2 / 2)."""
    return ops.exponential(_times(-0.5, ops.square(x)))


def _sine_over(x: Operand) -> Operand:
    """sin(x) / x, by its series near 0."""
    near = ops.compare(ops.abs(x), number(1e-2, x), direction="lt")
    square = ops.square(ops.select(near, x, number(0, x)))
    series: Operand = number(-1 / 5040, x)
    for c in (1 / 120, -1 / 6, 1.0):
        series = ops.add(ops.multiply(series, square), number(c, x))
    outer = ops.select(near, number(1, x), x)
    return ops.select(near, series, ops.divide(ops.sine(outer), outer))


def _spence_slope(x: Operand) -> Operand:
    """log(x) / (1 - x), by its series near 1."""
    below = ops.subtract(x, number(1, x))
    near = ops.compare(ops.abs(below), number(1e-2, x), direction="lt")
    u = ops.select(near, below, number(0, x))
    series: Operand = number(-1 / 9, x)
    for k in range(8, 0, -1):
        series = ops.add(ops.multiply(series, ops.negate(u)), number(-1 / k, x))
    outer = ops.select(near, number(2, x), x)
    far = ops.divide(ops.log(outer), ops.subtract(number(1, x), outer))
    return ops.select(near, series, far)


def _expn_slope(dx: Operand, n: Operand, x: Operand, z: Operand) -> Operand:
    # E[n - 1], negated: exp(-x) = x E[n - 1] + (n - 1) E[n]
    rest = ops.multiply(ops.subtract(n, number(1, n)), z)
    below = ops.divide(ops.subtract(ops.exponential(ops.negate(x)), rest), x)
    return ops.negate(ops.multiply(dx, below))


def _owens_by_h(dh: Operand, h: Operand, a: Operand, z: Operand) -> Operand:
    inner = ops.erf(_times(math.sqrt(0.5), ops.multiply(a, h)))
    return ops.multiply(dh, _times(-0.5 / math.sqrt(2 * math.pi), ops.multiply(_normal(h), inner)))


def _owens_by_a(da: Operand, h: Operand, a: Operand, z: Operand) -> Operand:
    slope = ops.add(ops.square(a), number(1, a))
    density = ops.divide(_normal(ops.multiply(h, ops.sqrt(slope))), slope)
    return ops.multiply(da, _times(0.5 / math.pi, density))


DERIVATIVES: Final[dict[type[Primitive], Derivative]] = {
    e.BesselI0e: lambda x, y: ops.subtract(ops.bessel_i1e(x), ops.multiply(ops.sign(x), y)),
    e.BesselI1e: lambda x, y: ops.subtract(
        ops.bessel_i0e(x), ops.add(ops.multiply(ops.sign(x), y), _by_two(x))
    ),
    e.CosineIntegral: lambda x, y: ops.divide(ops.cosine(x), x),
    e.Dawson: lambda x, y: ops.subtract(number(1, x), _times(2, ops.multiply(x, y))),
    e.ErfcInv: lambda x, y: _times(-math.sqrt(math.pi) / 2, ops.exponential(ops.square(y))),
    e.Erfcx: lambda x, y: ops.subtract(
        _times(2, ops.multiply(x, y)), number(2 / math.sqrt(math.pi), x)
    ),
    e.Expi: lambda x, y: ops.divide(ops.exponential(x), x),
    e.FresnelCosine: lambda x, y: ops.cosine(_times(math.pi / 2, ops.square(x))),
    e.FresnelSine: lambda x, y: ops.sine(_times(math.pi / 2, ops.square(x))),
    e.SineIntegral: lambda x, y: _sine_over(x),
    e.Spence: lambda x, y: _spence_slope(x),
}


PARTIALS: Final[dict[type[Primitive], tuple[Partial, Partial]]] = {
    e.Expn: (lambda dn, n, x, z: ops.multiply(dn, number(0, dn)), _expn_slope),  # whole orders only
    e.OwensT: (_owens_by_h, _owens_by_a),
    e.Igamma: (
        lambda da, a, x, z: ops.multiply(da, ops.igamma_grad_a(a, x)),
        lambda dx, a, x, z: ops.multiply(dx, _gamma_density(a, x)),
    ),
    e.Igammac: (
        lambda da, a, x, z: ops.negate(ops.multiply(da, ops.igamma_grad_a(a, x))),
        lambda dx, a, x, z: ops.negate(ops.multiply(dx, _gamma_density(a, x))),
    ),
    e.IgammaGradA: (
        lambda da, a, x, z: ops.multiply(da, _derivative_of("igamma", (2, 0), a, x)),
        lambda dx, a, x, z: ops.multiply(
            dx, ops.multiply(_gamma_density(a, x), ops.subtract(ops.log(x), ops.digamma(a)))
        ),
    ),
    e.Polygamma: (
        lambda dn, n, x, z: ops.multiply(dn, number(0, dn)),  # orders are integers
        lambda dx, n, x, z: ops.multiply(dx, ops.polygamma(ops.add(n, number(1, n)), x)),
    ),
    e.RandomGammaGrad: (
        lambda da, a, x, z: ops.multiply(da, _derivative_of("random_gamma_grad", (1, 0), a, x)),
        lambda dx, a, x, z: ops.multiply(dx, _derivative_of("random_gamma_grad", (0, 1), a, x)),
    ),
    e.Zeta: (
        lambda ds, s, q, z: ops.multiply(ds, _derivative_of("zeta", (1, 0), s, q)),
        lambda dq, s, q, z: ops.multiply(
            dq, ops.negate(ops.multiply(s, ops.zeta(ops.add(s, number(1, s)), q)))
        ),
    ),
}

for _primitive, _derivative in DERIVATIVES.items():
    register_derivative(_primitive, _derivative)
for _primitive, _partials in PARTIALS.items():
    register_partials(_primitive, _partials)


@jvp_rule(e.RegularizedIncompleteBeta)
def regularized_incomplete_beta_jvp(
    primitive: e.RegularizedIncompleteBeta, primals: Operands, tangents: Tangents, /
) -> Duals:
    """By x the density."""
    a, b, x = primals
    factors = (
        lambda: _derivative_of(primitive.name, (1, 0, 0), a, b, x),
        lambda: _derivative_of(primitive.name, (0, 1, 0), a, b, x),
        lambda: _beta_density(a, b, x),
    )
    return _along(bind(primitive, *primals), tangents, factors)


@jvp_rule(e.Hyp1f1)
def hyp1f1_jvp(primitive: e.Hyp1f1, primals: Operands, tangents: Tangents, /) -> Duals:
    """By x: a / b M(a + 1, b + 1, x)."""
    a, b, x = primals
    one = number(1, x)
    factors = (
        lambda: _derivative_of(primitive.name, (1, 0, 0), a, b, x),
        lambda: _derivative_of(primitive.name, (0, 1, 0), a, b, x),
        lambda: ops.multiply(ops.divide(a, b), ops.hyp1f1(ops.add(a, one), ops.add(b, one), x)),
    )
    return _along(bind(primitive, *primals), tangents, factors)


@jvp_rule(e.Hyp2f1)
def hyp2f1_jvp(primitive: e.Hyp2f1, primals: Operands, tangents: Tangents, /) -> Duals:
    """By x: a b / c F(a + 1, b + 1; c + 1; x)."""
    a, b, c, x = primals
    one = number(1, x)
    factors = (
        lambda: _derivative_of(primitive.name, (1, 0, 0, 0), *primals),
        lambda: _derivative_of(primitive.name, (0, 1, 0, 0), *primals),
        lambda: _derivative_of(primitive.name, (0, 0, 1, 0), *primals),
        lambda: ops.multiply(
            ops.divide(ops.multiply(a, b), c),
            ops.hyp2f1(ops.add(a, one), ops.add(b, one), ops.add(c, one), x),
        ),
    )
    return _along(bind(primitive, *primals), tangents, factors)


@jvp_rule(e.FormulaDerivative)
def formula_derivative_jvp(
    primitive: e.FormulaDerivative, primals: Operands, tangents: Tangents, /
) -> Duals:
    """One order more."""

    def raised(i: int) -> Callable[[], Operand]:
        orders = tuple(order + (k == i) for k, order in enumerate(primitive.orders))
        return lambda: _derivative_of(primitive.function, orders, *primals)

    factors = [raised(i) for i in range(len(primals))]
    return _along(bind(primitive, *primals), tangents, factors)


def _derivative_of(function: str, orders: tuple[int, ...], *operands: Operand) -> Operand:
    return ops.formula_derivative(*operands, function=function, orders=orders)


def _along(
    results: Operands, tangents: Tangents, factors: Sequence[Callable[[], Operand]]
) -> Duals:
    """The sum of the tangents by their factors, of which only those are computed that are needed."""
    type = type_of(results[0])
    total: Tangent = Zero(type)
    for tangent, factor in zip(tangents, factors, strict=True):
        if not isinstance(tangent, Zero):
            term = broadcast_to(ops.multiply(tangent, factor()), type)
            total = term if isinstance(total, Zero) else ops.add(total, term)
    return results, [total]
