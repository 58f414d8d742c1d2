"""Derivatives of the special functions that formulas compute.

Where a derivative has no closed form, as those by the parameters of the incomplete functions, it is that of the
function's own formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from treadle_autodiff.registry import jvp_rule
from treadle_autodiff.rules.elementwise import (
    Derivative,
    Partial,
    broadcast_to,
    number,
    register_derivative,
    register_partials,
)
from treadle_autodiff.tangents import Tangent, Zero
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


DERIVATIVES: Final[dict[type[Primitive], Derivative]] = {
    e.BesselI0e: lambda x, y: ops.subtract(ops.bessel_i1e(x), ops.multiply(ops.sign(x), y)),
    e.BesselI1e: lambda x, y: ops.subtract(
        ops.bessel_i0e(x), ops.add(ops.multiply(ops.sign(x), y), _by_two(x))
    ),
}

PARTIALS: Final[dict[type[Primitive], tuple[Partial, Partial]]] = {
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
        lambda dn, n, x, z: ops.multiply(dn, number(0, dn)),  # it has whole orders only
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
    primitive: e.RegularizedIncompleteBeta, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """By x the density."""
    a, b, x = primals
    factors = (
        lambda: _derivative_of(primitive.name, (1, 0, 0), a, b, x),
        lambda: _derivative_of(primitive.name, (0, 1, 0), a, b, x),
        lambda: _beta_density(a, b, x),
    )
    return _along(bind(primitive, *primals), tangents, factors)


@jvp_rule(e.FormulaDerivative)
def formula_derivative_jvp(
    primitive: e.FormulaDerivative, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """One order more."""

    def raised(i: int) -> Callable[[], Operand]:
        orders = tuple(order + (k == i) for k, order in enumerate(primitive.orders))
        return lambda: _derivative_of(primitive.function, orders, *primals)

    factors = [raised(i) for i in range(len(primals))]
    return _along(bind(primitive, *primals), tangents, factors)


def _derivative_of(function: str, orders: tuple[int, ...], *operands: Operand) -> Operand:
    return ops.formula_derivative(*operands, function=function, orders=orders)


def _along(
    results: Operands, tangents: Sequence[Tangent], factors: Sequence[Callable[[], Operand]]
) -> tuple[Operands, Sequence[Tangent]]:
    """The sum of the tangents by their factors, of which only those are computed that are needed."""
    type = type_of(results[0])
    total: Tangent = Zero(type)
    for tangent, factor in zip(tangents, factors, strict=True):
        if not isinstance(tangent, Zero):
            term = broadcast_to(ops.multiply(tangent, factor()), type)
            total = term if isinstance(total, Zero) else ops.add(total, term)
    return results, [total]
