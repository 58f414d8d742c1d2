"""Derivatives of the special functions that formulas compute.

By a parameter that no function here is the derivative of, such as those of the incomplete beta function, there is
none: an error says so.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from treadle_ir import DerivativeError, Operand, Operands, Primitive, bind, ops, type_of
from treadle_ir.primitives import elementwise as e


def no_partial(name: str, operand: str) -> Partial:
    """The derivative by an operand that there is none by.

    Raises:
        DerivativeError: it is asked for.
    """

    def refuse(dx: Operand, x: Operand, y: Operand, z: Operand) -> Operand:
        raise DerivativeError(
            f"{name} has no derivative by `{operand}`",
            fix=f"keep `{operand}` constant: `lax.stop_gradient`",
        )

    return refuse


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
        no_partial("igamma_grad_a", "a"),
        lambda dx, a, x, z: ops.multiply(
            dx, ops.multiply(_gamma_density(a, x), ops.subtract(ops.log(x), ops.digamma(a)))
        ),
    ),
    e.Polygamma: (
        no_partial("polygamma", "n"),
        lambda dx, n, x, z: ops.multiply(dx, ops.polygamma(ops.add(n, number(1, n)), x)),
    ),
    e.RandomGammaGrad: (
        no_partial("random_gamma_grad", "a"),
        no_partial("random_gamma_grad", "x"),
    ),
    e.Zeta: (
        no_partial("zeta", "s"),
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
    """By x the density; by a and b there is none."""
    a, b, x = primals
    *parameters, dx = tangents
    (z,) = results = bind(primitive, *primals)
    for name, tangent in zip("ab", parameters, strict=True):
        if not isinstance(tangent, Zero):
            no_partial("regularized_incomplete_beta", name)(tangent, a, b, z)
    if isinstance(dx, Zero):
        return results, [Zero(type_of(z))]
    return results, [broadcast_to(ops.multiply(dx, _beta_density(a, b, x)), type_of(z))]
