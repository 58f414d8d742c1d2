"""Relatives of the error function."""

from __future__ import annotations

from treadle_ir.formulas.arithmetic import Number, between, chebyshev, erfc, exp, where
from treadle_ir.reference.special import ERFC_SCALED


def erfcx(x: Number) -> Number:
    """`exp(x^2) erfc(x)`, without overflow and underflow for positive x."""
    inner = between(x, -30.0, 1.0)
    outer = where(x > 1.0, x, 1.0)
    near = exp(inner * inner) * erfc(inner)
    far = chebyshev(ERFC_SCALED, 1.0 - 8.0 / (outer + 3.0)) / outer
    return where(x > 1.0, far, near)
