"""Rounding to whole numbers, and tests for finite numbers."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.elementwise.families import Predicate, Unary
from treadle_ir.primitives.elementwise.operations import Op, declare

OPERATIONS: Final = declare(
    __name__,
    Op(
        "ceil",
        Unary,
        "f",
        "The least integer that is not below `x`.",
        np.ceil,
        "stablehlo.ceil",
        domain=(0.6, 0.9),
    ),
    Op(
        "floor",
        Unary,
        "f",
        "The greatest integer that is not above `x`.",
        np.floor,
        "stablehlo.floor",
        domain=(0.6, 0.9),
    ),
    Op(
        "is_finite",
        Predicate,
        "f",
        "True where `x` is neither infinite nor NaN.",
        np.isfinite,
        "stablehlo.is_finite",
    ),
    Op(
        "round_nearest_afz",
        Unary,
        "f",
        "The nearest integer, halves away from zero.",
        hlo="stablehlo.round_nearest_afz",
        domain=(0.6, 0.9),
    ),
    Op(
        "round_nearest_even",
        Unary,
        "f",
        "The nearest integer, halves to the even one.",
        np.rint,
        "stablehlo.round_nearest_even",
        domain=(0.6, 0.9),
    ),
)
