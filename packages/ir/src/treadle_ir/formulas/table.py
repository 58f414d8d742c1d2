"""Which formula is a primitive's meaning, and formulas of derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from treadle_ir.core.primitive import Primitive
from treadle_ir.formulas import bessels, betas, errors, gammas, hypergeometric, integrals, zetas
from treadle_ir.formulas.arithmetic import Formula, Number
from treadle_ir.formulas.dual import Dual, slope_by, varied
from treadle_ir.primitives import elementwise as e
from treadle_ir.process.frozen_classes import frozen

FORMULAS: Final[Mapping[type[Primitive], Formula]] = {
    e.BesselI0e: bessels.bessel_i0e,
    e.BesselI1e: bessels.bessel_i1e,
    e.CosineIntegral: integrals.cosine_integral,
    e.Dawson: errors.dawson,
    e.ErfcInv: errors.erfc_inv,
    e.Erfcx: errors.erfcx,
    e.Expi: integrals.expi,
    e.Expn: integrals.expn,
    e.FresnelCosine: integrals.fresnel_cosine,
    e.FresnelSine: integrals.fresnel_sine,
    e.Hyp1f1: hypergeometric.hyp1f1,
    e.Hyp2f1: hypergeometric.hyp2f1,
    e.Igamma: gammas.igamma,
    e.IgammaGradA: gammas.igamma_grad_a,
    e.Igammac: gammas.igammac,
    e.OwensT: errors.owens_t,
    e.Polygamma: zetas.polygamma,
    e.RandomGammaGrad: gammas.random_gamma_grad,
    e.RegularizedIncompleteBeta: betas.regularized_incomplete_beta,
    e.SineIntegral: integrals.sine_integral,
    e.Spence: integrals.spence,
    e.Zeta: zetas.zeta,
}

_BY_NAME: Final[Mapping[str, Formula]] = {
    primitive.name: formula for primitive, formula in FORMULAS.items()
}


@final
@frozen
class _Derivative:
    """A formula differentiated so often by each operand."""

    formula: Formula
    orders: tuple[int, ...]

    def __call__(self, *operands: Number) -> Number:
        numbers = list(operands)
        variables: list[Dual] = []
        for i, order in enumerate(self.orders):
            for _ in range(order):
                variable = numbers[i] = varied(*numbers[i:], *numbers[:i])
                variables.append(variable)
        result = self.formula(*numbers)
        for variable in reversed(variables):
            result = slope_by(variable, result)
        return result


def formula_of(primitive: Primitive) -> Formula:
    """Return the formula that a primitive stands for."""
    if isinstance(primitive, e.FormulaDerivative):
        return _Derivative(_BY_NAME[primitive.function], primitive.orders)
    return FORMULAS[type(primitive)]


PRIMITIVES: Final[tuple[type[Primitive], ...]] = (*FORMULAS, e.FormulaDerivative)
