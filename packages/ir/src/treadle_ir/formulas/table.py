"""Which formula is a primitive's meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from treadle_ir.formulas import bessels, betas, gammas, zetas
from treadle_ir.formulas.host import Formula
from treadle_ir.primitive import Primitive
from treadle_ir.primitives import elementwise as e

FORMULAS: Final[Mapping[type[Primitive], Formula]] = {
    e.BesselI0e: bessels.bessel_i0e,
    e.BesselI1e: bessels.bessel_i1e,
    e.Igamma: gammas.igamma,
    e.IgammaGradA: gammas.igamma_grad_a,
    e.Igammac: gammas.igammac,
    e.Polygamma: zetas.polygamma,
    e.RandomGammaGrad: gammas.random_gamma_grad,
    e.RegularizedIncompleteBeta: betas.regularized_incomplete_beta,
    e.Zeta: zetas.zeta,
}
