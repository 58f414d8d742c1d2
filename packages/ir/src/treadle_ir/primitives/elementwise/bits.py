"""Bits of integers and booleans."""

from __future__ import annotations

from typing import Final

import numpy as np

from treadle_ir.primitives.elementwise.families import Binary, Unary
from treadle_ir.primitives.elementwise.operations import Op, declare

OPERATIONS: Final = declare(
    __name__,
    Op(
        "count_leading_zeros",
        Unary,
        "iu",
        "The number of zero bits above the highest one bit.",
        hlo="stablehlo.count_leading_zeros",
        domain=(-9.0, 90.0),
    ),
    Op(
        "not",
        Unary,
        "biu",
        "Each bit inverted; of a boolean, its opposite.",
        np.invert,
        "stablehlo.not",
        domain=(-9.0, 90.0),
        widens=True,
    ),
    Op("popcnt", Unary, "iu", "The number of one bits.", domain=(-9.0, 90.0)),
    Op(
        "and",
        Binary,
        "biu",
        "Each bit of `x` and `y`.",
        np.bitwise_and,
        "stablehlo.and",
        domain=(-9.0, 90.0),
        widens=True,
    ),
    Op(
        "or",
        Binary,
        "biu",
        "Each bit of `x` or `y`.",
        np.bitwise_or,
        "stablehlo.or",
        domain=(-9.0, 90.0),
        widens=True,
    ),
    Op(
        "greatest_common_divisor",
        Binary,
        "iu",
        "The greatest number that divides `x` and `y`; of 0 and `y` it is `abs(y)`.\n\n"
        "It is not negative, unless the type lacks the absolute value: for the least integer and itself or 0.",
        domain=(-9.0, 90.0),
    ),
    Op(
        "shift_left",
        Binary,
        "iu",
        "`x << y`; 0 when `y` is not below the number of bits.",
        hlo="stablehlo.shift_left",
        domain=(-1.0, 9.0),
    ),
    Op(
        "shift_right_arithmetic",
        Binary,
        "iu",
        "`x >> y`, filling with the sign bit.",
        hlo="stablehlo.shift_right_arithmetic",
        domain=(-1.0, 9.0),
    ),
    Op(
        "shift_right_logical",
        Binary,
        "iu",
        "`x >> y`, filling with zeros.",
        hlo="stablehlo.shift_right_logical",
        domain=(-1.0, 9.0),
    ),
    Op(
        "xor",
        Binary,
        "biu",
        "Each bit of `x` or `y` but not of both.",
        np.bitwise_xor,
        "stablehlo.xor",
        domain=(-9.0, 90.0),
        widens=True,
    ),
)
