"""Complex numbers and their parts."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.elementwise.families import OfParts, RealPart, Unary
from treadle_ir.primitives.elementwise.operations import Op, declare

OPERATIONS: Final = declare(
    __name__,
    Op("conjugate", Unary, "c", "The complex conjugate.", np.conjugate, "chlo.conj"),
    Op("imag", RealPart, "c", "The imaginary part, which is real.", hlo="stablehlo.imag"),
    Op("real", RealPart, "c", "The real part, which is real.", hlo="stablehlo.real"),
    Op(
        "complex",
        OfParts,
        "f",
        "The complex number with these real and imaginary parts.",
        hlo="stablehlo.complex",
    ),
)
