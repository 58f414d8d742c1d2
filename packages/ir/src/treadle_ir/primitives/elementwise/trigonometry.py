"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.elementwise.families import Binary, Unary
from treadle_ir.primitives.elementwise.operations import Op, declare

OPERATIONS: Final = declare(
    __name__,
    Op("acos", Unary, "fc", "Inverse cosine.", np.arccos, domain=(-0.9, 0.9)),
    Op("acosh", Unary, "fc", "Inverse hyperbolic cosine.", np.arccosh, domain=(1.2, 4.0)),
    Op("asin", Unary, "fc", "Inverse sine.", np.arcsin, domain=(-0.9, 0.9)),
    Op("asinh", Unary, "fc", "Inverse hyperbolic sine.", np.arcsinh, domain=(-3.0, 3.0)),
    Op("atan", Unary, "fc", "Inverse tangent.", np.arctan, domain=(-3.0, 3.0)),
    Op("atanh", Unary, "fc", "Inverse hyperbolic tangent.", np.arctanh, domain=(-0.9, 0.9)),
    Op("cosh", Unary, "fc", "Hyperbolic cosine.", np.cosh),
    Op("cosine", Unary, "fc", "Cosine of an angle in radians.", np.cos, domain=(-4.0, 4.0)),
    Op("sine", Unary, "fc", "Sine of an angle in radians.", np.sin, domain=(-4.0, 4.0)),
    Op("sinh", Unary, "fc", "Hyperbolic sine.", np.sinh),
    Op("tan", Unary, "fc", "Tangent of an angle in radians.", domain=(-1.2, 1.2)),
    Op("tanh", Unary, "fc", "Hyperbolic tangent."),
    Op(
        "atan2",
        Binary,
        "f",
        "The angle of the point (y, x): `atan2(y, x)` in (-pi, pi].",
        np.arctan2,
        "stablehlo.atan2",
        domain=(0.3, 3.0),
        operands=("y", "x"),
    ),
)
