"""Exponentials, logarithms, and the special functions that are made of them."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.elementwise.families import Unary
from treadle_ir.primitives.elementwise.operations import Op, declare

OPERATIONS: Final = declare(
    __name__,
    Op(
        "digamma",
        Unary,
        "f",
        "The derivative of `lgamma`.\n\nIt is -inf at 0 of either sign, and NaN at negative whole numbers.",
        domain=(0.3, 6.0),
    ),
    Op("erf", Unary, "f", "The error function.", hlo="chlo.erf"),
    Op("erf_inv", Unary, "f", "The inverse of `erf`.", hlo="chlo.erf_inv", domain=(-0.9, 0.9)),
    Op("erfc", Unary, "f", "`1 - erf(x)`, without the cancellation.", hlo="chlo.erfc"),
    Op("exponential", Unary, "fc", "`e ** x`.", np.exp),
    Op("exponential2", Unary, "fc", "`2 ** x`.", np.exp2),
    Op("exponential_minus_one", Unary, "fc", "`e ** x - 1`, without the cancellation near 0."),
    Op(
        "lgamma",
        Unary,
        "f",
        "The logarithm of the gamma function's absolute value.",
        hlo="chlo.lgamma",
        domain=(0.3, 6.0),
    ),
    Op("log", Unary, "fc", "Natural logarithm.", np.log, domain=(0.3, 3.0)),
    Op(
        "log_plus_one",
        Unary,
        "fc",
        "`log(1 + x)`, without the cancellation near 0.",
        domain=(-0.7, 3.0),
    ),
    Op(
        "logistic",
        Unary,
        "fc",
        "`1 / (1 + e ** -x)`.",
        hlo="stablehlo.logistic",
        domain=(-4.0, 4.0),
    ),
)
